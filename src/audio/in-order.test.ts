import fc from "fast-check";
import { expect, test } from "vitest";
import { InOrder } from "./in-order.ts";

const order = (numbers: number[]) => {
  const line = new InOrder<number>({ first: 1, window: 3 });
  return numbers.flatMap((number) => line.push(number, number));
};

test("what comes in order goes out at once", () => {
  expect(order([1, 2, 3])).toEqual([1, 2, 3]);
});

test("neighbours that changed places are put right", () => {
  expect(order([2, 1, 3, 5, 4, 6])).toEqual([1, 2, 3, 4, 5, 6]);
});

test("what comes twice or too late is left out", () => {
  expect(order([1, 1, 2, 2, 1, 3])).toEqual([1, 2, 3]);
  expect(order([1, 3, 4, 5, 2, 6])).toEqual([1, 3, 4, 5, 6]);
});

test("whatever comes, what goes out rises and at most two wait", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_000_000 })), (numbers) => {
      const out = order(numbers);
      expect(out).toEqual([...new Set(out)].toSorted((a, b) => a - b));
      const lost = new Set(numbers).size - out.length;
      expect(lost).toBeGreaterThanOrEqual(0);
    }),
  );
});
