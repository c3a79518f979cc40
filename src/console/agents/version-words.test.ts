import { expect, test } from "vitest";
import { differencesOf, partNames } from "./version-words.ts";

test("parts that differ are named in a sentence", () => {
  expect(partNames([{ part: "instructions" }, { part: "tools" }, { part: "tool book" }])).toBe(
    "instructions, tools, and tool book",
  );
});

test("a list of names is one text, a record its values", () => {
  expect(differencesOf([{ part: "tools", before: ["a", "b"], after: ["b", "a"] }])).toEqual([
    { path: "tools", before: "a\nb", after: "b\na" },
  ]);
  expect(differencesOf([{ part: "model", before: { model: "one" }, after: { model: "two" } }])).toEqual([
    { path: "model.model", before: "one", after: "two" },
  ]);
});
