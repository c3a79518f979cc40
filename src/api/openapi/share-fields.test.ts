import fc from "fast-check";
import { expect, test } from "vitest";
import { shareFields, withAllFields } from "./share-fields.ts";

const TYPES = [
  { type: "string" },
  { type: "integer", description: "How many of them there are." },
  { type: "null" },
];
const schema = fc
  .dictionary(fc.constantFrom(..."abcdefgh"), fc.tuple(fc.constantFrom(...TYPES), fc.boolean()))
  .map((fields) => ({
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, [type]]) => [`${name}_of_a_record`, type]),
    ),
    required: Object.entries(fields)
      .filter(([, [, required]]) => required)
      .map(([name]) => `${name}_of_a_record`),
  }));
const named = fc.dictionary(fc.constantFrom(..."PQRSTU"), schema);

test("whatever the schemas, each has the same fields, required as before", () => {
  fc.assert(
    fc.property(named, (schemas) => {
      const shared = shareFields(schemas);
      for (const [name, { properties, required }] of Object.entries(schemas)) {
        const { required: again = [], ...whole } = withAllFields(shared[name], shared);
        expect(whole).toEqual({ type: "object", properties });
        expect(again.toSorted()).toEqual(required.toSorted());
      }
    }),
  );
});

test("a schema that has more than another names what it adds", () => {
  const text = { type: "string", description: "A text that is long enough to be worth it." };
  const schemas = {
    Thing: { type: "object", properties: { name: text, note: text }, required: ["name"] },
    NewThing: {
      type: "object",
      properties: { id: { type: "integer" }, name: text, note: text },
      required: ["id", "name"],
    },
    OtherThing: {
      type: "object",
      properties: { name: text, note: text, x: text },
      required: ["name", "note"],
    },
  };
  const shared = shareFields(schemas);
  expect(shared).toEqual({
    ...schemas,
    NewThing: {
      allOf: [
        { $ref: "#/components/schemas/Thing" },
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      ],
    },
  });
});
