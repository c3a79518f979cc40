/*
 * From one sample rate to another: a windowed sinc (Kaiser), one set of coefficients for each phase. It keeps what it
 * needs of the past, so that audio resampled piece by piece is the same, sample by sample, as resampled at once: no pops
 * at the borders.
 */

/** Zero crossings on each side: with this window 70 dB and more beyond the passband, for 2 ms of delay at 8 kHz. */
const CROSSINGS = 16;
const KAISER_BETA = 8;
/** The passband ends this far below half of the lower rate; speech has little there. */
const ROLLOFF = 0.92;

type Phases = { up: number; down: number; half: number; coefficients: Float64Array[] };
const known = new Map<string, Phases>();

export class Resampler {
  readonly #phases: Phases;
  /** The past, from sample `#first` on; what lies before the beginning is silence. */
  #kept: Float64Array;
  #first: number;
  /** Samples that came in, and went out. */
  #in = 0;
  #out = 0;

  /** Rates in Hz, whole numbers. */
  constructor(from: number, to: number) {
    this.#phases = phasesOf(from, to);
    this.#kept = new Float64Array(this.#phases.half);
    this.#first = -this.#phases.half;
  }

  /** What is ready after these samples; the last milliseconds wait for the next. */
  push(samples: Int16Array): Int16Array {
    this.#in += samples.length;
    this.#keep(samples);
    return this.#take(this.#in - this.#phases.half);
  }

  /** The rest, once no more will come. */
  flush(): Int16Array {
    const { half } = this.#phases;
    this.#keep(new Int16Array(half));
    return this.#take(this.#in);
  }

  #keep(samples: Int16Array): void {
    const kept = new Float64Array(this.#kept.length + samples.length);
    kept.set(this.#kept);
    kept.set(samples, this.#kept.length);
    this.#kept = kept;
  }

  /** Output for every moment before input sample `end`. */
  #take(end: number): Int16Array {
    const { up, down, half, coefficients } = this.#phases;
    const count = Math.max(0, Math.ceil((end * up) / down) - this.#out);
    const out = new Int16Array(count);
    for (let at = 0; at < count; at++) {
      const position = (this.#out + at) * down;
      const centre = Math.floor(position / up);
      const weights = coefficients[position % up] as Float64Array;
      const from = centre - half + 1 - this.#first;
      let sum = 0;
      for (let tap = 0; tap < weights.length; tap++) {
        sum += (weights[tap] as number) * (this.#kept[from + tap] as number);
      }
      out[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    this.#out += count;
    const needed = Math.floor((this.#out * down) / up) - half + 1;
    this.#kept = this.#kept.slice(Math.max(0, needed - this.#first));
    this.#first = Math.max(this.#first, needed);
    return out;
  }
}

/** All at once. */
export function resample(samples: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return samples;
  const resampler = new Resampler(from, to);
  const first = resampler.push(samples);
  const rest = resampler.flush();
  const all = new Int16Array(first.length + rest.length);
  all.set(first);
  all.set(rest, first.length);
  return all;
}

function phasesOf(from: number, to: number): Phases {
  const key = `${from}:${to}`;
  const made = known.get(key);
  if (made) return made;
  const divisor = greatestCommonDivisor(from, to);
  const up = to / divisor;
  const down = from / divisor;
  const band = from === to ? 1 : Math.min(1, to / from) * ROLLOFF;
  const half = Math.ceil(CROSSINGS / band);
  const coefficients = Array.from({ length: up }, (_, phase) => {
    const weights = Float64Array.from({ length: 2 * half }, (_, tap) => {
      const distance = phase / up - (tap - half + 1);
      return sinc(band * distance) * kaiser(distance / half);
    });
    // Every phase passes a level unchanged.
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
  const phases = { up, down, half, coefficients };
  known.set(key, phases);
  return phases;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) > 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified, of the first kind and order zero. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
