import { expect, test } from "vitest";
import { type PrintedTrace, traceLines } from "./trace-lines.ts";

const entry = (category: string, label: string, details: PrintedTrace["details"], more: object = {}) => ({
  id: 1,
  category,
  label,
  duration_ms: null,
  metadata: null,
  details,
  ...more,
});

test.each<[string, PrintedTrace, string[]]>([
  [
    "a model's answer with its tokens",
    entry(
      "llm",
      "answer",
      { input_tokens: 812, output_tokens: 34, calls: ["find_slots", "hangup"] },
      {
        duration_ms: 640.4,
        metadata: ["gpt-4.1", "openai"],
      },
    ),
    ["model gpt-4.1: 812 → 34 tokens, calls find_slots, hangup  640 ms"],
  ],
  [
    "an answer in words, where nobody counted",
    entry("llm", "answer", { input_tokens: null, calls: [] }, { metadata: ["scripted"] }),
    ["model scripted: answers"],
  ],
  ["a model that failed", entry("llm", "failed", { error: "gone" }), ["model : failed: gone"]],
  [
    "a call that the pipeline left as it was",
    entry("tool", "find", { arguments: { a: 1 }, prepared: { a: 1 }, result: [] }, { duration_ms: 3 }),
    ['find {"a":1}', "→ []  3 ms"],
  ],
  [
    "a call that the pipeline changed, and that failed",
    entry("tool", "find", { arguments: {}, prepared: { a: 1 }, error: "The service answered 500." }),
    ["find {}", '= {"a":1}', "✗ The service answered 500."],
  ],
  [
    "the rule that chose the greeting, and those it won over",
    entry("greeting", "rule", {
      rule: 1,
      description: "Weekend",
      kind: "days_of_week",
      held: [1, 3],
      local_time: "2026-11-28 12:00",
      day_of_week: "Saturday",
      timezone: "America/New_York",
    }),
    ["greeting: rule 2 “Weekend” by its weekdays, over rule 4 (Saturday 2026-11-28 12:00 America/New_York)"],
  ],
  [
    "a greeting that no rule chose",
    entry("greeting", "default text", {
      rule: null,
      description: null,
      kind: null,
      held: [],
      local_time: "2026-11-24 12:00",
      day_of_week: "Tuesday",
      timezone: "UTC",
    }),
    ["greeting: the message's own text, no rule holds (Tuesday 2026-11-24 12:00 UTC)"],
  ],
  ["a request of a tool, which the tool tells of", entry("http", "GET host", { status: 200 }), []],
  [
    "a step, and coming back to it",
    entry("step", "entered", { step: "ASK", visit: 2 }),
    ["step ASK entered, visit 2"],
  ],
  [
    "a condition, with its value where that is no truth value",
    entry("step", "condition", {
      where: "ASK.next.0",
      condition: { type: "cel", expression: "local.n" },
      value: 3,
      holds: true,
    }),
    ["if ASK.next.0: local.n is true (3)"],
  ],
  [
    "a submission with its faults",
    entry("step", "submission", { inputs: { a: 1 }, faults: [{ input: "b", message: "is required" }] }),
    ['submitted {"a":1}', '✗ [{"input":"b","message":"is required"}]'],
  ],
  [
    "what a step changed",
    entry("step", "variables", {
      changes: { "local.n": { before: 0, after: 1 }, "local.same": { before: false, after: false } },
    }),
    ["local.n: 0 → 1"],
  ],
  [
    "what a tool changed",
    entry("state", "variables", { changes: { "vars.a": { before: null, after: "b" } } }),
    ['vars.a: null → "b"'],
  ],
  [
    "a call of a workflow that the model has to complete",
    entry("step", "call", { step: "ASK", tool: "find", mode: "hint" }),
    ["step ASK calls find through the model"],
  ],
  [
    "what a transition lacks",
    entry("step", "requires", { to: "END", missing: ["a", "b"] }),
    ["END needs a, b first"],
  ],
  ["the end of a workflow", entry("step", "completed", { workflow: "contact" }), ["contact completed"]],
  [
    "a turn by its phases",
    entry("turn", "finished", { model_ms: 640.44, own_ms: 2 }, { duration_ms: 650 }),
    ["turn 650 ms: model 640.4, own 2"],
  ],
  ["a note", entry("note", "nobody waits", null), ["note: nobody waits"]],
])("shows %s", (_what, given, lines) => expect(traceLines(given)).toEqual(lines));

test("cuts what would fill the terminal", () => {
  const [, outcome] = traceLines(entry("tool", "find", { arguments: {}, result: "x".repeat(1_000) }));
  expect(outcome).toHaveLength("→ ".length + 301);
});
