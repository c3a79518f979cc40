import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test.each([
  [0, "test", undefined, "0 tests"],
  [1, "test", undefined, "1 test"],
  [1234, "test", undefined, "1,234 tests"],
  [1, "entry is", "entries are", "1 entry is"],
  [2, "entry is", "entries are", "2 entries are"],
])("%d of %s is written as counted", (count, one, many, words) => {
  expect(counted(count, one, many)).toBe(words);
});
