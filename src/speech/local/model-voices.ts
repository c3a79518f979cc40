import sherpa, { type TtsConfig } from "sherpa-onnx-node";
import type { SpeakingModel } from "./speech-models.ts";

type LoadedVoice = InstanceType<typeof sherpa.OfflineTts>;
const loaded = new Map<string, LoadedVoice>();

/** Loaded at its first word, once a thread. */
export function modelVoice(given: SpeakingModel): LoadedVoice {
  const known = loaded.get(given.folder);
  if (known) return known;
  const { model, tokens, dataDir } = given;
  const voice = new sherpa.OfflineTts({
    model: {
      ...(given.kind === "kokoro"
        ? { kokoro: { model, voices: given.voices, tokens, dataDir } }
        : { vits: { model, tokens, dataDir } }),
      numThreads: 1,
      provider: "cpu",
      debug: 0,
    },
    maxNumSentences: 1,
  } satisfies TtsConfig);
  loaded.set(given.folder, voice);
  return voice;
}
