/** How loud, in dB below a square wave of full scale (dBFS); silence is -Infinity. */
export function level_dbfs(samples: Int16Array): number {
  if (samples.length === 0) return Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / samples.length / 32_768 ** 2);
}

/** Louder or quieter; what would be too loud is cut. */
export function amplify(samples: Int16Array, by_db: number): Int16Array {
  const factor = 10 ** (by_db / 20);
  return samples.map((sample) => clip(sample * factor));
}

/** Both at once, as long as the longer. */
export function mix(a: Int16Array, b: Int16Array): Int16Array {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  const mixed = Int16Array.from(long);
  for (let at = 0; at < short.length; at++) mixed[at] = clip((long[at] as number) + (short[at] as number));
  return mixed;
}

/** A beginning in the middle of a wave is heard as a click: the first samples rise from silence. */
export function fadeIn(samples: Int16Array, length: number): Int16Array {
  const count = Math.min(length, samples.length);
  return samples.map((sample, at) => (at >= count ? sample : Math.round((sample * at) / count)));
}

/** What is quieter is silence. */
const SILENT_DBFS = -50;
/** So much of it stays on each side, for the softest beginning of a word. */
const KEPT_SILENCE_MS = 20;

/**
 * Without the silence at both ends: a voice that is made begins with up to 300 ms of it, which a caller hears as a slow
 * answer.
 */
export function trimSilence(
  samples: Int16Array,
  rate: number,
): { samples: Int16Array; trimmed_start: number } {
  const step = Math.round(rate / 100);
  const keep = Math.round((rate * KEPT_SILENCE_MS) / 1000);
  const isLoud = (from: number) => level_dbfs(samples.subarray(from, from + step)) > SILENT_DBFS;
  let first = 0;
  while (first < samples.length && !isLoud(first)) first += step;
  let last = samples.length;
  while (last > first && !isLoud(Math.max(0, last - step))) last -= step;
  const start = Math.max(0, Math.min(first, samples.length) - keep);
  return { samples: samples.slice(start, Math.min(samples.length, last + keep)), trimmed_start: start };
}

export function join(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function clip(value: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(value)));
}
