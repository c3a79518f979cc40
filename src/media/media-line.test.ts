import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Framer } from "../audio/frames.ts";
import { keyTones } from "../audio/tones.ts";
import { movedClock } from "../base/clock.ts";
import type { CallInput, CallVoice } from "../channels/call-socket.ts";
import type { Heard } from "../speech/hearing.ts";
import type { Speaking } from "../speech/speaking.ts";
import type { MediaReport } from "./line-report.ts";
import { MediaLine } from "./media-line.ts";

const RATE = 8000;

/** 25 characters a second. */
const speaking: Speaking = {
  name: "steady",
  rate: RATE,
  async *speak({ text }) {
    yield { samples: new Int16Array(text.length * 320).fill(100), aligned: [] };
  },
};

/** A line that plays in real time and returns its marks; what the ear hears is said by the test. */
function call(interruptible_by: CallVoice["interruptible_by"] = "all") {
  const clock = movedClock("2026-11-23T12:00:00Z");
  const told: CallInput[] = [];
  const reports: MediaReport[] = [];
  let queue: (Int16Array | string)[] = [];
  let heard_ms = 0;
  let ear: (heard: Heard) => void = () => {};
  const languages: string[] = [];
  const line = new MediaLine({
    clock,
    line: {
      rate: RATE,
      play: (frame) => queue.push(frame),
      mark: (name) => queue.push(name),
      clear: () => {
        queue = [];
      },
      close: () => {},
    },
    hearing: {
      name: "told by the test",
      open: ({ language }, tell) => {
        languages.push(language);
        ear = tell;
        return { push: () => {}, close: () => {} };
      },
    },
    detection: null,
    speaking,
    voice: {
      languages: [{ code: "en-US", provider: null, voice: null, speed: null, pitch: null }],
      interruptible_by,
      hints: [],
    },
    soundAt: () => null,
    findsKeys: true,
    tell: (input) => told.push(input),
    report: (report) => reports.push(report),
    ended: (next) => told.push({ type: "fault", message: next.action }),
  });
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      await setImmediate();
      if (queue.length > 0) heard_ms += 20;
      if (typeof queue[0] !== "string") queue.shift();
      while (typeof queue[0] === "string") line.marked(queue.shift() as string);
      clock.advance(20);
    }
  };
  const say = (text: string, interruptible = true) =>
    line.send({ type: "say", text, last: true, lang: null, interruptible });
  return {
    line,
    told,
    reports,
    pass,
    say,
    jump: (ms: number) => clock.jump(ms),
    languages,
    hears: (heard: Heard) => ear(heard),
    heardMs: () => heard_ms,
  };
}

const started: Heard = { type: "speech_started", at_ms: 0 };
const stopped: Heard = { type: "speech_stopped", at_ms: 0 };
const final = (text: string): Heard => ({ type: "final", text });

test("words of a caller become an input once they are silent, with the reason in the trace", async () => {
  const { told, reports, pass, hears } = call();
  hears(started);
  hears({ type: "partial", text: "when are" });
  await pass(400);
  hears(stopped);
  hears(final("when are you open"));
  expect(told.at(-1)).toMatchObject({ type: "speech", final: false, text: "when are you open" });
  await pass(300);
  expect(told.at(-1)).toEqual({ type: "maybe_over", text: "when are you open" });
  await pass(200);
  expect(told.at(-1)).toEqual({ type: "speech", text: "when are you open", final: true, lang: "en-US" });
  expect(reports).toEqual([
    { type: "end_of_turn", text: "when are you open", silence_ms: 400, reason: "complete" },
  ]);
});

describe.each([
  ["back by an hour", -3_600_000],
  ["ahead by an hour", 3_600_000],
])("a clock that is set %s during a call", (_, ms) => {
  test("ends the caller's turn after the same silence, and tells the same latency", async () => {
    const { told, reports, pass, hears, say, jump } = call();
    say("Hello.");
    await pass(1000);
    hears(started);
    await pass(400);
    hears(stopped);
    hears(final("when are you open"));
    await pass(100);
    jump(ms);
    await pass(280);
    expect(told.at(-1)).toEqual({ type: "maybe_over", text: "when are you open" });
    await pass(60);
    expect(told.at(-1)).toMatchObject({ type: "speech", text: "when are you open", final: true });
    expect(reports.at(-1)).toMatchObject({ type: "end_of_turn", silence_ms: 400 });
    say("From eight to five.");
    await pass(100);
    expect(reports.at(-1)).toMatchObject({ type: "first_sound", mouth_to_ear_ms: 440 });
  });

  test("silences nothing of what the agent says", async () => {
    const { told, pass, say, jump, heardMs } = call();
    say("We are open from eight to five.");
    await pass(400);
    jump(ms);
    await pass(700);
    expect(told).toEqual([]);
    await pass(200);
    expect(told).toEqual([{ type: "played" }]);
    expect(heardMs()).toBe("We are open from eight to five.".length * 40);
  });
});

test("how long an answer takes is told from the caller's last voice to our first sound, once for each answer", async () => {
  const { reports, pass, hears, say } = call();
  say("Hello.");
  await pass(1000);
  hears(started);
  hears(stopped);
  hears(final("when are you open"));
  await pass(700);
  say("We are open from eight");
  await pass(100);
  say("to five.");
  await pass(2000);
  const of = (type: string) => reports.filter((report) => report.type === type);
  expect(of("first_sound")).toEqual([
    { type: "first_sound", making_ms: 0, mouth_to_ear_ms: null },
    { type: "first_sound", making_ms: 0, mouth_to_ear_ms: 700 },
  ]);
});

test("who is spoken over is told what was heard, before what was said", async () => {
  const { told, reports, pass, hears, say } = call();
  say("We are open from eight to five.");
  await pass(700);
  hears(started);
  await pass(100);
  hears({ type: "partial", text: "wait" });
  // A guess takes the turn once it has stood for a moment.
  expect(told).toEqual([]);
  await pass(300);
  expect(reports.at(-1)).toEqual({ type: "cut", heard: "We are open from eight" });
  expect(told).toEqual([
    { type: "interrupted", heard: "We are open from eight" },
    { type: "speech", text: "wait", final: false, lang: "en-US" },
  ]);
});

test("a cough stops our voice for a moment, and every word is still heard", async () => {
  const { told, reports, pass, hears, say, heardMs } = call();
  say("We are open from eight to five.");
  await pass(700);
  hears(started);
  await pass(200);
  hears(stopped);
  await pass(4000);
  expect(reports).toEqual([
    { type: "first_sound", making_ms: 0, mouth_to_ear_ms: null },
    { type: "held" },
    { type: "went_on", reason: "no-words" },
  ]);
  expect(told).toEqual([{ type: "played" }]);
  expect(heardMs()).toBeGreaterThanOrEqual("We are open from eight to five.".length * 40);
});

test("what may be interrupted by keys only is said to its end, whatever is said meanwhile", async () => {
  const { told, pass, hears, say } = call("dtmf_only");
  say("This call is recorded.");
  await pass(200);
  hears(started);
  hears(final("wait stop no"));
  hears(stopped);
  await pass(1200);
  expect(told.map(({ type }) => type)).toEqual(["played", "speech", "maybe_over", "speech"]);
});

test("a key in the audio is found, and stops us", async () => {
  const { line, told, pass, say } = call("dtmf_only");
  say("For English, press 1.");
  await pass(400);
  for (const frame of new Framer(RATE).push(keyTones("1", RATE))) line.hear(frame);
  expect(told.map(({ type }) => type)).toEqual(["interrupted", "digit"]);
});

test("another language is heard and spoken from the next word on", () => {
  const { line, languages } = call();
  line.send({ type: "language", lang: "es-US" });
  line.send({ type: "language", lang: "es-US" });
  expect(languages).toEqual(["en-US", "es-US"]);
});

test("after the line is closed nothing is told and nothing is said", async () => {
  const { line, told, pass, say, hears } = call();
  line.closed();
  line.closed();
  say("Hello?");
  hears(final("hello"));
  await pass(1000);
  expect(told).toEqual([{ type: "closed", heard: "" }]);
});

test("a line that is closed in the middle of our words tells what came out of them", async () => {
  const { line, told, pass, say } = call();
  say("We are open from eight to five.");
  say("On Saturdays from nine.");
  await pass(800);
  line.closed();
  expect(told).toEqual([{ type: "closed", heard: "We are open from eight" }]);
});
