import { expect, test } from "vitest";
import { tone } from "../audio/tones.ts";
import { type Ear, HEARING_RATE, type Heard, type Hearing } from "../speech/hearing.ts";
import { hearingChain } from "../speech/streaming/hearing-chain.ts";
import { LineEars } from "./line-ears.ts";

const FRAME_MS = 20;
const SILENCE = new Int16Array((HEARING_RATE * FRAME_MS) / 1000);
const VOICE = tone(300, { rate: HEARING_RATE, ms: FRAME_MS });

/** Whoever is loud speaks. Goes deaf after so much audio. */
const loudness = (deaf_after_ms: number): Hearing => ({
  name: "loudness",
  open(_listening, tell) {
    let at_ms = 0;
    let speaks = false;
    return {
      push(frame) {
        at_ms += FRAME_MS;
        if (at_ms > deaf_after_ms) return tell({ type: "fault", message: "deaf" });
        const isLoud = frame.some((sample) => Math.abs(sample) > 2000);
        if (isLoud !== speaks) tell({ type: isLoud ? "speech_started" : "speech_stopped", at_ms });
        speaks = isLoud;
      },
      close() {},
    };
  },
});

function listen(deaf_after_ms: number) {
  const told: { type: string; ago_ms: number }[] = [];
  const notes: string[] = [];
  const hearing = hearingChain([loudness(deaf_after_ms), loudness(Infinity)], (note) => notes.push(note));
  const ears = new LineEars({
    hearing,
    detection: null,
    expected: [],
    rate: HEARING_RATE,
    told: ({ type }, ago_ms) => told.push({ type, ago_ms }),
  });
  ears.listenFor("en-US");
  const push = (frame: Int16Array, ms: number) => {
    for (let at = 0; at < ms; at += FRAME_MS) ears.push(frame);
  };
  return { told, notes, push };
}

test("a voice begins and ends at its own moment, also where another engine has taken over in the call", () => {
  const { told, notes, push } = listen(5000);
  push(SILENCE, 12_000);
  expect(notes).toHaveLength(2);
  push(VOICE, 1000);
  push(SILENCE, 1000);
  expect(told).toEqual([
    { type: "speech_started", ago_ms: 0 },
    { type: "speech_stopped", ago_ms: 0 },
  ]);
});

test("what was said before another engine took over is as long ago as it was said", () => {
  const { told, push } = listen(5000);
  push(SILENCE, 4500);
  push(VOICE, 300);
  push(SILENCE, 300);
  // The next engine hears all again that is not understood yet, at once.
  expect(told).toEqual([
    { type: "speech_started", ago_ms: 0 },
    { type: "speech_stopped", ago_ms: 0 },
    { type: "speech_started", ago_ms: 500 },
    { type: "speech_stopped", ago_ms: 200 },
  ]);
});

test("another language closes what listened; the ears that open hear the line at their rate, and count from then", () => {
  const rate = 8000;
  const seen: string[] = [];
  const samples: Record<string, number> = {};
  const tells: ((heard: Heard) => void)[] = [];
  const ear = (name: string, tell: (heard: Heard) => void): Ear => {
    tells.push(tell);
    return {
      push(frame) {
        samples[name] = (samples[name] ?? 0) + frame.length;
      },
      endTurn: () => seen.push(`${name}: turn`),
      close: () => seen.push(`${name}: closed`),
    };
  };
  const told: number[] = [];
  const ears = new LineEars({
    hearing: {
      name: "plain",
      open: ({ language, expected }, tell) => ear([language, ...expected].join(" "), tell),
    },
    detection: (tell) => ear("voices", tell),
    expected: ["Parley"],
    rate,
    told: (_heard, ago_ms) => told.push(ago_ms),
  });
  const push = (ms: number) => {
    for (let at = 0; at < ms; at += FRAME_MS) ears.push(new Int16Array((rate * FRAME_MS) / 1000));
  };
  ears.listenFor("en-US");
  push(400);
  ears.endTurn();
  ears.listenFor("fr-FR");
  push(300);
  for (const tell of tells.slice(2)) tell({ type: "speech_started", at_ms: 100 });
  tells.at(-1)?.({ type: "fault", message: "deaf" });
  expect(seen).toEqual(["en-US Parley: turn", "voices: turn", "en-US Parley: closed", "voices: closed"]);
  expect(samples.voices).toBe((samples["en-US Parley"] ?? 0) + (samples["fr-FR Parley"] ?? 0));
  expect(samples["fr-FR Parley"]).toBe((300 * HEARING_RATE) / 1000);
  expect(told).toEqual([200, 200, 0]);
});

test("the last engine is opened again and again, and a voice it heard begin has ended when none hears any more", () => {
  const told: string[] = [];
  const notes: string[] = [];
  let opened = 0;
  let closed = 0;
  /** Fails over a voice of so many frames, also while it hears again what was kept. */
  const engine: Hearing = {
    name: "fragile",
    open(listening, tell) {
      const ear = loudness(Infinity).open(listening, tell);
      let loud = 0;
      opened++;
      return {
        push(frame) {
          if (frame === VOICE && ++loud === 10) return tell({ type: "fault", message: "deaf" });
          ear.push(frame);
        },
        close() {
          closed++;
        },
      };
    },
  };
  const ear = hearingChain([engine], (note) => notes.push(note)).open(
    { language: "en-US", expected: [] },
    (heard) => told.push(heard.type === "fault" ? heard.message : heard.type),
  );
  for (let n = 0; n < 9; n++) ear.push(VOICE);
  expect([opened, told]).toEqual([1, ["speech_started"]]);
  for (let n = 0; n < 50; n++) ear.push(VOICE);
  expect([opened, closed, notes.length]).toEqual([6, 6, 5]);
  expect(told).toEqual(["speech_started", "speech_stopped", "deaf. Nothing else hears on this line."]);
});

test("an ear that can't be opened at once is one try of its engine, and the line keeps the one that works", () => {
  let opened = 0;
  const heard: string[] = [];
  const late: Hearing = {
    name: "late",
    open(listening, tell) {
      if (++opened < 4) tell({ type: "fault", message: "not yet" });
      return loudness(Infinity).open(listening, tell);
    },
  };
  const ear = hearingChain([late], () => {}).open({ language: "en-US", expected: [] }, ({ type }) =>
    heard.push(type),
  );
  ear.push(VOICE);
  ear.push(SILENCE);
  expect([opened, heard]).toEqual([4, ["speech_started", "speech_stopped"]]);
});
