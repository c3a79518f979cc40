import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { Resampler, resample } from "./resample.ts";
import { tone } from "./tones.ts";

const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];
const rate = fc.constantFrom(...RATES);
const samples = fc.int16Array({ maxLength: 2000, size: "max" });

test("audio resampled in pieces of any size is the same as resampled at once", () => {
  fc.assert(
    fc.property(
      rate,
      rate,
      samples,
      // Long enough that each piece needs more of the past than the one before it held.
      fc.array(fc.nat(400), { maxLength: 12, size: "max" }),
      (from, to, all, sizes) => {
        const resampler = new Resampler(from, to);
        const pieces: number[] = [];
        let at = 0;
        for (const size of [...sizes, all.length]) {
          pieces.push(...resampler.push(all.subarray(at, at + size)));
          at = Math.min(all.length, at + size);
        }
        pieces.push(...resampler.flush());
        const whole = new Resampler(from, to);
        expect(firstDifference(pieces, [...whole.push(all), ...whole.flush()])).toBe(-1);
        expect(pieces.length).toBe(Math.ceil((all.length * to) / from));
      },
    ),
    { numRuns: rounds(50), endOnFailure: true },
  );
});

test("the last milliseconds sound as if silence followed, whatever was said", () => {
  fc.assert(
    fc.property(rate, rate, samples, (from, to, all) => {
      const resampler = new Resampler(from, to);
      const followed = [...resampler.push(all), ...resampler.push(new Int16Array(from / 50))];
      const ended = [...resample(all, from, to)];
      if (from !== to) expect(firstDifference(ended, followed.slice(0, ended.length))).toBe(-1);
    }),
    { numRuns: rounds(50), endOnFailure: true },
  );
});

test.each([8000, 16_000, 24_000])(
  "a voice's tone survives the way to %d Hz and back, frame by frame",
  (to) => {
    const given = tone(700, { rate: 48_000, ms: 400, level_db: -6 });
    const there = new Resampler(48_000, to);
    const back = new Resampler(to, 48_000);
    const heard: number[] = [];
    for (let at = 0; at < given.length; at += 960)
      heard.push(...back.push(there.push(given.subarray(at, at + 960))));
    heard.push(...back.push(there.flush()), ...back.flush());
    expect(signalToNoise_db(given, Int16Array.from(heard))).toBeGreaterThan(60);
  },
);

test.each([
  [8000, 16_000],
  [16_000, 8000],
  [24_000, 8000],
  [22_050, 8000],
  [8000, 48_000],
])("a voice's tones go from %d to %d Hz with 60 dB between them and what is wrong", (from, to) => {
  for (const frequency of [200, 700, 1500, 2900]) {
    const given = tone(frequency, { rate: from, ms: 500, level_db: -6 });
    const wanted = tone(frequency, { rate: to, ms: 500, level_db: -6 });
    expect(signalToNoise_db(wanted, resample(given, from, to))).toBeGreaterThan(60);
  }
});

test("what the lower rate can't carry is gone, and not heard as another tone", () => {
  const beyond = resample(tone(5200, { rate: 16_000, ms: 500, level_db: -6 }), 16_000, 8000);
  expect(level_db(beyond.subarray(200, -200))).toBeLessThan(-66);
});

/** Where two differ, and no picture of it: a thousand samples drawn beside a thousand others help nobody. */
function firstDifference(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((sample, index) => sample !== other[index]);
  return at === -1 && one.length !== other.length ? one.length : at;
}

/** Without the first and last 20 ms, where the tone begins and ends. */
function signalToNoise_db(wanted: Int16Array, given: Int16Array): number {
  const edge = Math.floor(wanted.length / 25);
  let signal = 0;
  let noise = 0;
  for (let at = edge; at < wanted.length - edge; at++) {
    const sample = wanted[at] as number;
    signal += sample ** 2;
    noise += (sample - (given[at] as number)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

const level_db = (samples: Int16Array) =>
  10 * Math.log10(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length / 32_768 ** 2);
