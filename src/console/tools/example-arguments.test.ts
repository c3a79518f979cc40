import { expect, test } from "vitest";
import type { ToolDefinition } from "../api-types.ts";
import { exampleArguments } from "./example-arguments.ts";

test("example arguments hold what is required, also inside of objects and lists", () => {
  const item = { type: "object", properties: { sku: { type: "string" }, qty: { type: "integer" } } };
  const parameters = {
    type: "object",
    required: ["order", "note"],
    properties: {
      note: { type: "string", examples: ["ring twice"] },
      later: { type: "string" },
      order: {
        type: "object",
        required: ["customer", "items"],
        properties: {
          customer: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, email: { type: "string" } },
          },
          items: { type: "array", minItems: 1, items: { ...item, required: ["sku", "qty"] } },
        },
      },
    },
  };
  const definition = { tool: { function: { parameters } } } as unknown as ToolDefinition;
  expect(exampleArguments(definition)).toEqual({
    order: { customer: { name: "" }, items: [{ sku: "", qty: 1 }] },
    note: "ring twice",
  });
});
