import { expect, test } from "vitest";
import { SEED } from "../../test/harness/seed.ts";
import { answeringClips, CLIP_RATE, type Clip } from "./answering-clips.trial.ts";
import { noise, silence, tone } from "./tones.ts";
import { WhoAnswered, type WhoEvent } from "./who-answered.ts";

const FRAME = CLIP_RATE / 50;

/** What is told of a clip, and at which millisecond of it. */
function listen(samples: Int16Array): (WhoEvent & { at_ms: number })[] {
  const who = new WhoAnswered(CLIP_RATE);
  const told: (WhoEvent & { at_ms: number })[] = [];
  for (let at = 0; at + FRAME <= samples.length; at += FRAME)
    for (const event of who.push(samples.subarray(at, at + FRAME)))
      told.push({ ...event, at_ms: (at + FRAME) / 8 });
  return told;
}

/** The last word on it. */
const verdict = (clip: Clip) =>
  listen(clip.samples)
    .flatMap((event) => (event.type === "answered" ? [event.by] : []))
    .at(-1);

const clips = answeringClips(SEED, 70);

test(`97 of 100 labelled clips are told right (${clips.length} clips, seed ${SEED})`, () => {
  expect(clips.length).toBeGreaterThanOrEqual(300);
  const wrong = clips.flatMap((clip) => {
    const by = verdict(clip);
    return by === clip.by ? [] : [`${clip.by}: ${clip.what}, told ${by}`];
  });
  expect(wrong.length / clips.length, wrong.join("\n")).toBeLessThanOrEqual(0.03);
});

test("a person is known within 1.5 seconds of their last word, 95 times of 100", () => {
  const waits = clips
    .filter(({ by }) => by === "human")
    .map(
      ({ samples, said_ms = 0 }) =>
        (listen(samples).find(({ type }) => type === "answered")?.at_ms ?? Infinity) - said_ms,
    )
    .sort((one, other) => one - other);
  expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThanOrEqual(1500);
});

test("a beep is told within half a second of its end, and never before", () => {
  const machines = clips.filter(({ by }) => by === "voicemail");
  const late = machines.map(({ samples, beep_over_ms = 0 }) => {
    const beeps = listen(samples).filter(({ type }) => type === "beep");
    return beeps.length === 1 ? (beeps[0]?.at_ms ?? 0) - beep_over_ms : Number.NaN;
  });
  for (const ms of late.filter((found) => !Number.isNaN(found))) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThanOrEqual(500);
  }
  expect(late.filter(Number.isNaN).length / machines.length).toBeLessThanOrEqual(0.03);
});

test("noise, a key and a fax's tone are no beep, and nobody is not somebody", () => {
  expect(listen(silence(CLIP_RATE, 6000))).toMatchObject([{ by: "silence", at_ms: 3500 }]);
  const line = noise(7, { rate: CLIP_RATE, ms: 6000, level_db: -45 });
  expect(listen(line).map((event) => event.type === "answered" && event.by)).toEqual(["silence"]);
  const fax = listen(tone(2100, { rate: CLIP_RATE, ms: 3000 }));
  expect(fax.map((event) => event.type === "answered" && event.by)).toEqual(["fax"]);
});
