import type { Ear, Heard } from "../speech/hearing.ts";
import { keepingSpeech } from "../speech/kept-speech.ts";
import { createLocalHearing } from "../speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../speech/local/local-speaking.ts";
import { NO_MODELS, type SpeechModels } from "../speech/local/speech-models.ts";
import { findSphinx, type SphinxFiles } from "../speech/local/sphinx.ts";
import type { VoiceEngines } from "./voice-engines.ts";

export const NO_EAR =
  "Calls by voice need something that hears. For English, on this machine: ./parley speech-model, then restart Parley.";

/** The engines that need no network: models that the operator brought, and stand-ins for a provider's, English only. */
export function createLocalEngines({
  sphinx = findSphinx(),
  threads = 1,
  models = NO_MODELS,
}: {
  sphinx?: SphinxFiles | null;
  threads?: number;
  /** The operator's own, before the stand-ins. */
  models?: SpeechModels;
} = {}): VoiceEngines & { detect(tell: (heard: Heard) => void): Ear; close(): Promise<void> } {
  const hearing = createLocalHearing({ sphinx, models: models.hearing });
  const mouth = createLocalSpeaking({ threads, models: models.speaking });
  const speaking = keepingSpeech(mouth);
  return {
    hearing,
    speaking,
    detection: null,
    isOffline: true,
    detect: (tell) => hearing.openVoiceDetection(tell),
    missing: hearing.understands ? null : NO_EAR,
    close: async () => {
      await Promise.all([hearing.close(), mouth.close()]);
    },
  };
}
