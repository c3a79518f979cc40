import { describe, expect, test } from "vitest";
import { jsonSchemaProblems, patternProblem } from "./json-schema.ts";

const of = (property: unknown, more: object = {}) => ({
  type: "object",
  properties: { a: property },
  ...more,
});

describe("a JSON Schema that a user wrote", () => {
  test.each([
    [{}],
    [of({ type: ["string", "null"], enum: ["x"], pattern: "^[a-z]+$" })],
    [of({ type: "array", items: [{ type: "string" }] })],
    [of({ type: "array", prefixItems: [{ type: "string" }] })],
    [of({ $ref: "#/$defs/b%20c" }, { $defs: { "b c": { type: "string" } } })],
    [of({ $ref: "#/properties/a/items/0", items: [{}] })],
    [of({ $ref: "#" })],
    [of({ $ref: "#named" })],
    [of({ const: { pattern: "(" }, default: { $ref: "nowhere" } })],
    [{ type: "object", properties: { pattern: { type: "string" }, $ref: { type: "string" } } }],
  ])("is right in either draft: %j", (schema) => {
    expect(jsonSchemaProblems(schema)).toEqual([]);
  });

  test.each<[unknown, (string | number)[]]>([
    [of({ type: "strng" }), ["properties", "a", "type"]],
    [of({ type: "string", minLength: -1 }), ["properties", "a", "minLength"]],
    [of({ required: "b" }), ["properties", "a", "required"]],
    [of({ type: "array", items: [{ type: 7 }] }), ["properties", "a", "items"]],
    [of(7), ["properties", "a"]],
    [{ properties: [] }, ["properties"]],
    [of({ exclusiveMinimum: true }), ["properties", "a", "exclusiveMinimum"]],
    [of({ pattern: "(" }), ["properties", "a", "pattern"]],
    [of({ pattern: "(?=a)" }), ["properties", "a", "pattern"]],
    [of({ patternProperties: { "[": {} } }), ["properties", "a", "patternProperties", "["]],
    [{ properties: { default: { pattern: "(" } } }, ["properties", "default", "pattern"]],
    [of({ anyOf: [{}, { pattern: "(" }] }), ["properties", "a", "anyOf", 1, "pattern"]],
    [of({ $ref: "#/$defs/b" }), ["properties", "a", "$ref"]],
    [of({ $ref: "https://elsewhere.example/schema.json" }), ["properties", "a", "$ref"]],
    [of({ $ref: "#/%" }), ["properties", "a", "$ref"]],
  ])("is wrong at one place: %j", (schema, path) => {
    expect(jsonSchemaProblems(schema)).toEqual([
      expect.objectContaining({ path, message: expect.any(String) }),
    ]);
  });

  test("is told in words", () => {
    expect(jsonSchemaProblems(of({ type: "strng" }))).toEqual([
      {
        path: ["properties", "a", "type"],
        message:
          "Not a valid JSON Schema: must be equal to one of the allowed values: array, boolean, integer, null, number, object, string",
        value: "strng",
      },
    ]);
    expect(patternProblem("a+")).toBeNull();
    expect(patternProblem("(?<!a)b")).toMatch(/^The pattern can't be used: /);
  });

  test("with faults everywhere is told by its first twenty", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`p${index}`, { type: 7 }]),
    );
    expect(jsonSchemaProblems({ properties })).toHaveLength(20);
  });
});
