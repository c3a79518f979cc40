import { amplify, join, mix } from "./level.ts";

/*
 * Tones made and found again: keys (DTMF, ITU-T Q.23), the beep of a voicemail, fax and special information tones.
 */

type ToneShape = { rate: number; ms: number; level_db?: number };

/** A sine; 0 dB is full scale. */
export function tone(frequency_hz: number, { rate, ms, level_db = -10 }: ToneShape): Int16Array {
  const peak = 32_767 * 10 ** (level_db / 20);
  const turn = (2 * Math.PI * frequency_hz) / rate;
  return Int16Array.from({ length: Math.round((rate * ms) / 1000) }, (_, at) =>
    Math.round(peak * Math.sin(turn * at)),
  );
}

export const silence = (rate: number, ms: number): Int16Array =>
  new Int16Array(Math.round((rate * ms) / 1000));

/** Row and column of each key, in Hz. */
const KEYS: Record<string, [number, number]> = {
  "1": [697, 1209],
  "2": [697, 1336],
  "3": [697, 1477],
  "4": [770, 1209],
  "5": [770, 1336],
  "6": [770, 1477],
  "7": [852, 1209],
  "8": [852, 1336],
  "9": [852, 1477],
  "*": [941, 1209],
  "0": [941, 1336],
  "#": [941, 1477],
};
const ROWS = [697, 770, 852, 941];
const COLUMNS = [1209, 1336, 1477];

/** A key and the pause after it (Q.24: at least 40 ms each; exchanges want more). `w` waits half a second. */
const KEY_MS = 100;
const PAUSE_MS = 60;
const WAIT_MS = 500;

/** Keys as they sound on the line; what is no key is left out. */
export function keyTones(keys: string, rate: number): Int16Array {
  const pieces = [...keys].flatMap((key) => {
    if (key === "w") return [silence(rate, WAIT_MS)];
    const pair = KEYS[key];
    if (!pair) return [];
    const sound = { rate, ms: KEY_MS, level_db: -12 };
    return [mix(tone(pair[0], sound), tone(pair[1], sound)), silence(rate, PAUSE_MS)];
  });
  return join(pieces);
}

/** How much of these samples' power is at this frequency: 1 for a pure tone, near 0 for speech and noise. */
export function shareOfTone(samples: Int16Array, frequency_hz: number, rate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency_hz) / rate);
  let last = 0;
  let before = 0;
  let power = 0;
  for (const sample of samples) {
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
    power += sample * sample;
  }
  if (power === 0) return 0;
  const found = last * last + before * before - coefficient * last * before;
  return (2 * found) / (samples.length * power);
}

/** A frame of a key's sound holds both its tones and little else. */
const KEY_SHARE = 0.85;
/** One tone is no more than so much louder than the other (Q.24, twist: 8 dB; lines add to it). */
const KEY_TWIST = 10;
const QUIETEST_POWER = 60 ** 2;

/** The key that sounds in these samples (20 ms or more); null: none. */
export function keyIn(samples: Int16Array, rate: number): string | null {
  let power = 0;
  for (const sample of samples) power += sample * sample;
  if (power < QUIETEST_POWER * samples.length) return null;
  const row = loudest(samples, ROWS, rate);
  const column = loudest(samples, COLUMNS, rate);
  if (row.share + column.share < KEY_SHARE) return null;
  const ratio = row.share / column.share;
  if (ratio > KEY_TWIST || ratio < 1 / KEY_TWIST) return null;
  const found = Object.entries(KEYS).find(
    ([, pair]) => pair[0] === row.frequency && pair[1] === column.frequency,
  );
  return found?.[0] ?? null;
}

function loudest(
  samples: Int16Array,
  frequencies: number[],
  rate: number,
): { frequency: number; share: number } {
  return frequencies
    .map((frequency) => ({ frequency, share: shareOfTone(samples, frequency, rate) }))
    .reduce((most, other) => (other.share > most.share ? other : most));
}

/** Finds keys in audio that comes frame by frame: a key counts once, after two frames of it. */
export class KeyListener {
  readonly #rate: number;
  #sounding: string | null = null;
  #frames = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** A frame of 20 ms; the key that was pressed, when it is known to be one. */
  push(frame: Int16Array): string | null {
    const key = keyIn(frame, this.#rate);
    if (key !== this.#sounding) {
      this.#sounding = key;
      this.#frames = 0;
    }
    if (key === null) return null;
    return ++this.#frames === 2 ? key : null;
  }
}

/** A voicemail's beep: one steady tone of 400–2,100 Hz for 200 ms or more, then silence. */
export const beep = (rate: number): Int16Array => tone(1000, { rate, ms: 400, level_db: -12 });

/** Fax: CNG of the caller, CED of the called (ITU-T T.30). */
export const FAX_HZ = [1100, 2100] as const;

/** Before "the number you have dialled": three rising tones (ITU-T E.180/Q.35). */
export function specialInformationTone(rate: number): Int16Array {
  return join([950, 1400, 1800].map((frequency) => tone(frequency, { rate, ms: 330, level_db: -14 })));
}

/** Noise of a kind, the same from the same seed; the level is that of `level_dbfs`. */
export function noise(seed: number, { rate, ms, level_db = -40 }: ToneShape): Int16Array {
  let state = seed >>> 0;
  const samples = Int16Array.from({ length: Math.round((rate * ms) / 1000) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round((state / 2 ** 31 - 1) * 16_384);
  });
  // Evenly spread between -a and a: its level is 20·log10(a/√3).
  return amplify(samples, level_db - 20 * Math.log10(0.5 / Math.sqrt(3)));
}
