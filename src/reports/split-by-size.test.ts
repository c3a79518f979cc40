import fc from "fast-check";
import { expect, test } from "vitest";
import { splitBySize } from "./split-by-size.ts";

const items = fc.array(fc.record({ bytes: fc.nat(50) }));

test("parts hold every item, in order, and no part is larger than allowed unless one item is", () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 60 }), (all, max) => {
      const parts = splitBySize(all, max);
      expect(parts.flat()).toEqual(all);
      for (const part of parts) {
        const bytes = part.reduce((sum, item) => sum + item.bytes, 0);
        expect(part.length === 1 || bytes <= max).toBe(true);
      }
    }),
  );
});

test("no items, no parts", () => {
  expect(splitBySize([], 10)).toEqual([]);
});
