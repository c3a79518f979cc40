import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bargeIn,
  dictatingCaller,
  disturbance,
  interruption,
  isFirstWordHeard,
  pathQuality,
  pausingCaller,
  stopWord,
  transcriptError,
  type VoiceTrials,
} from "../../bench/voice-rows.ts";
import { createLocalHearing } from "../../src/speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../../src/speech/local/local-speaking.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

/*
 * A few trials of each row of `bench/voice.ts`: on a clock of their own, so a loaded machine hears the same. Bounds are wider
 * than what is demanded of the whole table, as a few trials say little about a percentage; for other seeds,
 * run the bench.
 */

let trials: VoiceTrials;
let understands = false;
let close: () => Promise<unknown>;

beforeAll(async () => {
  const sphinx = await sphinxFiles();
  understands = sphinx !== null;
  const hearing = createLocalHearing({ sphinx });
  const speaking = createLocalSpeaking({ threads: 1 });
  trials = { hearing, speaking, seed: 1 };
  close = () => Promise.all([hearing.close(), speaking.close()]);
});
afterAll(() => close());

test("our voice over the line of a telephone is the voice coded at once: nothing added, nothing missing", async () => {
  const { snr_db, longest_gap_ms } = await pathQuality(trials);
  expect(snr_db).toBeGreaterThanOrEqual(30);
  expect(longest_gap_ms).toBeLessThanOrEqual(20);
});

describe("callers who hear us", () => {
  test("wait, no and stop each stop us, within half a second of the line's time", async (context) => {
    if (!understands) return context.skip();
    for (const index of [0, 1, 2]) {
      const one = await bargeIn(trials, index, stopWord(index));
      expect(one).toMatchObject({ stopped_ms: expect.any(Number) });
      expect(one.stopped_ms).toBeLessThanOrEqual(500);
    }
  });

  test("the first word said over ours is recognized, and the transcript is what was heard", async (context) => {
    if (!understands) return context.skip();
    for (const index of [0, 1]) {
      const one = await bargeIn(trials, index, interruption(index));
      expect(one).toSatisfy(isFirstWordHeard);
      // The ear itself is off by a word where the last one was cut off.
      expect(transcriptError(one)).toBeLessThanOrEqual(3);
    }
  });

  test("a cough and a slammed door lose no answer", async (context) => {
    if (!understands) return context.skip();
    for (const index of [0, 2]) expect(await disturbance(trials, index)).toMatchObject({ lost: false });
  });

  test("digits dictated in groups are not talked over, and the same seed draws the same caller", async (context) => {
    if (!understands) return context.skip();
    expect(await dictatingCaller(trials, 0)).toMatchObject({ talked_over: false });
    expect(await pausingCaller(trials, 2)).toEqual(await pausingCaller(trials, 2));
  });
});
