import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { type MovedClock, movedClock } from "../base/clock.ts";
import type { Speaking } from "../speech/speaking.ts";
import type { AudioLine } from "./audio-line.ts";
import { LineSpeaker } from "./line-speaker.ts";

const RATE = 8000;
const CHARACTER = RATE / 25;

/** Speaks 25 characters a second, in chunks: each sample is the number of its character. */
function numbers(chunk = 1000): Speaking {
  return {
    name: "numbers",
    rate: RATE,
    async *speak({ text }) {
      const samples = Int16Array.from(
        { length: text.length * CHARACTER },
        (_, at) => 1 + Math.floor(at / CHARACTER),
      );
      for (let at = 0; at < samples.length; at += chunk)
        yield { samples: samples.slice(at, at + chunk), aligned: [] };
    },
  };
}

/** A line that plays what it is given in real time, and knows what was heard. */
class TestLine implements AudioLine {
  readonly rate = RATE;
  readonly heard: number[] = [];
  cleared = 0;
  longest_ms = 0;
  #queue: ({ frame: Int16Array } | { mark: string })[] = [];
  readonly #clock: MovedClock;
  returned: (name: string) => void = () => {};

  constructor(clock: MovedClock) {
    this.#clock = clock;
    const tick = () => {
      this.#tick();
      this.#clock.wakeAt(new Date(this.#clock.now().getTime() + 20), tick);
    };
    tick();
  }

  #tick(): void {
    while (this.#queue[0] && "mark" in this.#queue[0])
      this.returned((this.#queue.shift() as { mark: string }).mark);
    const [next] = this.#queue;
    if (next && "frame" in next) this.heard.push(...next.frame);
    this.#queue.shift();
    while (this.#queue[0] && "mark" in this.#queue[0])
      this.returned((this.#queue.shift() as { mark: string }).mark);
  }

  play(frame: Int16Array): void {
    this.#queue.push({ frame });
    this.longest_ms = Math.max(this.longest_ms, 20 * this.#queue.filter((entry) => "frame" in entry).length);
  }

  mark(name: string): void {
    this.#queue.push({ mark: name });
  }

  /** As Twilio does: marks of what is thrown away come back, too. */
  clear(): void {
    this.cleared++;
    const marks = this.#queue.flatMap((entry) => ("mark" in entry ? [entry.mark] : []));
    this.#queue = [];
    for (const name of marks) this.returned(name);
  }

  close(): void {}
}

function talk(speaking = numbers(), onPlaying: () => void = () => {}) {
  const clock = movedClock("2026-11-23T12:00:00Z");
  const line = new TestLine(clock);
  const told: string[] = [];
  const speaker = new LineSpeaker({
    clock,
    line,
    speaking,
    reports: {
      playing: (playing, piece) => {
        told.push(playing ? `playing${piece?.asks ? " a question" : ""}` : "silent");
        if (playing) onPlaying();
      },
      played: ({ unsaid }) => told.push(unsaid ? "played in part" : "played"),
      fault: (message) => told.push(message),
    },
  });
  line.returned = (name) => speaker.marked(name);
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      await setImmediate();
      clock.advance(20);
    }
  };
  const say = (text: string) => speaker.say({ text, language: "en-US", voice: null, speed: null }, true);
  return { clock, line, speaker, told, pass, say };
}

test("what is said is heard whole, in order, at the line's pace", async () => {
  const { line, told, pass, say } = talk();
  say("We are open.");
  say("What do you need?");
  await pass(3000);
  const first = "We are open.".length;
  expect(line.heard.length).toBe((first + "What do you need?".length) * CHARACTER);
  expect(line.heard.at(0)).toBe(1);
  expect(line.heard.at(first * CHARACTER)).toBe(1);
  expect(line.longest_ms).toBeLessThanOrEqual(320);
  expect(told).toEqual(["playing", "playing a question", "played", "silent"]);
});

test("a cut in the middle gives the words that were heard, and nothing of the rest is sent", async () => {
  const { line, speaker, pass, say } = talk();
  say("We are open from eight to five.");
  say("Do come in.");
  await pass(1000);
  const heard = speaker.drop();
  expect("We are open from eight to five.".startsWith(heard)).toBe(true);
  expect(Math.abs(heard.length * CHARACTER - line.heard.length)).toBeLessThanOrEqual(7 * CHARACTER);
  const before = line.heard.length;
  await pass(2000);
  expect(line.heard.length).toBe(before);
});

test("after a hold it speaks on from the word that was cut, and says every word", async () => {
  const { line, speaker, told, pass, say } = talk();
  const text = "We are open from eight to five.";
  say(text);
  await pass(1000);
  speaker.hold();
  const cut = line.heard.length;
  await pass(600);
  expect(line.heard.length).toBe(cut);
  speaker.goOn();
  await pass(3000);
  // Samples are numbers of characters: none is missing, and what is heard twice is the cut word.
  expect(new Set(line.heard.filter((sample) => sample > 0)).size).toBeGreaterThanOrEqual(text.length - 1);
  expect(line.heard.length - text.length * CHARACTER).toBeLessThanOrEqual(7 * CHARACTER);
  expect(told.slice(-2)).toEqual(["played", "silent"]);
});

test("a piece that is held or dropped as it begins is spoken later, or not at all", async () => {
  const held = talk(numbers(), () => {
    if (held.told.length === 1) held.speaker.hold();
  });
  held.say("We are open.");
  await held.pass(500);
  expect(held.line.heard).toEqual([]);
  held.speaker.goOn();
  await held.pass(2000);
  expect(held.line.heard.length).toBe("We are open.".length * CHARACTER);
  const dropped = talk(numbers(), () => void dropped.speaker.drop());
  dropped.say("We are open.");
  await dropped.pass(500);
  expect(dropped.line.heard).toEqual([]);
});

test("a mark of before a cut says nothing of what is said after it", async () => {
  const { speaker, told, pass, say } = talk();
  say("One two three four five six.");
  await pass(400);
  speaker.drop();
  say("Yes.");
  speaker.marked("0:99999");
  expect(told).not.toContain("played");
  await pass(600);
  expect(told.slice(-2)).toEqual(["played", "silent"]);
});

test("a line that loses its marks is believed by the clock", async () => {
  const { line, told, pass, say } = talk();
  line.returned = () => {};
  say("We are open.");
  await pass(1000);
  expect(told).not.toContain("played");
  await pass(2500);
  expect(told.slice(-2)).toEqual(["played", "silent"]);
});

test("a voice that fails is told of, and does not hold up what comes after it", async () => {
  const broken: Speaking = {
    name: "broken",
    rate: RATE,
    // biome-ignore lint/correctness/useYield: it fails before its first sound
    async *speak() {
      throw new Error("no voice today");
    },
  };
  const { speaker, told, pass, say } = talk(broken);
  say("Hello.");
  speaker.sound(new Int16Array(1600).fill(7));
  await pass(500);
  expect(told).toEqual(["no voice today", "playing", "played in part", "silent"]);
});

test("words that make no sound are over at once: nobody waits for their end", async () => {
  const soundless: Speaking = {
    name: "soundless",
    rate: RATE,
    async *speak({ text }) {
      if (text === "Broken.") throw new Error("no voice today");
      yield { samples: new Int16Array(0), aligned: [] };
    },
  };
  const { speaker, told, pass, say } = talk(soundless);
  say("…");
  await pass(40);
  expect(told.splice(0)).toEqual(["played"]);
  say("…");
  say("Broken.");
  await pass(40);
  expect(told.splice(0)).toEqual(["no voice today", "played in part"]);
  say("…");
  speaker.drop();
  await pass(40);
  expect(told).toEqual([]);
});

test("a loop fills the wait and ends with the first word", async () => {
  const { line, speaker, told, pass, say } = talk();
  speaker.loop(new Int16Array(480).fill(99));
  await pass(400);
  expect(told).toEqual([]);
  say("Yes.");
  await pass(1000);
  expect(line.heard.slice(0, 800).every((sample) => sample === 99)).toBe(true);
  expect(line.heard.at(-1)).toBe(4);
  expect(told.slice(-2)).toEqual(["played", "silent"]);
});

test("for all calls of hold, go on, drop and say: everything that was not dropped is heard, in order", async () => {
  const acts = fc.array(
    fc.record({
      act: fc.constantFrom("say", "hold", "goOn", "drop" as const),
      after: fc.integer({ min: 0, max: 12 }).map((frames) => frames * 20),
    }),
    { maxLength: 14 },
  );
  await fc.assert(
    fc.asyncProperty(acts, fc.integer({ min: 100, max: 4000 }), async (history, chunk) => {
      const { line, speaker, told, pass, say } = talk(numbers(chunk));
      for (const { act, after } of history) {
        if (act === "say") say("one two three four");
        else speaker[act]();
        await pass(after);
      }
      speaker.goOn();
      const spoke = line.heard.length;
      say("the very last words");
      await pass(20_000);
      expect(line.heard.length).toBeGreaterThan(spoke);
      expect(line.heard.at(-1)).toBe("the very last words".length);
      expect(told.slice(-2)).toEqual(["played", "silent"]);
      expect(line.longest_ms).toBeLessThanOrEqual(340);
    }),
    { numRuns: rounds(25) },
  );
});
