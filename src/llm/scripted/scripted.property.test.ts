import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import type { ModelMessage, ModelPart, ModelRequest } from "../model.ts";
import { scriptedModel } from "./scripted.ts";

/** Words the model looks for, so that the search gets past the first door. */
const SPOKEN = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "",
    "yes",
    "no",
    "the first one",
    "bye",
    "book it tomorrow at 9:30",
    "Ann Lee",
    "2026-11-21",
  ),
  fc.constantFrom(
    "my name is Ann",
    "ann@example.com",
    "555-0100",
    "cancel",
    "find slots",
    "What is the thing?",
  ),
);
const NAME = fc.constantFrom(
  "find_slots",
  "book",
  "hangup",
  "slot_id",
  "date",
  "thing",
  "__proto__",
  "toString",
  "",
);
const VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.anything({ maxDepth: 2, withBigInt: true, withNullPrototype: true }),
);
const RESULT = fc.oneof(
  VALUE,
  fc.record({ slots: fc.array(fc.record({ id: fc.string(), time: fc.string() }), { maxLength: 3 }) }),
  fc.record({
    status: fc.constantFrom("active", "error", "completed"),
    step: VALUE,
    say: VALUE,
    errors: VALUE,
    collected: VALUE,
  }),
);

const SCHEMA: fc.Memo<Record<string, unknown>> = fc.memo((depth) =>
  fc.record(
    {
      type: fc.oneof(
        fc.constantFrom("string", "integer", "number", "boolean", "array", "object", "null"),
        VALUE,
      ),
      description: fc.oneof(SPOKEN, VALUE),
      enum: fc.oneof(fc.array(VALUE, { maxLength: 3 }), VALUE),
      format: fc.constantFrom("date", "time", "date-time", "email", "phone", "uri"),
      pattern: fc.oneof(fc.string(), fc.constant("^[A-Z]+$")),
      minimum: fc.double(),
      minLength: fc.integer(),
      maxLength: fc.integer(),
      minItems: fc.integer(),
      $ref: fc.constantFrom("#", "#/properties/thing", "http://elsewhere"),
      anyOf: fc.oneof(VALUE, depth > 1 ? fc.array(SCHEMA(), { maxLength: 2 }) : VALUE),
      items: depth > 1 ? SCHEMA() : VALUE,
      properties: depth > 1 ? fc.dictionary(NAME, SCHEMA(), { maxKeys: 3 }) : VALUE,
      required: fc.oneof(fc.array(NAME, { maxLength: 3 }), VALUE),
    },
    { requiredKeys: [] },
  ),
);

const CALL = fc.record({
  id: fc.string(),
  name: NAME,
  arguments: fc.dictionary(NAME, VALUE, { maxKeys: 2 }),
});
const SYSTEM = fc.oneof(
  SPOKEN,
  fc.string().map((text) => `\`\`\`script\n${text}\n\`\`\``),
  fc.constantFrom(
    "Today is 2026-11-20.",
    '```script\non "book" -> call book {"slot_id": "{user.text}", "n": "{1}"}\nafter find_slots if result.slots.* -> say "{result}"\n```',
    '```script\nonce on /(.+)/ -> say "{1} {{result.slots.0.time}}" then call find_slots\n```',
  ),
);
const MESSAGE: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant("system" as const), text: SYSTEM }),
  fc.record({ role: fc.constant("user" as const), text: SPOKEN }),
  fc.record({
    role: fc.constant("assistant" as const),
    text: SPOKEN,
    calls: fc.array(CALL, { maxLength: 2 }),
  }),
  fc.record({
    role: fc.constant("tool" as const),
    call_id: fc.string(),
    tool_name: NAME,
    result: RESULT,
    is_error: fc.boolean(),
  }),
);
const REQUEST: fc.Arbitrary<ModelRequest> = fc.record(
  {
    messages: fc.array(MESSAGE, { maxLength: 8 }),
    tools: fc.array(fc.record({ name: NAME, description: SPOKEN, parameters: SCHEMA(3) }), { maxLength: 4 }),
    tool_choice: fc.oneof(
      fc.constantFrom("auto" as const, "none" as const, "required" as const),
      fc.record({ tool: NAME }),
    ),
    temperature: fc.constant(null),
    seed: fc.constant(null),
    output_schema: fc.record({ name: fc.constant("x"), schema: SCHEMA(3) }),
    signal: fc.constant(new AbortController().signal),
  },
  { requiredKeys: ["messages", "tools", "tool_choice", "temperature", "seed", "signal"] },
);

const partsOf = async (request: ModelRequest): Promise<ModelPart[]> => {
  const parts: ModelPart[] = [];
  for await (const part of scriptedModel("openai").stream(request)) parts.push(part);
  return parts;
};

test("any conversation and any schema get an answer, the same one each time", async () => {
  await fc.assert(
    fc.asyncProperty(REQUEST, async (request) => {
      const parts = await partsOf(request);
      const last = parts.at(-1);
      expect(last?.type).toBe("done");
      expect(parts.length).toBeGreaterThan(1);
      expect(await partsOf(request)).toEqual(parts);
      const calls = parts.filter((part) => part.type === "call");
      if (request.tool_choice === "none") expect(calls).toEqual([]);
      const offered = request.tools.map(({ name }) => name);
      for (const part of calls) if (part.type === "call") expect(offered).toContain(part.call.name);
    }),
    { numRuns: rounds(400) },
  );
});
