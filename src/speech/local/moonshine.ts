import { HEARING_RATE } from "../hearing.ts";

/** A word that ends with the audio is heard better with some silence behind it. */
const TAIL = 0.2 * HEARING_RATE;
/** So much before the first word now and then makes it hear nothing. */
const LEAD = 0.4 * HEARING_RATE;

/** `hear`: the model. What it takes for silence is tried again with less before it, and then as it is. */
export async function hearByMoonshine(
  hear: (samples: Float32Array) => Promise<string>,
  samples: Float32Array,
): Promise<string> {
  const heard =
    (await hear(withTail(samples))) ||
    (await hear(withTail(samples.subarray(LEAD)))) ||
    (await hear(samples));
  // It writes a comma where somebody has ended as often as where they go on.
  return heard.replace(/[\s,;:–—-]+$/, "");
}

function withTail(samples: Float32Array): Float32Array {
  const longer = new Float32Array(samples.length + TAIL);
  longer.set(samples);
  return longer;
}
