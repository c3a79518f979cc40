import { describe, expect, test } from "vitest";
import { join } from "../../src/audio/level.ts";
import { Resampler, resample } from "../../src/audio/resample.ts";
import { silence, tone } from "../../src/audio/tones.ts";
import { AudioCall } from "../../src/simulator/audio-call.ts";
import { isLoud } from "../../src/simulator/caller-ear.ts";
import { type Heard, HEARING_RATE as rate } from "../../src/speech/hearing.ts";
import type { LocalHearing } from "../../src/speech/local/local-hearing.ts";
import type { Speaking } from "../../src/speech/speaking.ts";

/*
 * What users of other voice stacks complain of, each with a test of its name. What the caller's ear hears decides, on a clock
 * of its own; recognition is told word by word, so that nothing depends on it.
 */

const LONG = "We are open from eight in the morning to five in the afternoon, on every day but Sunday.";
const CHARACTER_MS = 40;

/** Each letter sounds for 40 ms, at a pitch of its own place. */
const voice: Speaking = {
  name: "test",
  rate,
  async *speak({ text }) {
    const samples = join(
      [...text].map((letter, at) =>
        letter === " " ? silence(rate, CHARACTER_MS) : tone(300 + 10 * (at % 40), { rate, ms: CHARACTER_MS }),
      ),
    );
    yield { samples, aligned: [] };
  },
};

function call({ finds_answerer = false } = {}) {
  let tell: (heard: Heard) => void = () => {};
  let at_ms = 0;
  const hearing: LocalHearing = {
    name: "test",
    understands: true,
    open(_listening, told) {
      tell = told;
      return {
        push: () => {
          at_ms += 20;
        },
        close() {},
      };
    },
    openVoiceDetection: () => ({ push() {}, close() {} }),
    caughtUp: async () => {},
    close: async () => {},
  };
  const line = new AudioCall({ hearing, speaking: voice, expected: [], answer: () => null, finds_answerer });
  const began = () => tell({ type: "speech_started", at_ms });
  const ended = () => tell({ type: "speech_stopped", at_ms });
  const words = (text: string, final = false) => tell({ type: final ? "final" : "partial", text });
  /** Frames that sounded since that one. */
  const soundsSince = (frame: number) => line.heard.slice(frame).filter(isLoud).length;
  const inputs = (type: string) => line.inputs.filter((input) => input.type === type);
  const finals = () =>
    line.inputs.flatMap((input) => (input.type === "speech" && input.final ? [input.text] : []));
  return { line, began, ended, words, soundsSince, inputs, finals };
}

describe("complaint:", () => {
  test("one threshold for speaking and thinking. Over our words it takes 140 ms of a voice, in our silence none", async () => {
    const speaking = call();
    speaking.line.say(LONG);
    await speaking.line.wait(600);
    speaking.began();
    await speaking.line.wait(100);
    expect(speaking.line.reports.some(({ type }) => type === "held")).toBe(false);
    await speaking.line.wait(100);
    expect(speaking.line.reports.some(({ type }) => type === "held")).toBe(true);
    const thinking = call();
    await thinking.line.wait(200);
    thinking.began();
    thinking.words("and");
    expect(thinking.inputs("speech")).toHaveLength(1);
  });

  test('"ok" and "hmm" taken as an answer. Over our words they are a nod, and we go on', async () => {
    for (const nod of ["ok", "hmm"]) {
      const { line, began, ended, words, finals, inputs } = call();
      line.say(LONG);
      await line.wait(600);
      began();
      await line.wait(200);
      words(nod);
      ended();
      words(nod, true);
      await line.wait(6000);
      expect(finals()).toEqual([]);
      expect(inputs("played")).toHaveLength(1);
    }
  });

  test('a least number of words that kills "wait". One word takes the turn', async () => {
    const { line, began, ended, words, finals } = call();
    line.say(LONG);
    await line.wait(600);
    began();
    await line.wait(200);
    ended();
    words("wait", true);
    await line.wait(2000);
    expect(finals()).toEqual(["wait"]);
  });

  test("the first word lost on an interruption. What was said over our words begins the turn", async () => {
    const { line, began, ended, words, finals } = call();
    line.say(LONG);
    await line.wait(600);
    began();
    await line.wait(60);
    words("no");
    await line.wait(400);
    words("no on monday");
    await line.wait(200);
    ended();
    words("no on monday please", true);
    await line.wait(1500);
    expect(finals()).toEqual(["no on monday please"]);
  });

  test("silent after a cough. It goes on within two seconds, from the word that was cut", async () => {
    const { line, began, ended, soundsSince, inputs } = call();
    line.say(LONG);
    await line.wait(600);
    began();
    await line.wait(200);
    ended();
    const from = line.heard.length;
    await line.wait(2000);
    expect(soundsSince(from)).toBeGreaterThan(0);
    await line.wait(5000);
    expect(inputs("played")).toHaveLength(1);
  });

  test('"speaking" but mute after an interruption. The next answer sounds to its end', async () => {
    const { line, began, ended, words, soundsSince, inputs } = call();
    line.say(LONG);
    await line.wait(600);
    began();
    await line.wait(200);
    ended();
    words("stop", true);
    await line.wait(1500);
    const from = line.heard.length;
    line.say("For what day?");
    await line.wait(1500);
    expect(soundsSince(from) * 20).toBeGreaterThanOrEqual("Forwhatday?".length * CHARACTER_MS - 20);
    expect(inputs("played")).toHaveLength(1);
  });

  test("both start together. The caller goes first", async () => {
    const { line, began, words, soundsSince } = call();
    await line.wait(400);
    began();
    words("i");
    const from = line.heard.length;
    line.say(LONG);
    await line.wait(1500);
    expect(soundsSince(from)).toBe(0);
  });

  test("talks on for seconds after an interruption. Nothing sounds 300 ms after a voice began", async () => {
    const { line, began, words, soundsSince } = call();
    line.say(LONG);
    await line.wait(600);
    began();
    words("wait");
    await line.wait(300);
    const from = line.heard.length;
    await line.wait(1400);
    expect(soundsSince(from)).toBe(0);
  });

  test("a transcript of what nobody heard, or of words out of order. It holds the beginning that sounded", async () => {
    const { line, began, ended, words, inputs } = call();
    line.say(LONG);
    await line.wait(1000);
    began();
    await line.wait(200);
    const sounded_ms = (line.heard.findLastIndex(isLoud) + 1) * 20;
    ended();
    words("stop", true);
    await line.wait(200);
    const [interrupted] = inputs("interrupted");
    const heard = interrupted?.type === "interrupted" ? interrupted.heard : "";
    expect(LONG.startsWith(heard)).toBe(true);
    // Within a word of what sounded.
    expect(Math.abs(heard.length * CHARACTER_MS - sounded_ms)).toBeLessThan(8 * CHARACTER_MS);
  });

  test("pops between pieces of audio. Resampled piece by piece it is the same as at once", () => {
    const whole = tone(440, { rate: 24_000, ms: 400 });
    const chunked = new Resampler(24_000, 16_000);
    const pieces: Int16Array[] = [];
    for (let at = 0; at < whole.length; at += 331) pieces.push(chunked.push(whole.slice(at, at + 331)));
    expect(join([...pieces, chunked.flush()])).toEqual(resample(whole, 24_000, 16_000));
  });

  test("long answers garbled. A minute of speech sounds whole and in order", async () => {
    const { line } = call();
    const sentence = `${"x".repeat(150)}.`;
    for (let piece = 0; piece < 10; piece++) line.say(sentence);
    await line.wait(62_000);
    const first = line.heard.findIndex(isLoud);
    const last = line.heard.findLastIndex(isLoud);
    const made: Int16Array[] = [];
    for await (const { samples } of voice.speak(
      { text: sentence, language: "en-US", voice: null, speed: null },
      new AbortController().signal,
    ))
      made.push(samples);
    const expected = join(Array.from({ length: 10 }, () => join(made)));
    const sounded = join(line.heard.slice(first, last + 1)).subarray(0, expected.length);
    expect(Buffer.compare(Buffer.from(sounded.buffer), Buffer.from(expected.buffer))).toBe(0);
  });

  test("no verdict on who answered. A voicemail is told with its reason", async () => {
    const { line, began, ended, words } = call({ finds_answerer: true });
    await line.wait(200);
    began();
    words("please leave a message after the tone");
    await line.wait(600);
    ended();
    expect(line.reports).toContainEqual(expect.objectContaining({ type: "answered", by: "voicemail" }));
    expect(line.inputs).toContainEqual(expect.objectContaining({ type: "answerer", by: "voicemail" }));
  });

  test("a speaker-phone interrupts itself. Our own voice, which comes back quieter than the caller's, doesn't stop us", async () => {
    const { line, began, ended, words, inputs } = call();
    const own = tone(300, { rate, ms: 600, level_db: -12 });
    const echo = tone(300, { rate, ms: 600, level_db: -24 });
    // How loud the caller is, is known from their first turn.
    began();
    await line.play(own);
    ended();
    words("when are you open", true);
    await line.wait(1000);
    line.say(LONG);
    await line.wait(300);
    began();
    await line.play(echo);
    words("we are open from");
    await line.play(echo);
    ended();
    words("we are open from eight", true);
    await line.wait(5000);
    expect(inputs("interrupted")).toEqual([]);
    expect(inputs("played")).toHaveLength(1);
  });
});
