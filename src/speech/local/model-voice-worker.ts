import { resample } from "../../audio/resample.ts";
import { serveWork } from "../../base/worker-work.ts";
import { modelVoice } from "./model-voices.ts";
import type { SpeakingModel } from "./speech-models.ts";

/** A thread that speaks with models of sherpa-onnx. */
export type ModelVoiceWork = {
  /** 16-bit samples at `rate`; `voice` is the number of one of the model's. */
  speak(asked: {
    model: SpeakingModel;
    text: string;
    voice: number;
    speed: number;
    rate: number;
  }): Int16Array;
};

const speak: ModelVoiceWork["speak"] = ({ model, text, voice, speed, rate }) => {
  const { samples, sampleRate } = modelVoice(model).generate({ text, sid: voice, speed });
  const whole = Int16Array.from(samples, (sample) => 32_767 * Math.max(-1, Math.min(1, sample)));
  return sampleRate === rate ? whole : resample(whole, sampleRate, rate);
};

serveWork({ speak }, { yields: false });
