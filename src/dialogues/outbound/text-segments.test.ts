import fc from "fast-check";
import { expect, test } from "vitest";
import "../../../test/harness/seed.ts";
import { textSegments } from "./text-segments.ts";

test.each([
  ["", 1],
  ["a".repeat(160), 1],
  ["a".repeat(161), 2],
  ["a".repeat(306), 2],
  ["a".repeat(307), 3],
  ["€".repeat(80), 1],
  ["€".repeat(81), 2],
  // 153 is odd, and no euro is split: 76 fit into a part.
  ["€".repeat(153), 3],
  ["ñ".repeat(160), 1],
  ["ж".repeat(70), 1],
  ["ж".repeat(71), 2],
  ["🙂".repeat(35), 1],
  ["🙂".repeat(67), 3],
])("%#: %s", (text, segments) => {
  expect(textSegments(text)).toBe(segments);
});

test("more words never make fewer segments, and each holds what a segment can", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.string({ maxLength: 200 }),
      (one, more) => {
        const [segments, longer] = [textSegments(one), textSegments(one + more)];
        expect(longer).toBeGreaterThanOrEqual(segments);
        expect(segments).toBeGreaterThanOrEqual(Math.ceil([...one].length / 160));
        expect(segments).toBeLessThanOrEqual(Math.max(1, Math.ceil(one.length / 66)));
      },
    ),
  );
});
