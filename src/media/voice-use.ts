import { HEARING_RATE, type Hearing } from "../speech/hearing.ts";
import type { Speaking } from "../speech/speaking.ts";

/** Audio that was given to be heard, and audio that was made to be spoken. */
export type VoiceUse = {
  hearing_ms: number;
  speaking_ms: number;
  /** US dollars; null: of one of them no price is known. */
  cost_usd: number | null;
};

/**
 * Counts what the engines of one line are given and make. What was made and not played, because the caller spoke over it,
 * counts: it was made all the same. So does audio that a second engine hears again after the first has failed.
 */
export class VoiceMeter {
  #hearing_ms = 0;
  #speaking_ms = 0;
  #costs = new Map<Hearing | Speaking, () => number | null>();

  hearing(engine: Hearing): Hearing {
    let ms = 0;
    this.#costs.set(engine, () => (ms === 0 ? 0 : priced(ms / 60_000, engine.minute_usd)));
    return {
      ...engine,
      open: (listening, tell) => {
        const ear = engine.open(listening, tell);
        return {
          push: (frame) => {
            const frame_ms = (frame.length * 1000) / HEARING_RATE;
            ms += frame_ms;
            this.#hearing_ms += frame_ms;
            ear.push(frame);
          },
          ...(ear.endTurn && { endTurn: () => ear.endTurn?.() }),
          close: () => ear.close(),
        };
      },
    };
  }

  speaking(engine: Speaking): Speaking {
    let ms = 0;
    let characters = 0;
    const { minute_usd, thousand_characters_usd, rate } = engine;
    this.#costs.set(engine, () => {
      if (characters === 0 && ms === 0) return 0;
      if (thousand_characters_usd !== undefined) return (characters / 1000) * thousand_characters_usd;
      return priced(ms / 60_000, minute_usd);
    });
    const count = (samples: number) => {
      ms += (samples * 1000) / rate;
      this.#speaking_ms += (samples * 1000) / rate;
    };
    return {
      ...engine,
      async *speak(utterance, signal) {
        // What is kept already costs nothing again.
        let isCounted = !engine.keeps && !engine.beforehand?.has(utterance);
        if (isCounted) characters += utterance.text.length;
        for await (const audio of engine.speak(utterance, signal)) {
          if (!audio.isKept) {
            if (!isCounted) characters += utterance.text.length;
            isCounted = true;
            count(audio.samples.length);
          }
          yield audio;
        }
      },
    };
  }

  use(): VoiceUse {
    const costs = [...this.#costs.values()].map((cost) => cost());
    return {
      hearing_ms: this.#hearing_ms,
      speaking_ms: this.#speaking_ms,
      cost_usd: costs.reduce(sum, 0),
    };
  }
}

/** A call may have had several lines, one after the other. */
export const bothUses = (one: VoiceUse, other: VoiceUse): VoiceUse => ({
  hearing_ms: one.hearing_ms + other.hearing_ms,
  speaking_ms: one.speaking_ms + other.speaking_ms,
  cost_usd: sum(one.cost_usd, other.cost_usd),
});

export const NO_USE: VoiceUse = { hearing_ms: 0, speaking_ms: 0, cost_usd: 0 };

const priced = (minutes: number, minute_usd: number | undefined) =>
  minute_usd === undefined ? null : minutes * minute_usd;

const sum = (one: number | null, other: number | null) =>
  one === null || other === null ? null : one + other;
