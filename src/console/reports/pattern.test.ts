import { expect, test } from "vitest";
import { PATTERN_COUNT, patternsOf } from "./pattern.tsx";

test("a state is drawn the same whatever else is beside it: done, failed and waiting keep their colours", () => {
  const [done, failed, waiting] = patternsOf(["COMPLETED", "FAILED", "PENDING"]);
  expect(patternsOf(["FAILED", "PENDING"])).toEqual([failed, waiting]);
  expect(patternsOf(["CANCELED", "COMPLETED", "SKIPPED"])[1]).toBe(done);
});

test("no two kinds of a chart look the same", () => {
  for (const kinds of [
    [
      "PENDING",
      "INITIATED",
      "CONNECTED",
      "COMPLETED",
      "FAILED",
      "CANCELED",
      "SKIPPED",
      "INVALID",
      "DUPLICATE",
    ],
    ["chat", "email", "sms", "voice", "whatsapp"],
    ["constructor", "FAILED", "toString"],
  ]) {
    expect(kinds.length).toBeLessThanOrEqual(PATTERN_COUNT);
    expect(new Set(patternsOf(kinds)).size).toBe(kinds.length);
  }
});
