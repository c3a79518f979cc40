import { bytesOf, Framer, samplesOf } from "./frames.ts";
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from "./g711.ts";
import { Resampler } from "./resample.ts";

/** How a carrier codes the samples of a line, one channel. `linear` is 16 bits, little-endian. */
export type LineCodec = { encoding: "ulaw" | "alaw" | "linear"; rate: number };

export const bytesOfSample = ({ encoding }: LineCodec): number => (encoding === "linear" ? 2 : 1);

export const bytesPerSecond = (codec: LineCodec): number => codec.rate * bytesOfSample(codec);

export const isSameCodec = (one: LineCodec, other: LineCodec): boolean =>
  one.encoding === other.encoding && one.rate === other.rate;

/** Both codes of G.711 have a positive zero; a byte of 0 would be their loudest sample. */
export const SILENT_BYTE: Record<LineCodec["encoding"], number> = { ulaw: 0xff, alaw: 0xd5, linear: 0 };

/**
 * A carrier's bytes, in pieces of any size, as frames of 20 ms at `rate`. What comes out does not depend on where the
 * bytes were cut: half a sample waits for its other half.
 */
export class LineDecoder {
  readonly #codec: LineCodec;
  readonly #resampler: Resampler | null;
  readonly #framer: Framer;
  #half: number | null = null;

  constructor(codec: LineCodec, rate: number) {
    this.#codec = codec;
    this.#resampler = codec.rate === rate ? null : new Resampler(codec.rate, rate);
    this.#framer = new Framer(rate);
  }

  push(bytes: Uint8Array): Int16Array[] {
    const samples = this.#samplesOf(bytes);
    return this.#framer.push(this.#resampler ? this.#resampler.push(samples) : samples);
  }

  /** The rest, filled up with silence, once no more will come. */
  flush(): Int16Array[] {
    const frames = this.#resampler ? this.#framer.push(this.#resampler.flush()) : [];
    const last = this.#framer.flush();
    return last ? [...frames, last] : frames;
  }

  #samplesOf(bytes: Uint8Array): Int16Array {
    if (this.#codec.encoding === "ulaw") return decodeUlaw(bytes);
    if (this.#codec.encoding === "alaw") return decodeAlaw(bytes);
    const whole = this.#half === null ? Buffer.from(bytes) : Buffer.from([this.#half, ...bytes]);
    this.#half = whole.length % 2 === 1 ? (whole.at(-1) ?? null) : null;
    return samplesOf(whole);
  }
}

/** Samples at `rate`, in pieces of any size, as a carrier's bytes in frames of 20 ms. */
export class LineEncoder {
  readonly #codec: LineCodec;
  readonly #resampler: Resampler | null;
  readonly #framer: Framer;

  constructor(rate: number, codec: LineCodec) {
    this.#codec = codec;
    this.#resampler = codec.rate === rate ? null : new Resampler(rate, codec.rate);
    this.#framer = new Framer(codec.rate);
  }

  push(samples: Int16Array): Uint8Array[] {
    const resampled = this.#resampler ? this.#resampler.push(samples) : samples;
    return this.#framer.push(resampled).map((frame) => this.#bytesOf(frame));
  }

  /** The rest, filled up with silence, once no more will come. */
  flush(): Uint8Array[] {
    const frames = this.#resampler ? this.#framer.push(this.#resampler.flush()) : [];
    const last = this.#framer.flush();
    return (last ? [...frames, last] : frames).map((frame) => this.#bytesOf(frame));
  }

  #bytesOf(frame: Int16Array): Uint8Array {
    if (this.#codec.encoding === "ulaw") return encodeUlaw(frame);
    if (this.#codec.encoding === "alaw") return encodeAlaw(frame);
    return bytesOf(frame);
  }
}
