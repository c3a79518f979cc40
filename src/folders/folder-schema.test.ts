import { expect, test } from "vitest";
import { durationText, sizeText } from "./folder-schema.ts";

test.each([
  [0, "00:00:00"],
  [59.6, "00:01:00"],
  [36_000, "10:00:00"],
  [360_061, "100:01:01"],
])("%d seconds are printed as %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test.each([
  [0, "0B"],
  [999, "999B"],
  [1500, "1.5KB"],
  [213_000_000, "213MB"],
  [5_000_000_000, "5GB"],
])("%d bytes are printed as %s", (size, text) => {
  expect(sizeText(size)).toBe(text);
});
