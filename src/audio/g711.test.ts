import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from "./g711.ts";

const every = Uint8Array.from({ length: 256 }, (_, code) => code);
const samples = fc.int16Array({ minLength: 1, maxLength: 200 });

test("µ-law and A-law give the values of the standard's tables", () => {
  // G.711, tables 1 and 2: the loudest, the quietest and the borders of segments, scaled to 16 bits.
  const ulaw = (code: number) => decodeUlaw(Uint8Array.of(code))[0];
  expect([ulaw(0x00), ulaw(0x80), ulaw(0x7f), ulaw(0xff), ulaw(0x8f), ulaw(0xef)]).toEqual([
    -32_124, 32_124, 0, 0, 16_764, 132,
  ]);
  const alaw = (code: number) => decodeAlaw(Uint8Array.of(code))[0];
  expect([alaw(0xd5), alaw(0x55), alaw(0xaa), alaw(0x2a)]).toEqual([8, -8, 32_256, -32_256]);
});

test("every code comes back as itself, but for µ-law's second zero", () => {
  expect([...encodeAlaw(decodeAlaw(every))]).toEqual([...every]);
  const ulaw = [...encodeUlaw(decodeUlaw(every))];
  expect(ulaw.filter((code, at) => code !== at)).toEqual([0xff]);
  expect(ulaw[0x7f]).toBe(0xff);
});

test("an error is never larger than half a step of its segment", () => {
  fc.assert(
    fc.property(samples, (given) => {
      for (const [encode, decode] of [
        [encodeUlaw, decodeUlaw],
        [encodeAlaw, decodeAlaw],
      ] as const) {
        const back = decode(encode(given));
        given.forEach((sample, at) => {
          const within = Math.max(16, Math.abs(sample) / 31 + 16);
          // What is louder than the loudest code is cut to it.
          const heard = Math.sign(sample) * Math.min(Math.abs(sample), 32_256);
          expect(Math.abs((back[at] as number) - heard)).toBeLessThanOrEqual(within);
        });
      }
    }),
  );
});
