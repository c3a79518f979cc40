import { afterAll, beforeAll, expect, test } from "vitest";
import { Framer } from "../../src/audio/frames.ts";
import { amplify, join, level_dbfs } from "../../src/audio/level.ts";
import { KeyListener, keyTones, silence } from "../../src/audio/tones.ts";
import {
  cough,
  inRoom,
  mailbox,
  overNetwork,
  pausing,
  type RoomNoise,
  slam,
  spokenText,
} from "../../src/simulator/caller-audio.ts";
import { isLoud, wordsApart, wordsHeard } from "../../src/simulator/caller-ear.ts";
import { type Heard, HEARING_RATE as rate } from "../../src/speech/hearing.ts";
import { createLocalHearing, type LocalHearing } from "../../src/speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../../src/speech/local/local-speaking.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

const mouth = createLocalSpeaking({ threads: 1 });
let hearing: LocalHearing;
let voice: Int16Array;
const WANTED = "I want to book an appointment on Monday.";
/** More than is said: a word that does not sound must not be found. */
const SENTENCES = [
  WANTED,
  "We are open from eight to five.",
  "Please say that again.",
  "No, on Tuesday at nine.",
];

beforeAll(async () => {
  hearing = createLocalHearing({ sphinx: await sphinxFiles() });
  voice = await spokenText(mouth, WANTED);
});
afterAll(async () => {
  await hearing.close();
  await mouth.close();
});

test("the same seed makes the same caller, another seed another", () => {
  const made = (seed: number) =>
    overNetwork(inRoom(voice, { kind: "rush" }, { rate, seed, snr_db: 10 }), {
      rate,
      seed,
      loss: 0.05,
      late: 0.05,
    });
  expect(made(7)).toEqual(made(7));
  expect(made(7)).not.toEqual(made(8));
  expect(cough(voice, { rate, seed: 1 })).toEqual(cough(voice, { rate, seed: 1 }));
});

test("noise of each kind lies so far below the voice as was asked", () => {
  for (const room of [
    { kind: "rush" },
    { kind: "hum" },
    { kind: "babble", voices: [voice] },
  ] satisfies RoomNoise[]) {
    const both = inRoom(amplify(voice, -6), room, { rate, seed: 3, snr_db: 10 });
    const quiet = amplify(voice, -6);
    const added = both.map((sample, at) => sample - (quiet[at] as number));
    expect(level_dbfs(quiet) - level_dbfs(added)).toBeCloseTo(10, 0);
  }
});

test("a pause, a lost frame and a mailbox's beep stand where they should", () => {
  const half = voice.subarray(0, rate);
  const paused = pausing([half, half], 500, rate);
  expect(level_dbfs(paused.subarray(rate, rate * 1.5))).toBe(Number.NEGATIVE_INFINITY);
  expect(paused.length).toBe(rate * 2.5);
  const none = overNetwork(voice, { rate, seed: 1, loss: 1, late: 0 });
  expect(level_dbfs(none)).toBe(Number.NEGATIVE_INFINITY);
  expect(overNetwork(half, { rate, seed: 1, loss: 0, late: 0 })).toEqual(half);
  const { samples, beep_ends } = mailbox(half, rate);
  expect(isLoud(samples.subarray(beep_ends - 320, beep_ends))).toBe(true);
  expect(isLoud(samples.subarray(beep_ends, beep_ends + 320))).toBe(false);
  expect(isLoud(slam({ rate, seed: 1 }).subarray(0, 320))).toBe(true);
});

test("keys in a noisy room are still keys", () => {
  const dialled = inRoom(keyTones("42#", rate), { kind: "rush" }, { rate, seed: 5, snr_db: 20 });
  const listener = new KeyListener(rate);
  expect(new Framer(rate).push(dialled).flatMap((frame) => listener.push(frame) ?? [])).toEqual([
    "4",
    "2",
    "#",
  ]);
});

test("the caller's ear finds the words that sound, and not the other expected ones", async (context) => {
  if (!hearing.understands) return context.skip();
  expect(wordsApart(await wordsHeard(hearing, voice, SENTENCES), WANTED)).toBeLessThanOrEqual(1);
  // The agent's words were cut off: what was written is no longer what was heard.
  const cut = voice.subarray(0, Math.round(voice.length * 0.4));
  expect(wordsApart(await wordsHeard(hearing, cut, SENTENCES), WANTED)).toBeGreaterThanOrEqual(3);
  expect(await wordsHeard(hearing, silence(rate, 1000), SENTENCES)).toBe("");
  const again = join([voice, silence(rate, 600), voice]);
  expect(wordsApart(await wordsHeard(hearing, again, SENTENCES), WANTED)).toBeGreaterThanOrEqual(6);
});

test("an ear that has caught up has told everything that was pushed before", async () => {
  const told: Heard[] = [];
  const ear = hearing.openVoiceDetection((heard) => told.push(heard));
  for (const frame of new Framer(rate).push(join([silence(rate, 500), voice, silence(rate, 500)])))
    ear.push(frame);
  await hearing.caughtUp();
  ear.close();
  expect(told[0]?.type).toBe("speech_started");
  expect(told.at(-1)?.type).toBe("speech_stopped");
});
