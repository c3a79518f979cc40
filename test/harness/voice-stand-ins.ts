import { tone } from "../../src/audio/tones.ts";
import type { VoiceEngines } from "../../src/media/voice-engines.ts";

/** Whoever is loud said this sentence; whatever is said is a tone of 400 ms. */
export const LOUD_ENGINES: VoiceEngines = {
  missing: null,
  detection: null,
  hearing: {
    name: "test",
    minute_usd: 0.06,
    open(_listening, tell) {
      let speaks = false;
      let at_ms = 0;
      return {
        push(frame) {
          at_ms += 20;
          const isLoud = frame.some((sample) => Math.abs(sample) > 2000);
          if (isLoud && !speaks) tell({ type: "speech_started", at_ms });
          if (!isLoud && speaks) {
            tell({ type: "speech_stopped", at_ms });
            tell({ type: "final", text: "when are you open" });
          }
          speaks = isLoud;
        },
        close() {},
      };
    },
  },
  speaking: {
    name: "test",
    minute_usd: 0.6,
    rate: 8000,
    async *speak({ text }) {
      const samples = tone(300, { rate: 8000, ms: 400 });
      yield { samples, aligned: [{ from: 0, to: text.length, begins: 0, ends: samples.length }] };
    },
  },
};
