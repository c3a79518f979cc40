import fc from "fast-check";
import { expect, test } from "vitest";
import { comparedStates } from "./compared-states.ts";

test("the older version stands before the newer, however they were chosen", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.integer({ min: 1 }), (one, other) => {
      const { before, after } = comparedStates([9, 8], 9, { before: String(one), after: String(other) });
      expect([before, after]).toEqual([one, other].toSorted((a, b) => a - b));
    }),
  );
});

test.each([
  ["the newest is live", [4, 3, 2], 4, {}, { before: 3, after: 4 }],
  ["an older one is live", [4, 3, 2], 2, {}, { before: 2, after: 4 }],
  ["none is live", [4, 3], undefined, {}, { before: 3, after: 4 }],
  ["there is one version", [3], 3, {}, { before: 3, after: "draft" }],
  ["the draft is asked for", [4, 3], 4, { before: "3", after: "draft" }, { before: 3, after: "draft" }],
] as const)("where %s, the draft and the newer version stand after", (_, numbers, live, asked, states) => {
  expect(comparedStates(numbers, live, asked)).toEqual(states);
});
