import { expect, test } from "vitest";
import { takenNames } from "./taken-names.ts";

const taken = (schema: unknown) =>
  ["pet", "api_base", "x-note", "constructor", "__proto__"].filter(takenNames(schema));

test.each<[string, unknown, string[]]>([
  ["nothing", { type: "object" }, []],
  ["no object", null, []],
  ["a property", { properties: { pet: {} } }, ["pet"]],
  ["a closed schema", { properties: { pet: {} }, additionalProperties: false }, ["pet"]],
  ["a pattern", { patternProperties: { "^x-": {} } }, ["x-note"]],
  [
    "parts",
    { allOf: [{ properties: { pet: {} } }, { anyOf: [{ properties: { "x-note": {} } }] }] },
    ["pet", "x-note"],
  ],
  ["a reference", { $ref: "#/$defs/a", $defs: { a: { properties: { pet: {} } } } }, ["pet"]],
  ["a reference to itself", { $ref: "#", properties: { pet: {} } }, ["pet"]],
  ["a reference to nothing", { $ref: "#/$defs/b", properties: { pet: {} } }, ["pet"]],
  ["a property of a property", { properties: { pet: { properties: { api_base: {} } } } }, ["pet"]],
])("of %s", (_, schema, names) => {
  expect(taken(schema)).toEqual(names);
});

test("all, where a schema says that it takes any", () => {
  expect(taken({ additionalProperties: true })).toHaveLength(5);
  expect(taken({ additionalProperties: { type: "string" } })).toHaveLength(5);
});

test("branches that double thirty times are looked at once", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => {
      const next = { $ref: `#/$defs/level${at + 1}` };
      return [`level${at}`, { allOf: [next, next] }];
    }),
  );
  expect(
    taken({ $ref: "#/$defs/level0", $defs: { ...$defs, level30: { properties: { pet: {} } } } }),
  ).toEqual(["pet"]);
});
