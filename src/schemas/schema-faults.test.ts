import { Ajv } from "ajv";
import formats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { schemaFaults } from "./schema-faults.ts";

const ajv = new Ajv({ strict: false, logger: false, addUsedSchema: false });
formats.default(ajv);

describe("a value and a JSON Schema", () => {
  const primitive = fc.oneof(
    fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 2.5, "", "a", "ab", "b1", "2026-11-18"),
    fc.integer({ min: -5, max: 5 }),
  );
  const name = fc.constantFrom("a", "b", "ab");
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      primitive,
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(name, tie("any"), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  const count = fc.integer({ min: 0, max: 3 });
  const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
  const schema = fc.letrec<{ schema: unknown }>((tie) => {
    const inner = tie("schema");
    const some = fc.array(inner, { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.boolean(),
        fc.record(
          {
            type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
            enum: fc.uniqueArray(primitive, { minLength: 1, maxLength: 3 }),
            const: value,
            minimum: count,
            exclusiveMaximum: count,
            multipleOf: fc.constantFrom(1, 2, 0.5),
            minLength: count,
            maxLength: count,
            pattern: fc.constantFrom("^a", "b$", "\\d", "[ab]{2}"),
            format: fc.constantFrom("date", "email", "unknown"),
          },
          { requiredKeys: [] },
        ),
        // Ajv passes over `contains` where everything fits, and beside a tuple where the list is empty.
        fc.record({ contains: fc.record({ type }) }),
        fc.record(
          {
            items: fc.oneof(inner, some),
            additionalItems: inner,
            minItems: count,
            maxItems: count,
            uniqueItems: fc.boolean(),
            properties: fc.dictionary(name, inner),
            patternProperties: fc.dictionary(fc.constantFrom("^a", "b$"), inner),
            additionalProperties: inner,
            propertyNames: inner,
            required: fc.uniqueArray(name, { maxLength: 2 }),
            minProperties: count,
            maxProperties: count,
            dependencies: fc.dictionary(name, fc.oneof(inner, fc.uniqueArray(name, { maxLength: 2 }))),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          { allOf: some, anyOf: some, oneOf: some, not: inner, if: inner, then: inner, else: inner },
          { requiredKeys: [] },
        ),
        fc.constant({ $ref: "#/definitions/d" }),
      ),
    };
  }).schema;

  test("fit each other here exactly when they do for Ajv", () => {
    fc.assert(
      fc.property(schema, schema, value, (inner, d, data) => {
        const whole = { allOf: [inner], definitions: { d: JSON.stringify(d).includes("$ref") ? {} : d } };
        expect(schemaFaults(whole, data).length === 0).toBe(ajv.validate(whole, data));
      }),
      { numRuns: rounds(300) },
    );
  });

  test.each<[object, unknown, object[]]>([
    [
      { properties: { order: { required: ["id"] } }, required: ["day"] },
      { order: {} },
      [
        { at: "", message: "must have required property 'day'", missing: "day" },
        { at: "order", message: "must have required property 'id'", missing: "id" },
      ],
    ],
    [
      { properties: { days: { items: { pattern: "^\\d+$" } } } },
      { days: ["1", "x"] },
      [{ at: "days.1", message: 'must match pattern "^\\d+$"', missing: null }],
    ],
    [{ properties: { a: { type: "string", nullable: true } } }, { a: null }, []],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], [expect.objectContaining({ at: "1" })]],
    [{ $ref: "#tree", $defs: { t: { $anchor: "tree", type: "object" } } }, 7, [expect.anything()]],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, [expect.objectContaining({ missing: "b" })]],
  ])("are told of at the place: %j, %j", (schema, data, faults) => {
    expect(schemaFaults(schema, data)).toEqual(faults);
  });

  test("are told of by the first faults", () => {
    expect(
      schemaFaults(
        { items: { type: "string" } },
        Array.from({ length: 500 }, () => 1),
      ),
    ).toHaveLength(11);
  });

  test("are not compared where the schema leads nowhere or in circles", () => {
    expect(() => schemaFaults({ $ref: "#/definitions/none" }, {})).toThrow("can't resolve reference");
    expect(() => schemaFaults({ $ref: "https://elsewhere.example/x" }, {})).toThrow(
      "can't resolve reference",
    );
    expect(() => schemaFaults({ $ref: "#" }, {})).toThrow("nested too deeply");
  });
});
