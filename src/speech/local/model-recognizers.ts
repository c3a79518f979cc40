import sherpa, { type OfflineConfig, type OnlineConfig } from "sherpa-onnx-node";
import { join } from "../../audio/level.ts";
import { HEARING_RATE } from "../hearing.ts";
import type { TakenRecognizer } from "./recognizers.ts";
import type { HearingModel } from "./speech-models.ts";

/** One thread each: several lines are heard at once. */
const COMMON = { numThreads: 1, provider: "cpu", debug: 0 } as const;
const FEATURES = { sampleRate: HEARING_RATE, featureDim: 80 };
/** A streaming model tells its last word after some silence. */
const TAIL_SAMPLES = HEARING_RATE * 0.4;

/** Loads a model once, and gives each line a recognizer of its own. Throws where the model can't be loaded. */
export function modelRecognizers(model: HearingModel): () => TakenRecognizer {
  if (model.kind === "transducer" && model.streams) {
    const { encoder, decoder, joiner, tokens } = model;
    const loaded = new sherpa.OnlineRecognizer({
      featConfig: FEATURES,
      modelConfig: { transducer: { encoder, decoder, joiner }, tokens, ...COMMON },
      decodingMethod: "greedy_search",
      enableEndpoint: false,
    } satisfies OnlineConfig);
    return () => streaming(loaded);
  }
  const loaded = new sherpa.OfflineRecognizer({
    featConfig: FEATURES,
    modelConfig: {
      ...(model.kind === "transducer"
        ? {
            transducer: { encoder: model.encoder, decoder: model.decoder, joiner: model.joiner },
            modelType: /nemo|parakeet/i.test(model.folder) ? "nemo_transducer" : "transducer",
          }
        : {
            whisper: {
              encoder: model.encoder,
              decoder: model.decoder,
              language: model.language.split("-")[0] ?? "",
              task: "transcribe",
            },
          }),
      tokens: model.tokens,
      ...COMMON,
    },
  } satisfies OfflineConfig);
  return () => atTheEnd(loaded);
}

function streaming(model: InstanceType<typeof sherpa.OnlineRecognizer>): TakenRecognizer {
  let stream = model.createStream();
  const hear = (samples: Float32Array): string => {
    stream.acceptWaveform({ samples, sampleRate: HEARING_RATE });
    while (model.isReady(stream)) model.decode(stream);
    return wordsOf(model.getResult(stream).text);
  };
  return {
    begin: () => {
      stream = model.createStream();
    },
    push: (samples) => hear(floats(samples)),
    end: () => hear(new Float32Array(TAIL_SAMPLES)),
    giveBack: () => {},
  };
}

/** Understands an utterance once it is over. */
function atTheEnd(model: InstanceType<typeof sherpa.OfflineRecognizer>): TakenRecognizer {
  let heard: Int16Array[] = [];
  return {
    begin: () => {
      heard = [];
    },
    push: (samples) => {
      heard.push(samples);
      return "";
    },
    end: () => {
      const stream = model.createStream();
      stream.acceptWaveform({ samples: floats(join(heard)), sampleRate: HEARING_RATE });
      heard = [];
      model.decode(stream);
      return wordsOf(model.getResult(stream).text);
    },
    giveBack: () => {
      heard = [];
    },
  };
}

const floats = (samples: Int16Array): Float32Array => Float32Array.from(samples, (sample) => sample / 32_768);

/** Some models write capitals only. */
const wordsOf = (text: string): string => {
  const trimmed = text.trim();
  return trimmed === trimmed.toUpperCase() ? trimmed.toLowerCase() : trimmed;
};
