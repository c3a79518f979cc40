import { expect, test } from "vitest";
import { reachesGoal } from "./goal.ts";

test.each([
  [null, "yes", true],
  [null, 3, true],
  [null, '["billing"]', true],
  ...["", "false", 0, "[]", "{}"].map((nothing) => [null, nothing, false] as const),
  ["[]", "[]", true],
  ["booked", "booked", true],
  ["booked", "Booked", false],
] as const)("a goal of %j with the result %j is reached: %s", (value, found, expected) => {
  expect(reachesGoal({ insight_key: "answer", value }, { answer: { value: found, entries: null } })).toBe(
    expected,
  );
});

test.each([
  ["billing", true],
  ['["billing","delay"]', true],
  ["bill", false],
  [null, true],
] as const)("a goal of %j with a list that says billing and delay is reached: %s", (value, expected) => {
  const tags = { value: '["billing","delay"]', entries: ["billing", "delay"] };
  expect(reachesGoal({ insight_key: "tags", value }, { tags })).toBe(expected);
});
