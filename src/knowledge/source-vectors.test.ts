import fc from "fast-check";
import { expect, test } from "vitest";
import { fused } from "./data-source-search.ts";
import { closeness, packVector } from "./source-vectors.ts";

const cosine = (a: number[], b: number[]) => {
  const sum = (of: (at: number) => number) => a.reduce((total, _, at) => total + of(at), 0);
  const [ab, aa, bb] = [sum((at) => a[at]! * b[at]!), sum((at) => a[at]! ** 2), sum((at) => b[at]! ** 2)];
  return ab / Math.sqrt(aa * bb);
};

test("a packed vector is a byte for each dimension and keeps its angles, whatever its length", () => {
  const part = fc.double({ min: -1, max: 1, noNaN: true });
  const vector = fc
    .array(part, { minLength: 64, maxLength: 64 })
    .filter((parts) => parts.some((one) => Math.abs(one) > 0.1));
  fc.assert(
    fc.property(vector, vector, fc.constantFrom(1e-3, 1, 1e6), (a, b, length) => {
      const packed = packVector(a.map((one) => one * length));
      expect(packed).toHaveLength(64);
      expect(Math.abs(closeness(packed, packVector(b)) - cosine(a, b))).toBeLessThan(0.02);
    }),
  );
});

const place = (position: number) => ({ data_source_id: 1, position });
const order = (...positions: number[]) => positions.map(place);

test("what is first in both orders scores 1 and nothing scores more", () => {
  expect(fused(order(3, 1), order(3, 2))[0]).toEqual({ ...place(3), score: 1 });
  const positions = fc.uniqueArray(fc.integer({ min: 1, max: 40 }));
  fc.assert(
    fc.property(positions, positions, (a, b) => {
      const found = fused(order(...a), order(...b));
      expect(new Set(found.map(({ position }) => position))).toEqual(new Set([...a, ...b]));
      for (const { score } of found) expect(score > 0 && score <= 1).toBe(true);
      expect(found.map(({ score }) => score)).toEqual(
        found.map(({ score }) => score).toSorted((x, y) => y - x),
      );
    }),
  );
});

test("of two chunks, the one that both orders put first stands first", () => {
  expect(fused(order(1, 2), order(1, 2)).map(({ position }) => position)).toEqual([1, 2]);
  expect(fused(order(5, 7, 9), order(8, 7)).map(({ position }) => position)[0]).toBe(7);
});
