import { FRAME_MS, Framer } from "../audio/frames.ts";
import { amplify, join, level_dbfs, mix } from "../audio/level.ts";
import { beep, noise, silence } from "../audio/tones.ts";
import type { Speaking } from "../speech/speaking.ts";
import { chance } from "./random.ts";

/*
 * What a caller's microphone picks up, made from a voice: noise, pauses, coughs, a poor network, a mailbox. The same seed
 * gives the same samples.
 */

type Seeded = { rate: number; seed: number };

/** A text as this voice says it, at the rate of the engine. */
export async function spokenText(
  mouth: Speaking,
  text: string,
  { voice = "rms", speed = null }: { voice?: string; speed?: number | null } = {},
): Promise<Int16Array> {
  const pieces: Int16Array[] = [];
  const utterance = { text, language: "en-US", voice, speed };
  for await (const { samples } of mouth.speak(utterance, new AbortController().signal)) pieces.push(samples);
  return join(pieces);
}

/** The voice with pauses in the middle of what it says. */
export function pausing(parts: readonly Int16Array[], pause_ms: number, rate: number): Int16Array {
  return join(parts.flatMap((part, at) => (at === 0 ? [part] : [silence(rate, pause_ms), part])));
}

/** What a room sounds like behind a voice: a fan's rush, mains hum, or people who talk over each other. */
export type RoomNoise =
  | { kind: "rush" }
  | { kind: "hum" }
  | { kind: "babble"; voices: readonly Int16Array[] };

/** The voice in a room, the noise `snr_db` below it. */
export function inRoom(
  voice: Int16Array,
  room: RoomNoise,
  { rate, seed, snr_db }: Seeded & { snr_db: number },
): Int16Array {
  const background = roomNoise(room, voice.length, { rate, seed });
  const wanted_db = level_dbfs(voice) - snr_db;
  const louder_db = wanted_db - level_dbfs(background);
  return Number.isFinite(louder_db) ? mix(voice, amplify(background, louder_db)) : voice;
}

function roomNoise(room: RoomNoise, length: number, { rate, seed }: Seeded): Int16Array {
  const ms = (length / rate) * 1000;
  if (room.kind === "rush") return noise(seed, { rate, ms }).subarray(0, length);
  if (room.kind === "hum") {
    const turn = (2 * Math.PI * 100) / rate;
    return Int16Array.from({ length }, (_, at) =>
      Math.round(3000 * Math.sin(turn * at) + 900 * Math.sin(3 * turn * at)),
    );
  }
  return room.voices.reduce((all, voice, index) => {
    if (voice.length === 0) return all;
    const from = Math.floor(chance(seed, "babble", index) * voice.length);
    const looped = Int16Array.from({ length }, (_, at) => voice[(from + at) % voice.length] as number);
    return mix(all, amplify(looped, -6));
  }, new Int16Array(length));
}

/** Two bursts of breath that die away, a little of a voice in each. */
export function cough(voice: Int16Array, { rate, seed }: Seeded): Int16Array {
  const burst = noise(seed, { rate, ms: 220, level_db: -18 });
  const dying = (samples: Int16Array) =>
    samples.map((sample, at) => Math.round(sample * Math.exp(-at / (rate * 0.06))));
  const breath = join([dying(burst), dying(amplify(burst, -3))]);
  return mix(breath, amplify(voice.subarray(0, rate / 10), -12));
}

/** "Mm-hm" with a closed mouth: two hums, the second higher. A voice made of text would spell the letters. */
export function hum({ rate, seed }: Seeded): Int16Array {
  const low_hz = 100 + 60 * chance(seed, "hum");
  const one = (pitch_hz: number, ms: number) =>
    Int16Array.from({ length: Math.round((rate * ms) / 1000) }, (_, at) => {
      const swell = Math.sin((Math.PI * at * 1000) / (rate * ms));
      const turn = (2 * Math.PI * pitch_hz * at) / rate;
      const sum = [1, 2, 3, 4, 5].reduce((all, k) => all + Math.sin(k * turn) / k ** 1.5, 0);
      return Math.round(3500 * swell * sum);
    });
  return join([one(low_hz, 180), silence(rate, 50), one(low_hz * 1.2, 240)]);
}

/** A door: loud at once, and gone. */
export function slam({ rate, seed }: Seeded): Int16Array {
  const bang = noise(seed, { rate, ms: 150, level_db: -12 });
  return bang.map((sample, at) => Math.round(sample * Math.exp(-at / (rate * 0.02))));
}

/**
 * As a receiver without a jitter buffer hears it: a lost frame is silence, and a late one arrives in the place of the
 * frame after it, which is then lost.
 */
export function overNetwork(
  samples: Int16Array,
  { rate, seed, loss, late }: Seeded & { loss: number; late: number },
): Int16Array {
  const frames = new Framer(rate).push(samples);
  const nothing = silence(rate, FRAME_MS);
  let waiting: Int16Array | null = null;
  return join(
    frames.map((frame, at) => {
      if (waiting) {
        const arrived = waiting;
        waiting = null;
        return arrived;
      }
      if (chance(seed, "lost", at) < loss) return nothing;
      if (chance(seed, "late", at) >= late) return frame;
      waiting = frame;
      return nothing;
    }),
  );
}

/** A mailbox: its announcement, a moment, the beep; then it records. `beep_ends` counts in samples. */
export function mailbox(announcement: Int16Array, rate: number): { samples: Int16Array; beep_ends: number } {
  const said = join([announcement, silence(rate, 400), beep(rate)]);
  return { samples: join([said, silence(rate, 300)]), beep_ends: said.length };
}
