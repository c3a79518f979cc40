import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { type LineCodec, LineDecoder, LineEncoder, SILENT_BYTE } from "./line-codec.ts";
import { tone } from "./tones.ts";

const CODECS: LineCodec[] = [
  { encoding: "ulaw", rate: 8000 },
  { encoding: "alaw", rate: 8000 },
  { encoding: "linear", rate: 8000 },
  { encoding: "linear", rate: 16_000 },
  { encoding: "linear", rate: 24_000 },
];
const HEARD = 16_000;

/** Cut at these places; the rest in one piece. */
function cut<T extends { length: number; subarray(from: number, to?: number): T }>(all: T, sizes: number[]) {
  const pieces: T[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(all.subarray(at, at + size));
    at = Math.min(all.length, at + size);
  }
  return [...pieces, all.subarray(at)];
}

const decoded = (codec: LineCodec, pieces: Uint8Array[]) => {
  const decoder = new LineDecoder(codec, HEARD);
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.flush()];
};
const encoded = (codec: LineCodec, pieces: Int16Array[]) => {
  const encoder = new LineEncoder(HEARD, codec);
  return [...pieces.flatMap((piece) => encoder.push(piece)), ...encoder.flush()];
};

test("bytes in pieces of any size are heard as the same frames as in one piece, even where a sample was cut", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CODECS),
      fc.uint8Array({ maxLength: 3000, size: "max" }),
      fc.array(fc.nat(700), { maxLength: 12, size: "max" }),
      (codec, bytes, sizes) => {
        const frames = decoded(codec, cut(bytes, sizes));
        expect(frames).toEqual(decoded(codec, [bytes]));
        expect(frames.every((frame) => frame.length === 320)).toBe(true);
        const samples = codec.encoding === "linear" ? bytes.length >> 1 : bytes.length;
        expect(frames.length).toBe(Math.ceil(Math.ceil((samples * HEARD) / codec.rate) / 320));
      },
    ),
    { numRuns: rounds(100) },
  );
});

test("samples in pieces of any size are sent as the same frames as in one piece", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CODECS),
      fc.int16Array({ maxLength: 2000, size: "max" }),
      fc.array(fc.nat(700), { maxLength: 12, size: "max" }),
      (codec, samples, sizes) => {
        const frames = encoded(codec, cut(samples, sizes));
        expect(frames.map((frame) => [...frame])).toEqual(
          encoded(codec, [samples]).map((frame) => [...frame]),
        );
        const size = (codec.rate / 50) * (codec.encoding === "linear" ? 2 : 1);
        expect(frames.every((frame) => frame.length === size)).toBe(true);
      },
    ),
    { numRuns: rounds(100) },
  );
});

test.each(CODECS)("a voice's tone survives the way to a carrier and back ($encoding at $rate)", (codec) => {
  const given = tone(700, { rate: HEARD, ms: 400, level_db: -6 });
  const back = decoded(codec, encoded(codec, [given])).flatMap((frame) => [...frame]);
  let signal = 0;
  let noise = 0;
  // Without the first and last 20 ms, where the tone begins and ends.
  for (let at = 320; at < given.length - 320; at++) {
    signal += (given[at] as number) ** 2;
    noise += ((given[at] as number) - (back[at] as number)) ** 2;
  }
  expect(10 * Math.log10(signal / noise)).toBeGreaterThan(30);
});

test.each(CODECS)("the silent byte is silence ($encoding at $rate)", (codec) => {
  const bytes = new Uint8Array(1000).fill(SILENT_BYTE[codec.encoding]);
  const peak = Math.max(...decoded(codec, [bytes]).flatMap((frame) => [...frame].map(Math.abs)));
  // A-law has no zero: its quietest sample is 8 of 32,768.
  expect(peak).toBeLessThanOrEqual(9);
});
