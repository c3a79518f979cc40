import fc from "fast-check";
import { expect, test } from "vitest";
import type { InsightValue } from "../insights/check-answer.ts";
import { columnsOf, entriesOf } from "./output-columns.ts";

test.each<[InsightValue["type"], unknown, string | number]>([
  ["string", "calm", "calm"],
  ["number", 4.5, 4.5],
  ["boolean", false, "false"],
  ["array", ["price"], '["price"]'],
  ["object", { a: [1] }, '{"a":[1]}'],
  ["string", null, ""],
])("a %s stands in json_value as text or number: %j", (type, value, expected) => {
  expect(columnsOf({ key: "found", type, value }).json_value).toEqual({ found: expected });
});

test.each([
  [
    ["price", " price ", "late", "", "x".repeat(61), 4, true, { a: 1 }],
    ["price", "late", "4", "true", '{"a":1}'],
  ],
  [Array.from({ length: 200 }, (_, n) => n), Array.from({ length: 100 }, (_, n) => String(n))],
  [[], []],
  ["[1]", null],
])("of %j these entries are found and counted: %j", (value, entries) => {
  expect(entriesOf(value)).toEqual(entries);
});

test("whatever a tool found, json_value holds a string or a number", () => {
  fc.assert(
    fc.property(fc.constantFrom("array", "object"), fc.jsonValue(), (type, value) => {
      const { found } = columnsOf({ key: "found", type, value }).json_value;
      expect(typeof found === "string" || typeof found === "number").toBe(true);
    }),
  );
});
