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
  /** Calls use the engines of this machine, which need much more of it than a service's audio does. */
  isOffline?: boolean;
  /** What one call is heard and spoken with; left out: all with the same. */
  choose?(wish: EngineWish): Promise<ChosenEngines>;
};

/** What decides which engines a call has. */
export type EngineWish = {
  /** Whose keys are used. */
  sub_organization_id: number;
  /** The agent's setting, as the API names it. */
  stt_provider: string | null;
};

/** In the order in which they are tried. */
export type ChosenEngines = {
  hearings(language: string): readonly Hearing[];
  /** `provider`: whose voice the language was given. */
  speakings(language: string, provider: string | null): readonly Speaking[];
  close(): void;
};

export const NO_ENGINES = "Nothing is set up here that hears and speaks.";
