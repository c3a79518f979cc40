import fc from "fast-check";
import { expect, test } from "vitest";
import { Framer } from "../../audio/frames.ts";
import { join, mix } from "../../audio/level.ts";
import { noise, silence, tone } from "../../audio/tones.ts";
import { VoiceEnd } from "./voice-end.ts";

const RATE = 16_000;

/** 500 ms of silence, 600 ms of a voice, and what follows. */
function heard(after_ms: number, background: Int16Array | null = null): VoiceEnd {
  const voice = tone(300, { rate: RATE, ms: 600 });
  const clean = join([silence(RATE, 500), voice, silence(RATE, after_ms)]);
  const end = new VoiceEnd();
  let at = 0;
  for (const frame of new Framer(RATE).push(background ? mix(clean, background) : clean)) {
    at += 20;
    end.push(frame, at);
    if (at === 600) end.begin();
  }
  return end;
}

test("a voice that was noticed to end late ended with its last sound", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 11 }), (frames) => {
      expect(heard(400).endBefore(1100 + 20 * frames)).toBe(1100);
    }),
  );
});

test("in a loud room the end is where voice detection tells it, and never later", () => {
  const room = noise(1, { rate: RATE, ms: 1500, level_db: -30 });
  expect(heard(400, room).endBefore(1260)).toBe(1260);
});

test("where no sound is known any more, the end is where voice detection tells it", () => {
  expect(heard(900).endBefore(1900)).toBe(1900);
});
