import type { Ear, Heard } from "../speech/hearing.ts";
import { keepingSpeech } from "../speech/kept-speech.ts";
import { createLocalHearing } from "../speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../speech/local/local-speaking.ts";
import { findSphinx, type SphinxFiles } from "../speech/local/sphinx.ts";
import type { VoiceEngines } from "./voice-engines.ts";

export const NO_EAR =
  "Calls by voice need something that hears. Offline, on Debian or Ubuntu: sudo apt install libpocketsphinx3 pocketsphinx-en-us, then restart Parley.";

/** The engines that need no network: English only, and stand-ins for a provider's. */
export function createLocalEngines({
  sphinx = findSphinx(),
  threads = 1,
}: {
  sphinx?: SphinxFiles | null;
  threads?: number;
} = {}): VoiceEngines & { detect(tell: (heard: Heard) => void): Ear; close(): Promise<void> } {
  const hearing = createLocalHearing({ sphinx });
  const mouth = createLocalSpeaking({ threads });
  const speaking = keepingSpeech(mouth);
  return {
    hearing,
    speaking,
    detection: null,
    detect: (tell) => hearing.openVoiceDetection(tell),
    missing: sphinx === null ? NO_EAR : null,
    close: async () => {
      await Promise.all([hearing.close(), mouth.close()]);
    },
  };
}
