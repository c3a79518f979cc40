import fc from "fast-check";
import { expect, test } from "vitest";
import { type StoredSilence, silenceAfter } from "./silent-step.ts";

const START_ms = Date.parse("2026-11-24T12:00:00Z");
const pause_ms = ({ until }: StoredSilence, now: Date): number => Date.parse(until) - now.getTime();

test("a step without words is paused a minute at first, twice as long after each refusal, up to 15 minutes", () => {
  let now = new Date(START_ms);
  let silence: StoredSilence | undefined;
  const pauses = Array.from({ length: 6 }, () => {
    silence = silenceAfter(silence, "no greeting", now);
    const paused = pause_ms(silence, now);
    now = new Date(silence.until);
    return paused / 60_000;
  });
  expect(pauses).toEqual([1, 2, 4, 8, 15, 15]);
});

test("whatever is refused and when, a pause ends within 15 minutes of a refusal, and what was under way prolongs none", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 24 * 3_600_000 }), { maxLength: 30 }), (gaps) => {
      let now_ms = START_ms;
      let silence: StoredSilence | undefined;
      for (const gap of gaps) {
        now_ms += gap;
        const now = new Date(now_ms);
        const after = silenceAfter(silence, "no greeting", now);
        const wasUnderWay = silence !== undefined && Date.parse(silence.until) > now_ms;
        if (wasUnderWay) expect(after).toBe(silence);
        else expect(pause_ms(after, now)).toBeGreaterThanOrEqual(60_000);
        expect(pause_ms(after, now)).toBeLessThanOrEqual(15 * 60_000);
        silence = after;
      }
    }),
  );
});
