/** A frame is 20 ms, as telephones send it. */
export const FRAME_MS = 20;

export const frameLength = (rate: number): number => (rate * FRAME_MS) / 1000;

/** Samples that come in pieces of any size, given out in frames. */
export class Framer {
  readonly #length: number;
  #rest = new Int16Array(0);

  constructor(rate: number) {
    this.#length = frameLength(rate);
  }

  push(samples: Int16Array): Int16Array[] {
    const all = new Int16Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    const frames: Int16Array[] = [];
    let at = 0;
    for (; at + this.#length <= all.length; at += this.#length) frames.push(all.slice(at, at + this.#length));
    this.#rest = all.slice(at);
    return frames;
  }

  /** The last frame, filled up with silence; null where nothing is left. */
  flush(): Int16Array | null {
    if (this.#rest.length === 0) return null;
    const frame = new Int16Array(this.#length);
    frame.set(this.#rest);
    this.#rest = new Int16Array(0);
    return frame;
  }
}

/** 16-bit samples as they travel, little-endian; a byte too many is dropped. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, at) => view.getInt16(at * 2, true));
}

export function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [at, sample] of samples.entries()) bytes.writeInt16LE(sample, at * 2);
  return bytes;
}
