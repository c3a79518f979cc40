import type { Ear, Heard, Hearing } from "../speech/hearing.ts";
import type { Speaking } from "../speech/speaking.ts";

/** What a line of audio is heard and spoken with. */
export type VoiceEngines = {
  hearing: Hearing;
  speaking: Speaking;
  /** Knows when somebody speaks, beside a recognition that doesn't say so. */
  detection: ((tell: (heard: Heard) => void) => Ear) | null;
  /** In the words of whoever looks for the button: why there are no calls by voice here; null where there are. */
  missing: string | null;
};

export const NO_ENGINES = "Nothing is set up here that hears and speaks.";
