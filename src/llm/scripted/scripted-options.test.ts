import { expect, test } from "vitest";
import { type Option, optionIn } from "./scripted-options.ts";

const slots: Option[] = ["09:00", "10:30", "14:45"].map((label) => ({
  value: `slot ${label}`,
  label,
  sure: false,
}));

test.each([
  ["10:30", "slot 10:30"],
  ["half past ten please", "slot 10:30"],
  ["quarter to three", "slot 14:45"],
  ["the second one", "slot 10:30"],
])("%s chooses an offered time", (text, expected) => {
  expect(optionIn(slots, text)).toBe(expected);
});

test("a time that was not offered chooses none, though it shares a number with one that was", () => {
  expect(optionIn(slots, "9:45")).toBeUndefined();
});
