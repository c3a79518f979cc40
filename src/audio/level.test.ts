import { expect, test } from "vitest";
import { amplify, fadeIn, join, level_dbfs, mix, trimSilence } from "./level.ts";
import { noise, silence, tone } from "./tones.ts";

const RATE = 8000;
const sound = tone(500, { rate: RATE, ms: 300, level_db: -10 });

test("levels are those of full scale: a sine at -10 dB is 3 dB below its peak", () => {
  expect(level_dbfs(sound)).toBeCloseTo(-13, 0);
  expect(level_dbfs(amplify(sound, -20))).toBeCloseTo(-33, 0);
  expect(level_dbfs(silence(RATE, 100))).toBe(Number.NEGATIVE_INFINITY);
});

test("what gets too loud is cut, and does not wrap into noise", () => {
  expect(Math.max(...mix(amplify(sound, 9), amplify(sound, 9)))).toBe(32_767);
  expect(Math.min(...amplify(sound, 30))).toBe(-32_768);
});

test("both sides are as long as the longer", () => {
  expect(mix(sound, silence(RATE, 50))).toEqual(sound);
  expect(mix(silence(RATE, 50), sound)).toEqual(sound);
});

test("what begins after a cut rises from silence, and is itself from then on", () => {
  expect(fadeIn(sound, 160)[0]).toBe(0);
  expect(fadeIn(sound, 160).subarray(160)).toEqual(sound.subarray(160));
});

test("silence before and after the words is trimmed, also where the line hisses, and words are kept", () => {
  const hiss = (ms: number) => noise(3, { rate: RATE, ms, level_db: -60 });
  for (const quiet of [silence(RATE, 280), hiss(280)]) {
    const { samples, trimmed_start } = trimSilence(join([quiet, sound, quiet]), RATE);
    expect(trimmed_start).toBe(RATE * 0.26);
    expect(samples.length).toBeGreaterThanOrEqual(sound.length + RATE * 0.02);
    expect(samples.length).toBeLessThanOrEqual(sound.length + RATE * 0.06);
  }
  expect(trimSilence(silence(RATE, 500), RATE).samples.length).toBeLessThanOrEqual(RATE * 0.04);
});
