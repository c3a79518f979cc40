import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeUlaw } from "./g711.ts";
import { readWav, writeWav } from "./wav.ts";

const samples = fc.int16Array({ minLength: 1, maxLength: 300 });

test("what was written is read back, with one channel and with two", () => {
  fc.assert(
    fc.property(samples, fc.constantFrom(8000, 16_000, 24_000), fc.boolean(), (given, rate, two) => {
      const channels = two ? [given, given.toReversed()] : [given];
      expect(readWav(writeWav({ rate, channels }))).toEqual({ rate, channels });
    }),
  );
});

test("a telephone's µ-law recording is read", () => {
  const codes = encodeUlaw(Int16Array.of(0, 132, -132, 16_764));
  const file = writeWav({ rate: 8000, channels: [new Int16Array(2)] });
  file.writeUInt16LE(7, 20);
  file.writeUInt16LE(8, 34);
  Buffer.from(codes).copy(file, 44);
  expect([...(readWav(file).channels[0] ?? [])]).toEqual([0, 132, -132, 16_764]);
});

test("what is no WAV, is cut short or has another code is refused in a sentence", () => {
  const whole = writeWav({ rate: 8000, channels: [Int16Array.of(1, 2, 3)] });
  expect(() => readWav(Buffer.from("ID3 and so on"))).toThrow("This is not a WAV file.");
  expect(() => readWav(whole.subarray(0, 36))).toThrow("This WAV file holds no samples.");
  const float = Buffer.from(whole);
  float.writeUInt16LE(3, 20);
  expect(() => readWav(float)).toThrow(
    "Only WAV files of 16-bit linear, µ-law or A-law samples can be read.",
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(whole.length), (bytes, at) => {
      const spoilt = Buffer.from(whole);
      Buffer.from(bytes).copy(spoilt, at);
      try {
        readWav(spoilt);
      } catch (error) {
        expect((error as Error).message).toMatch(/WAV/);
      }
    }),
  );
});
