import { expect, test } from "vitest";
import { variableLookup } from "../expressions/template.ts";
import { prepareArguments } from "./tool-arguments.ts";
import type { ToolDefinition } from "./tool-definition.ts";

const tool = (more: object): ToolDefinition =>
  ({
    tool: { type: "function", function: { name: "t", description: "", parameters: {} } },
    ...more,
  }) as ToolDefinition;

const prepare = (
  more: object,
  given: object = { city: "Bronx", name: "Ann" },
  agent: never[] | object[] = [],
  variables = {},
) =>
  prepareArguments(tool(more), given as Record<string, unknown>, agent as never, variableLookup(variables));

test.each([
  [
    "a plain default fills what is absent",
    { hospital: "Queens" },
    { city: "Bronx", name: "Ann", hospital: "Queens" },
  ],
  ["a plain default leaves what the model gave", { city: "Queens" }, { city: "Bronx", name: "Ann" }],
  [
    "an override applies when its condition holds",
    {
      city: {
        transform: { when: { key: "city", value: "Bronx" }, action: "override", format: "The {city}" },
      },
    },
    { city: "The Bronx", name: "Ann" },
  ],
  [
    "a format sees other parameters",
    { hello: { transform: { format: "Hello, {name}!" } } },
    { city: "Bronx", name: "Ann", hello: "Hello, Ann!" },
  ],
  ["remove takes the parameter away", { name: { transform: { action: "remove" } } }, { city: "Bronx" }],
  [
    "a value may be any JSON",
    { x: { transform: { value: [1, 2] } } },
    { city: "Bronx", name: "Ann", x: [1, 2] },
  ],
  [
    "later entries see the results of earlier ones",
    { a: { transform: { value: "1" } }, b: { transform: { format: "{a}2" } } },
    { city: "Bronx", name: "Ann", a: "1", b: "12" },
  ],
])("%s", (_title, defaults, expected) => {
  expect(prepare({ defaults })).toEqual({ ok: true, arguments: expected, notes: [] });
});

test("an empty text counts as missing for a default, by transform and plain", () => {
  const defaults = { city: { transform: { value: "Queens" } }, name: "Bob" };
  expect(prepare({ defaults }, { city: "", name: "" })).toMatchObject({
    arguments: { city: "Queens", name: "Bob" },
  });
});

test("a name without a value stays as written, and a note says so", () => {
  const prepared = prepare({ defaults: { x: { transform: { format: "{nobody}" } } } }, {});
  expect(prepared).toMatchObject({
    arguments: { x: "{nobody}" },
    notes: [expect.stringContaining("{nobody}")],
  });
});

test("a static parameter is always set, the agent's value before the tool's, and templated", () => {
  const static_parameters = [
    { name: "clinic", required: true, type: "string", default: "none" },
    { name: "greeting", required: false, type: "string", default: "Hi {{ who }}" },
  ];
  const agent = [{ field_name: "clinic", default_value: "north" }];
  const prepared = prepare({ static_parameters }, { clinic: "invented" }, agent, { who: "Ann" });
  expect(prepared).toMatchObject({ arguments: { clinic: "north", greeting: "Hi Ann" } });
});

test("a required static parameter without a value stops the call and is named", () => {
  const static_parameters = [{ name: "clinic", required: true, type: "string" }];
  expect(prepare({ static_parameters })).toEqual({ ok: false, problem: expect.stringContaining('"clinic"') });
});

test("a lone data source name becomes a list of one", () => {
  const static_parameters = [{ name: "doc", required: true, type: "data_source_list" }];
  const prepared = prepare({ static_parameters }, {}, [{ field_name: "doc", default_value: "faq" }]);
  expect(prepared).toMatchObject({ arguments: { doc: ["faq"] } });
});
