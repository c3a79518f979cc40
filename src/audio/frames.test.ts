import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, Framer, samplesOf } from "./frames.ts";

test("samples that come in pieces of any size go out in frames, none lost and none twice", () => {
  fc.assert(
    fc.property(
      fc.array(fc.int16Array({ maxLength: 500 })),
      fc.constantFrom(8000, 16_000),
      (pieces, rate) => {
        const framer = new Framer(rate);
        const frames = pieces.flatMap((piece) => framer.push(piece));
        const last = framer.flush();
        const all = pieces.flatMap((piece) => [...piece]);
        const given = [...frames, ...(last ? [last] : [])];
        expect(given.every((frame) => frame.length === rate / 50)).toBe(true);
        expect(given.flatMap((frame) => [...frame]).slice(0, all.length)).toEqual(all);
        expect(given.length).toBe(Math.ceil(all.length / (rate / 50)));
      },
    ),
  );
});

test("samples survive the wire", () => {
  fc.assert(
    fc.property(fc.int16Array({ maxLength: 100 }), (samples) => {
      expect(samplesOf(bytesOf(samples))).toEqual(samples);
    }),
  );
});
