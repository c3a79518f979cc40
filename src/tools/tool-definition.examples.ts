import type { ToolSurroundings } from "./issues/tool-issues.ts";
import { ToolDefinition } from "./tool-definition.ts";

/*
 * Definitions for the tests of tools.
 */

/** The least a definition can be, with something more. */
export const definition = (more: object = {}, parameters: unknown = {}): ToolDefinition =>
  ToolDefinition.parse({ tool: { function: { name: "f", description: "", parameters } }, ...more });

export const withTask = (task: unknown): ToolDefinition => definition({ context: { task } });

export const withSteps = (...steps: object[]): ToolDefinition =>
  withTask({ type: "steps", steps: steps.map((step) => ({ goal: "g", ...step })) });

export const around: ToolSurroundings = {
  name: "f",
  is_system: false,
  callable: new Set(["lookup", "notify"]),
  taken: new Set(["taken"]),
  sources: new Set(["faq"]),
};

/** Every field that a definition can have, in valid use, and nothing that is worth an issue. */
export const everyField = {
  type: "context",
  tool: {
    type: "function",
    function: {
      name: "book",
      description: "Books an appointment",
      parameters: {
        type: "object",
        properties: { city: { type: "string" }, when: { type: "string", format: "date" } },
        required: ["city"],
      },
    },
  },
  endpoint: {
    url: "https://clinic.example/{city}/appointments",
    method: "post",
    argument_location: "path",
    timeout: 30,
  },
  context: {
    task: [
      {
        type: "steps",
        version: "v1alpha",
        id: "booking",
        start: "manual",
        config: { max_visits_per_step: 5 },
        metadata: { priority: 1 },
        tool: { name: "submit_booking", description: "Sends what was collected" },
        variables: [
          { name: "tries", type: "integer", value: 0, description: "Attempts", title: "Tries", if: "first" },
          { name: "name", valueFrom: { type: "jmespath", expression: "vars.name" }, examples: ["Ann", null] },
        ],
        steps: [
          {
            id: "ASK",
            goal: "Find a time",
            instructions: ["Ask for a day.", { if: "tries", text: "Ask once more." }],
            tools: { call: false, allow: ["submit_booking", "go_to_step"], allowGoToStep: true },
            inputs: [
              {
                name: "day",
                type: "string",
                description: "The day",
                title: "Day",
                format: "date",
                pattern: "^20",
                enum: ["2026-11-20", "2026-11-21"],
                examples: ["2026-11-20"],
                required: false,
              },
            ],
            on: {
              start: [{ action: "set", name: "local.ok", value: { nested: [false] } }],
              enter: [
                { action: "load", inputs: ["day"], overwrite: true, valueFrom: "vars.day" },
                { action: "get", inputs: null, overwrite: false },
              ],
              presubmit: [{ action: "save", name: "raw", inputs: ["day"] }],
              submit: [
                { action: "inc", name: "tries", by: 1, if: { type: "cel", expression: "1 == 1" } },
                {
                  action: "call",
                  name: "lookup",
                  arguments: { day: "{{ day }}", deep: { a: [1] } },
                  result: { save: [{ from: "slots", to: "local.slots" }] },
                },
                { action: "say", text: "One moment.", role: "assistant" },
              ],
            },
            next: [{ if: "day", id: "DONE", requires: ["day"] }, "ASK"],
          },
          { id: "DONE", goal: "Say goodbye" },
        ],
      },
      {
        type: "expression",
        version: "v1alpha",
        tool: { name: "lookup", description: null },
        inputs: [
          { name: "day", required: true },
          { name: "deep", required: false },
        ],
        expression: "inputs.day",
        output: { day: "{{ result }}" },
        on: {
          start: [{ action: "set", name: "seen", value: false }],
          submit: [{ action: "save", name: null, inputs: null }],
        },
      },
      {
        type: "event",
        version: "v1alpha",
        on: { start: [{ action: "say", text: "Hello", role: "user" }] },
      },
    ],
  },
  defaults: {
    when: "2026-11-20",
    city: {
      transform: {
        action: "override",
        when: { key: "city", value: "Bronx", operator: "eq" },
        format: "The {city}",
      },
    },
  },
  static_parameters: [
    { name: "clinic", description: "Which clinic", required: true, type: "string", default: "north" },
  ],
  result: { status: "ok" },
  options: { propagate_tool_result: true },
  response_display: {
    version: 1,
    type: "card-list",
    items_path: "appointments",
    mapping: {
      media: { imageUrl: { path: "photo", template: null, default: "none.png" }, maxHeight: 120 },
      content: { header: { path: "title" }, contentAlwaysLeft: true },
      "content.subheader": { template: "{{ day }}" },
      actions: [{ type: "link", text: "Open", link: { path: "url" }, icon: "calendar" }],
      cta: { text: "Call", icon: "phone", actionId: "call" },
    },
    actions: [{ type: "message", message: "This one", icon: "arrow" }],
  },
};

/** A copy in which one place has another value; `undefined` takes it away. */
export function changed<T>(document: T, path: readonly (string | number)[], value: unknown): T {
  const copy = structuredClone(document);
  let holder = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as typeof holder;
  const last = path.at(-1) as string | number;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
