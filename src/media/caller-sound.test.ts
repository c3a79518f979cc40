import { describe, expect, test } from "vitest";
import { processorMs } from "../../test/harness/processor-time.ts";
import { FRAME_MS, Framer } from "../audio/frames.ts";
import { mix } from "../audio/level.ts";
import { noise, silence, tone } from "../audio/tones.ts";
import { CallerSound } from "./caller-sound.ts";

/** What a microphone hears, frame by frame. `voice`: an engine judges it to be one, 100 ms late. */
function hear(sound: CallerSound, rate: number, samples: Int16Array, voice = false): void {
  const late = 100 / FRAME_MS;
  for (const [at, frame] of new Framer(rate).push(samples).entries()) {
    sound.push(frame);
    if (voice && at === late) sound.voice(true);
  }
  if (voice) sound.voice(false);
}

/** Something like a voice: a low sound with high ones on it. */
const spoken = (rate: number, level_db: number, ms = 800) =>
  mix(tone(180, { rate, ms, level_db }), tone(2200, { rate, ms, level_db: level_db - 6 }));
const hummed = (rate: number, level_db: number, ms = 800) => tone(140, { rate, ms, level_db });

describe.each([8000, 16_000])("at %i samples a second", (rate) => {
  test("something stirs once it is louder than the room, and a loud room is no stir for ever", () => {
    const sound = new CallerSound(rate);
    hear(sound, rate, silence(rate, 500));
    expect(sound.state.stirs).toBe(false);
    hear(sound, rate, spoken(rate, -20, 40));
    expect(sound.state.stirs).toBe(true);
    hear(sound, rate, silence(rate, 40));
    expect(sound.state.stirs).toBe(false);
    // A fan that is switched on: its level becomes the room's.
    hear(sound, rate, noise(1, { rate, ms: 10_000, level_db: -35 }));
    expect(sound.state.stirs).toBe(false);
  });

  test("a voice far below the caller's own is far; nobody is before the caller has spoken", () => {
    const sound = new CallerSound(rate);
    hear(sound, rate, silence(rate, 300));
    hear(sound, rate, spoken(rate, -40), true);
    expect(sound.state.far).toBe(false);
    hear(sound, rate, spoken(rate, -15), true);
    sound.isCallers();
    expect(sound.state.far).toBe(false);
    hear(sound, rate, silence(rate, 300));
    hear(sound, rate, spoken(rate, -30), true);
    expect(sound.state.far).toBe(true);
    hear(sound, rate, silence(rate, 300));
    // A little lower is still the caller.
    hear(sound, rate, spoken(rate, -19), true);
    expect(sound.state.far).toBe(false);
  });

  test("a caller's short word is not far, however long they are silent after it, and however late its end is told", () => {
    const sound = new CallerSound(rate);
    hear(sound, rate, silence(rate, 300));
    hear(sound, rate, spoken(rate, -15), true);
    sound.isCallers();
    hear(sound, rate, silence(rate, 1_000));
    hear(sound, rate, spoken(rate, -15, 300), true);
    hear(sound, rate, silence(rate, 5_000));
    expect(sound.state.far).toBe(false);
    for (const frame of new Framer(rate).push(spoken(rate, -15, 300))) sound.push(frame);
    sound.voice(true);
    hear(sound, rate, silence(rate, 1_500));
    sound.voice(false, 1_500);
    expect(sound.state.far).toBe(false);
    // What they say is learned from their words alone.
    sound.isCallers();
    hear(sound, rate, spoken(rate, -25), true);
    expect(sound.state.far).toBe(true);
  });

  test("minutes of a voice that doesn't end, and of silence after it, cost no more than as many at first", () => {
    const sound = new CallerSound(rate);
    const minutes = (frame: Int16Array) => {
      for (let at = 0; at < 2 * 60_000; at += FRAME_MS) sound.push(frame);
    };
    // Some 0.7 s; where all frames of a voice were looked at with each, it was minutes.
    const spent = processorMs(() => {
      sound.voice(true);
      minutes(spoken(rate, -20, FRAME_MS));
      sound.voice(false);
      minutes(silence(rate, FRAME_MS));
    });
    expect(spent).toBeLessThan(20_000);
  });

  test("a hum has nothing high; words after it make it none", () => {
    const sound = new CallerSound(rate);
    hear(sound, rate, silence(rate, 300));
    hear(sound, rate, hummed(rate, -20), true);
    expect(sound.state.hums).toBe(true);
    hear(sound, rate, silence(rate, 2_000));
    expect(sound.state.hums).toBe(true);
    hear(sound, rate, Int16Array.of(...hummed(rate, -20), ...spoken(rate, -20)), true);
    expect(sound.state.hums).toBe(false);
  });

  test("tells of a change once", () => {
    const sound = new CallerSound(rate);
    const [quiet, loud] = [silence(rate, FRAME_MS), spoken(rate, -20, FRAME_MS)];
    expect([quiet, quiet, loud, loud, quiet].map((frame) => sound.push(frame))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });
});
