import sherpa, { type OfflineConfig, type OnlineConfig } from "sherpa-onnx-node";
import { join } from "../../audio/level.ts";
import { HEARING_RATE } from "../hearing.ts";
import { growingRecognizer, type WholeModel } from "./growing-recognizer.ts";
import { hearByMoonshine } from "./moonshine.ts";
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
    modelConfig: { ...ofKind(model), tokens: model.tokens, ...COMMON },
  } satisfies OfflineConfig);
  if (model.kind === "moonshine") {
    const one = inTurn((samples) => hearByMoonshine((piece) => hearWhole(loaded, piece), floats(samples)));
    return () => growingRecognizer(one);
  }
  const one = inTurn((samples) => hearWhole(loaded, floats(samples)));
  return () => atTheEnd(one);
}

function ofKind(model: HearingModel): Partial<OfflineConfig["modelConfig"]> {
  if (model.kind === "transducer") {
    const { encoder, decoder, joiner } = model;
    const modelType = /nemo|parakeet/i.test(model.folder) ? "nemo_transducer" : "transducer";
    return { transducer: { encoder, decoder, joiner }, modelType };
  }
  const { encoder, decoder } = model;
  if (model.kind === "moonshine") return { moonshine: { encoder, mergedDecoder: decoder } };
  return { whisper: { encoder, decoder, language: model.language.split("-")[0] ?? "", task: "transcribe" } };
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
function atTheEnd(model: WholeModel): TakenRecognizer {
  let heard: Int16Array[] = [];
  const begin = () => {
    heard = [];
  };
  return {
    begin,
    push: (samples) => {
      heard.push(samples);
      return "";
    },
    end: () => {
      const all = join(heard);
      begin();
      return model.understand(all);
    },
    giveBack: begin,
  };
}

type Offline = InstanceType<typeof sherpa.OfflineRecognizer>;

/** One piece at a time, in a thread beside the one that hears: what others say meanwhile is noticed all the same. */
function inTurn(understand: (samples: Int16Array) => Promise<string>): WholeModel {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    get isFree() {
      return waiting === 0;
    },
    understand(samples, asked) {
      waiting += 1;
      const words = last.then(() => (asked?.isWanted === false ? "" : understand(samples)));
      last = words
        .catch(() => "")
        .then(() => {
          waiting -= 1;
        });
      return words;
    },
  };
}

async function hearWhole(model: Offline, samples: Float32Array): Promise<string> {
  const stream = model.createStream();
  stream.acceptWaveform({ samples, sampleRate: HEARING_RATE });
  return wordsOf((await model.decodeAsync(stream)).text);
}

const floats = (samples: Int16Array): Float32Array => Float32Array.from(samples, (sample) => sample / 32_768);

/** Some models write capitals only. */
const wordsOf = (text: string): string => {
  const trimmed = text.trim();
  return trimmed === trimmed.toUpperCase() ? trimmed.toLowerCase() : trimmed;
};
