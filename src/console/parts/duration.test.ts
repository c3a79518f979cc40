import { expect, test } from "vitest";
import { formatDuration } from "./duration.ts";

test.each([
  [null, "–"],
  [0, "0 ms"],
  [999.4, "999 ms"],
  [999.6, "1.0 s"],
  [4210, "4.2 s"],
  [59_949, "59.9 s"],
  [59_960, "1 min 0 s"],
  [200_400, "3 min 20 s"],
  [3_599_600, "1 h 0 min"],
  [7_500_000, "2 h 5 min"],
])("%s ms are told in the unit that a person would use", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
