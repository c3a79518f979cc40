import { expect, test } from "vitest";
import { answersOf, keysOf } from "./answers.ts";

const tables = [
  {
    name: "By insight",
    columns: ["Insight", "Outputs", "Mean", "Lowest", "Highest"],
    rows: [
      ["rating", 9, null, null, null],
      ["minutes", 4, 2.5, 1, 5],
    ],
  },
  {
    name: "Values",
    columns: ["Insight", "Value", "Outputs"],
    rows: [
      ["rating", "Good", 7],
      ["rating", "Bad", 2],
      ["topic", "Bill", 1],
    ],
  },
  {
    name: "By agent and prompt version",
    columns: ["Agent", "Prompt", "Version", "Insight", "Value", "Outputs", "Mean"],
    rows: [
      ["Clinic", "p", 2, "rating", "Good", 7, null],
      ["Clinic", "p", 2, "topic", "Bill", 1, null],
    ],
  },
];

test("an insight's answers are its own, in the order of the dashboard", () => {
  expect(keysOf(tables)).toEqual(["rating", "minutes"]);
  const { bars, numbers, byVersion } = answersOf(tables, "rating");
  expect(bars).toEqual([
    { name: "Good", value: 7 },
    { name: "Bad", value: 2 },
  ]);
  expect(numbers).toBeNull();
  expect(byVersion.columns).toEqual(["Agent", "Prompt", "Version", "Value", "Outputs", "Mean"]);
  expect(byVersion.rows).toEqual([["Clinic", "p", 2, "Good", 7, null]]);
});

test("numbers are told by their mean and their range, and a dashboard without tables by nothing", () => {
  expect(answersOf(tables, "minutes").numbers).toBe("4 answers, 2.5 on average, from 1 to 5.");
  expect(keysOf([])).toEqual([]);
  expect(answersOf([], "rating").bars).toEqual([]);
});
