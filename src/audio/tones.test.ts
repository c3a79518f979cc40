import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { decodeUlaw, encodeUlaw } from "./g711.ts";
import { join, level_dbfs, mix } from "./level.ts";
import { beep, KeyListener, keyIn, keyTones, noise, shareOfTone, silence, tone } from "./tones.ts";

const RATE = 8000;
const FRAME = RATE / 50;

const heardKeys = (samples: Int16Array) => {
  const listener = new KeyListener(RATE);
  const keys: string[] = [];
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    const key = listener.push(samples.subarray(at, at + FRAME));
    if (key) keys.push(key);
  }
  return keys.join("");
};

test("keys that we press are heard as the same keys, through the telephone's code and a noisy line", () => {
  const keys = fc.string({ unit: fc.constantFrom(..."0123456789*#"), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(keys, fc.nat(), fc.nat(FRAME - 1), (pressed, seed, shift) => {
      const line = join([silence(RATE, 30 + shift / 8), keyTones(pressed, RATE)]);
      const noisy = mix(line, noise(seed, { rate: RATE, ms: (line.length / RATE) * 1000, level_db: -35 }));
      expect(heardKeys(decodeUlaw(encodeUlaw(noisy)))).toBe(pressed);
    }),
    { numRuns: rounds(100) },
  );
});

test("a pause between keys is waited, and what is no key makes no sound", () => {
  expect(keyTones("1w2", RATE).length).toBe((2 * 160 + 500) * 8);
  expect(keyTones("abc", RATE).length).toBe(0);
  expect(heardKeys(keyTones("11w1", RATE))).toBe("111");
});

test("noise, a beep and silence are no keys", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -50, max: -10 }), (seed, level_db) => {
      expect(heardKeys(noise(seed, { rate: RATE, ms: 400, level_db }))).toBe("");
    }),
    { numRuns: rounds(50) },
  );
  expect(heardKeys(beep(RATE))).toBe("");
  expect(keyIn(silence(RATE, 20), RATE)).toBeNull();
});

test("a pure tone is all of its power, noise is none of it", () => {
  expect(shareOfTone(tone(1000, { rate: RATE, ms: 100 }), 1000, RATE)).toBeGreaterThan(0.98);
  expect(shareOfTone(noise(1, { rate: RATE, ms: 100 }), 1000, RATE)).toBeLessThan(0.05);
  expect(shareOfTone(silence(RATE, 100), 1000, RATE)).toBe(0);
});

test("noise has the level it was asked for", () => {
  expect(level_dbfs(noise(7, { rate: RATE, ms: 2000, level_db: -30 }))).toBeCloseTo(-30, 0);
});
