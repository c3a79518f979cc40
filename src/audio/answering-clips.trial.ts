import { createRandom } from "../../test/harness/fuzz/random.ts";
import { decodeUlaw, encodeUlaw } from "./g711.ts";
import { amplify, join, mix } from "./level.ts";
import { noise, silence, specialInformationTone, tone } from "./tones.ts";
import type { WhoEvent } from "./who-answered.ts";

/*
 * How telephones sound when somebody, or something, picks up: made from a seed, each with what it is. Voices are a
 * throat's pulses through three resonances, in syllables; lines are µ-law with noise.
 */

export const CLIP_RATE = 8000;

export type Clip = {
  by: Extract<WhoEvent, { type: "answered" }>["by"];
  what: string;
  samples: Int16Array;
  /** When a person had said their first words. */
  said_ms?: number;
  beep_over_ms?: number;
};

type Random = (from: number, to: number) => number;

function randomFrom(seed: number): Random {
  const { next } = createRandom(seed);
  return (from, to) => from + next() * (to - from);
}

const VOWELS = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [300, 870, 2240],
  [530, 1840, 2480],
  [570, 840, 2410],
] as const;

/** One syllable: a pitch that falls, a vowel, and a hiss before it now and then. */
function syllable(random: Random, pitch_hz: number, ms: number): Int16Array {
  const vowel = VOWELS[Math.floor(random(0, VOWELS.length))] as (typeof VOWELS)[number];
  const length = Math.round((CLIP_RATE * ms) / 1000);
  const out = new Int16Array(length);
  const from = pitch_hz * random(0.9, 1.15);
  let phase = 0;
  for (let at = 0; at < length; at++) {
    const part = at / length;
    const pitch = from * (1 - 0.15 * part);
    phase += (2 * Math.PI * pitch) / CLIP_RATE;
    let sum = 0;
    for (let harmonic = 1; harmonic * pitch < 3400; harmonic++) {
      const hz = harmonic * pitch;
      const gain = vowel.reduce(
        (most, formant, n) => most + (1 - 0.25 * n) / (1 + ((hz - formant) / 110) ** 2),
        0.04,
      );
      sum += (gain / Math.sqrt(harmonic)) * Math.sin(harmonic * phase);
    }
    out[at] = Math.round(
      5000 * Math.sin(Math.PI * Math.min(1, part * 1.05)) ** 0.5 * Math.max(-6, Math.min(6, sum)),
    );
  }
  return out;
}

/** So much speech, with the short pauses that speech has. */
function speech(random: Random, ms: number, most_pause_ms: number): Int16Array {
  const pitch = random(95, 230);
  const pieces: Int16Array[] = [];
  let left = ms;
  while (left > 0) {
    const long = Math.min(left, random(110, 260));
    pieces.push(syllable(random, pitch, Math.max(60, long)));
    left -= long;
    const pause = random(0, 1) < 0.15 ? random(100, most_pause_ms) : random(0, 40);
    if (left > pause + 60) {
      pieces.push(silence(CLIP_RATE, pause));
      left -= pause;
    }
  }
  return join(pieces);
}

const ms_of = (samples: Int16Array) => (samples.length * 1000) / CLIP_RATE;

function overLine(random: Random, samples: Int16Array): Int16Array {
  const louder = amplify(samples, random(-12, 4));
  const hiss = noise(Math.floor(random(0, 2 ** 31)), {
    rate: CLIP_RATE,
    ms: ms_of(samples),
    level_db: random(-68, -52),
  });
  return decodeUlaw(encodeUlaw(mix(louder, hiss)));
}

/** So many of each kind. */
export function answeringClips(seed: number, each: number): Clip[] {
  const random = randomFrom(seed);
  const quiet = (from: number, to: number) => silence(CLIP_RATE, random(from, to));
  const kinds: (() => Clip)[] = [
    () => {
      const before = quiet(100, 1500);
      const words = speech(random, random(300, 2000), 250);
      const samples = overLine(random, join([before, words, quiet(3000, 4000)]));
      return {
        by: "human",
        what: `${Math.round(ms_of(words))} ms of words`,
        samples,
        said_ms: ms_of(before) + ms_of(words),
      };
    },
    () => {
      const greeting = join([quiet(200, 1500), speech(random, random(3500, 8000), 450), quiet(100, 900)]);
      const hz = random(420, 2050);
      const sound = tone(hz, { rate: CLIP_RATE, ms: random(200, 900), level_db: random(-20, -10) });
      const samples = overLine(random, join([greeting, sound, quiet(2000, 3000)]));
      return {
        by: "voicemail",
        what: `beep of ${Math.round(hz)} Hz`,
        samples,
        beep_over_ms: ms_of(greeting) + ms_of(sound),
      };
    },
    () => {
      const samples = join([
        quiet(0, 1000),
        specialInformationTone(CLIP_RATE),
        speech(random, random(2000, 5000), 400),
      ]);
      return { by: "unavailable", what: "three tones", samples: overLine(random, samples) };
    },
    () => {
      const called = random(0, 1) < 0.5;
      const sound = { rate: CLIP_RATE, ms: called ? random(2600, 4000) : 500, level_db: random(-20, -10) };
      const samples = join([quiet(200, 1500), tone(called ? 2100 : 1100, sound), quiet(2000, 3000)]);
      return {
        by: "fax",
        what: called ? "of the called" : "of the caller",
        samples: overLine(random, samples),
      };
    },
    () => ({ by: "silence", what: "nobody speaks", samples: overLine(random, quiet(4000, 6000)) }),
  ];
  return kinds.flatMap((make) => Array.from({ length: each }, make));
}
