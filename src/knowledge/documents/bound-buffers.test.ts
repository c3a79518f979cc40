import { afterEach, expect, test } from "vitest";
import { boundByteArrays } from "./bound-buffers.ts";

const Bytes = globalThis.Uint8Array;
afterEach(() => {
  globalThis.Uint8Array = Bytes;
});

test("no array of bytes is made above the bound, and all others are what they were", () => {
  boundByteArrays(1_000);
  expect(() => new Uint8Array(1_001)).toThrow(RangeError);
  const made = new Uint8Array(1_000);
  expect(made).toBeInstanceOf(Bytes);
  expect(Buffer.alloc(2_000)).toBeInstanceOf(Uint8Array);
  expect([...new Uint8Array(made.buffer, 0, 2)]).toEqual([0, 0]);
  class Own extends Uint8Array {}
  expect(new Own(3)).toBeInstanceOf(Own);
  expect(() => new Own(2_000)).toThrow(RangeError);
});
