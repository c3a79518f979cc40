import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { expectFreeLoop } from "../harness/loop-watch.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  const { body } = await app.send("POST", "/api/v1/services/", { name: "Calendar", description: "" });
  service_id = body.id;
});

const WIDE = "[ab]{0,1000}".repeat(10);
const LONG = "ab".repeat(50_000);

let counter = 0;
const next = (noun: string) => `${noun}_${++counter}`;

const tool = (more: object) => {
  const name = next("tool");
  return { name, service_id, definition: endpointTool(name, "http://127.0.0.1:9/x", more) };
};
const context = (task: object) => {
  const { name, service_id: service, definition } = tool({});
  const { endpoint: _, ...rest } = definition;
  return {
    name,
    service_id: service,
    definition: { ...rest, type: "context", context: { task: { version: "v1alpha", id: name, ...task } } },
  };
};
const step = (more: object) =>
  context({ type: "steps", tool: { name: next("task") }, steps: [{ id: "A", goal: "Ask.", ...more }] });
const cel = { type: "cel", expression: `vars.text.matches("${WIDE}")` };
const prompt = (rules: string) => ({
  name: next("prompt"),
  type: "prompt_v1",
  context: `You book.\n\`\`\`script\n${rules}\n\`\`\``,
  llm_config: { provider: "openai", model: "scripted" },
});
const insightTool = (insight_tool_definition_id: number, tool_arguments: object) => ({
  name: next("insight"),
  description: "",
  version: 1,
  insight_tool_definition_id,
  tool_arguments,
});

/** Where a pattern comes in and runs: it is refused with a status and words at its place. */
const REFUSED: [string, () => { path: string; body: object; at: string; status?: number }][] = [
  [
    "the parameters of a tool",
    () => ({
      path: "/api/v1/tools/",
      body: tool({ parameters: { type: "object", properties: { a: { type: "string", pattern: WIDE } } } }),
      at: '"properties","a","pattern"',
    }),
  ],
  [
    "the names of a tool's parameters",
    () => ({
      path: "/api/v1/tools/",
      body: tool({ parameters: { type: "object", patternProperties: { [WIDE]: {} } } }),
      at: '"patternProperties"',
    }),
  ],
  [
    "an input of a step",
    () => ({
      path: "/api/v1/tools/",
      body: step({ inputs: [{ name: "a", pattern: WIDE }] }),
      at: '"inputs",0,"pattern"',
    }),
  ],
  [
    "an input of an expression task",
    () => ({
      path: "/api/v1/tools/",
      body: context({
        type: "expression",
        tool: { name: next("task") },
        inputs: [{ name: "a", pattern: WIDE }],
        expression: "inputs.a",
      }),
      at: '"inputs",0,"pattern"',
    }),
  ],
  [
    "the condition of a step's transition",
    () => ({
      path: "/api/v1/tools/",
      body: step({ next: [{ id: "A", if: cel }] }),
      at: '"next",0,"if","expression"',
    }),
  ],
  [
    "an expression",
    () => ({
      path: "/api/v1/tools/",
      body: context({ type: "expression", tool: { name: next("task") }, inputs: [], expression: cel }),
      at: '"expression","expression"',
    }),
  ],
  [
    "a rule of a prompt",
    () => ({ path: "/api/v1/prompts/", body: prompt(`on /${WIDE}/ -> say "a"`), at: '"body","context"' }),
  ],
  [
    "rules that are too large together",
    () => ({
      path: "/api/v1/prompts/",
      body: prompt(Array.from({ length: 9 }, (_, n) => `on /[ab]{0,${900 + n}}/ -> say "a"`).join("\n")),
      at: '"body","context"',
    }),
  ],
  [
    "a rule in the prompt of an insight",
    () => ({
      path: "/api/v1/insights/tool-configurations",
      body: insightTool(1, {
        provider: "openai",
        model: "scripted",
        prompt: prompt(`on /${WIDE}/ -> say "a"`).context,
      }),
      at: '"tool_arguments","prompt"',
    }),
  ],
  [
    "the pattern of an insight",
    () => ({
      path: "/api/v1/insights/tool-configurations",
      body: insightTool(5, { pattern: WIDE }),
      at: "tool_arguments.pattern",
      status: 400,
    }),
  ],
];

describe("a pattern whose program is too large is refused when it is saved", () => {
  test.each(REFUSED)("in %s", async (door, made) => {
    const { path, body, at, status = 422 } = made();
    const refused = await expectFreeLoop(`saving a wide pattern in ${door}`, () =>
      app.send("POST", path, body),
    );
    expect(refused.status).toBe(status);
    const told = JSON.stringify(refused.body);
    expect(told).toContain(at);
    expect(told).toMatch(/too large/);
  });

  test("in a prompt with its line and the cure, and also when a prompt is changed", async () => {
    const saved = await app.send("POST", "/api/v1/prompts/", prompt('on "a" -> say "a"'));
    const input = prompt(`on "a" -> say "/not one/" # nor /${WIDE}/\non /${WIDE}/ -> say "b"`);
    const refused = await app.send("PUT", "/api/v1/prompts/", { ...input, id: saved.body.id });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toEqual([
      {
        loc: ["body", "context"],
        type: "script-pattern-too-large",
        msg: "The pattern in line 4 of the prompt is too large. Use smaller counts in repetitions such as {0,1000}, or words in quotes instead of a pattern.",
      },
    ]);
  });
});

/** Where the same text is no pattern but words, which stand for themselves. */
const WORDS: [string, () => Promise<{ status: number }>][] = [
  [
    "a search",
    () =>
      app.send("GET", `/api/v1/sessions/?search_fields=all&search_field_values=${encodeURIComponent(WIDE)}`),
  ],
  [
    "words in quotes of a rule",
    () => app.send("POST", "/api/v1/prompts/", prompt(`on "${WIDE}" -> say "a" # /${WIDE}/`)),
  ],
];

describe("a pattern is only words", () => {
  test.each(WORDS)("in %s", async (door, send) => {
    const { status } = await expectFreeLoop(`a wide pattern in ${door}`, send);
    expect(status).toBeLessThan(500);
  });
});

describe("a pattern that was saved by an earlier version", () => {
  test("of a prompt is told as an error where the prompt is shown, and the rest of the list is not held up", async () => {
    const rules = Array.from({ length: 300 }, (_, n) => `on /([ab]{1,50}){${n % 40}}c${n}/ -> say "a"`).join(
      "\n",
    );
    const ids: number[] = [];
    for (let n = 0; n < 30; n++) {
      const { body } = await app.send("POST", "/api/v1/prompts/", prompt('on "a" -> say "a"'));
      ids.push(body.id);
    }
    await sql`update prompts set context = ${prompt(`on /${WIDE}/ -> say "a"\n${rules}`).context} where id = any(${ids})`.execute(
      app.db,
    );
    const list = await expectFreeLoop("a list of thirty prompts with a hundred wide patterns each", () =>
      app.send("GET", "/api/v1/prompts/?limit=1000"),
    );
    const one = list.body.items.find(({ id }: { id: number }) => id === ids[0]);
    expect(one.validation_issues).toContainEqual(
      expect.objectContaining({
        id: "script-pattern-too-large",
        severity: "error",
        path: "$.context",
        message: expect.stringContaining("line 3 of the prompt"),
      }),
    );
  });

  test("of thirty tools, more than are kept compiled, does not hold up their list", async () => {
    for (let n = 0; n < 30; n++) {
      const patterns = Array.from({ length: 20 }, (_, m) => ({
        pattern: `[ab]{${200 + n}}[cd]{${200 + m}}`,
      }));
      const { status } = await app.send(
        "POST",
        "/api/v1/tools/",
        tool({ parameters: { type: "object", properties: { a: { type: "string", allOf: patterns } } } }),
      );
      expect(status).toBe(200);
    }
    const list = await expectFreeLoop("a list of thirty tools with twenty wide patterns each", () =>
      app.send("GET", "/api/v1/tools/?limit=1000"),
    );
    expect(list.status).toBe(200);
  });

  test("of an expression has no value", async () => {
    const { compileExpression, evaluate } = await import("../../src/expressions/expression.ts");
    const many = Array.from({ length: 20 }, (_, n) => `text.matches("[ab]{0,${800 + n}}c")`).join(" || ");
    for (const expression of [many, `text.matches(pattern)`]) {
      const compilation = compileExpression({ type: "cel", expression });
      const value = await expectFreeLoop(`the patterns of an expression: ${expression.slice(0, 40)}`, () =>
        compilation.ok ? evaluate(compilation.expression, { text: LONG, pattern: WIDE }) : compilation,
      );
      expect(value).toMatchObject({ ok: false });
    }
  });
});
