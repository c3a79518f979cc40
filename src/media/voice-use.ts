import { HEARING_RATE } from "../speech/hearing.ts";
import type { VoiceEngines } from "./voice-engines.ts";

/** Audio that was given to be heard, and audio that was made to be spoken. */
export type VoiceUse = {
  hearing_ms: number;
  speaking_ms: number;
  /** US dollars; null: of one of them no price is known. */
  cost_usd: number | null;
};

/**
 * Engines whose use on one line is counted. What was made and not played, because the caller spoke over it, counts: it was
 * made all the same.
 */
export function counted({ hearing, speaking, ...others }: VoiceEngines): {
  engines: VoiceEngines;
  use(): VoiceUse;
} {
  let heard = 0;
  let made = 0;
  const engines: VoiceEngines = {
    ...others,
    hearing: {
      ...hearing,
      open(listening, tell) {
        const ear = hearing.open(listening, tell);
        return {
          push(frame) {
            heard += frame.length;
            ear.push(frame);
          },
          close: () => ear.close(),
        };
      },
    },
    speaking: {
      ...speaking,
      async *speak(utterance, signal) {
        for await (const audio of speaking.speak(utterance, signal)) {
          made += audio.samples.length;
          yield audio;
        }
      },
    },
  };
  return {
    engines,
    use() {
      const hearing_ms = (heard * 1000) / HEARING_RATE;
      const speaking_ms = (made * 1000) / speaking.rate;
      return {
        hearing_ms,
        speaking_ms,
        cost_usd: sum(costOf(hearing_ms, hearing.minute_usd), costOf(speaking_ms, speaking.minute_usd)),
      };
    },
  };
}

/** A call may have had several lines, one after the other. */
export const bothUses = (one: VoiceUse, other: VoiceUse): VoiceUse => ({
  hearing_ms: one.hearing_ms + other.hearing_ms,
  speaking_ms: one.speaking_ms + other.speaking_ms,
  cost_usd: sum(one.cost_usd, other.cost_usd),
});

export const NO_USE: VoiceUse = { hearing_ms: 0, speaking_ms: 0, cost_usd: 0 };

const costOf = (ms: number, minute_usd: number | undefined) =>
  minute_usd === undefined ? null : (ms / 60_000) * minute_usd;

const sum = (one: number | null, other: number | null) =>
  one === null || other === null ? null : one + other;
