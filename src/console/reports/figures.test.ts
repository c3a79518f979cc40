import { expect, test } from "vitest";
import { barsOf, courseWords, type FigureTable, spelled } from "./figures.ts";

const table: FigureTable = {
  name: "By insight",
  columns: ["Insight", "Value", "Outputs", "Mean"],
  rows: [
    ["rating", "Good", 7, null],
    ["rating", "Bad", 2, 0.5],
  ],
};

test("a table is drawn as its first column of numbers, named by all its texts", () => {
  expect(barsOf(table)).toEqual({
    of: "Outputs",
    bars: [
      { name: "rating, Good", value: 7 },
      { name: "rating, Bad", value: 2 },
    ],
  });
});

test("the version of a prompt belongs to its name", () => {
  const versions: FigureTable = {
    name: "By prompt version",
    columns: ["Prompt", "Version", "Sessions"],
    rows: [
      ["Booking", 1, 20],
      ["Booking", 2, 5],
    ],
  };
  expect(barsOf(versions)).toEqual({
    of: "Sessions",
    bars: [
      { name: "Booking, 1", value: 20 },
      { name: "Booking, 2", value: 5 },
    ],
  });
});

test("what a picture would say nothing about is not drawn: one row, too many, no numbers", () => {
  expect(barsOf({ ...table, rows: table.rows.slice(0, 1) })).toBeNull();
  expect(barsOf(table, 1)).toBeNull();
  expect(barsOf({ name: "", columns: ["Reason"], rows: [["a"], ["b"]] })).toBeNull();
  expect(barsOf({ name: "", columns: ["Count"], rows: [[1], [2]] })).toBeNull();
});

test("a number is spelled with its unit, and nothing is a dash", () => {
  expect(spelled({ name: "", value: 12_345, unit: "count" })).toBe("12,345");
  expect(spelled({ name: "", value: 41.5, unit: "percent" })).toBe("41.5 %");
  expect(spelled({ name: "", value: null, unit: "seconds" })).toBe("–");
});

test("a course by day is told in words, with its busiest day", () => {
  const byDay: FigureTable = {
    name: "By day",
    columns: ["Day", "COMPLETED", "FAILED"],
    rows: [
      ["2026-11-17", 2, 1],
      ["2026-11-18", 5, 0],
    ],
  };
  expect(courseWords(byDay)).toBe("By day, 2 days. COMPLETED: 7, FAILED: 1. Most on 2026-11-18: 5");
});
