import { expect, test } from "vitest";
import { catalogueOf } from "../llm/catalogue.ts";
import { withSteps, withTask } from "../tools/tool-definition.examples.ts";
import { promptIssues } from "./prompt-issues.ts";

const offer = { catalogue: catalogueOf(), today: "2026-11-23" };
const prompt = (more: Partial<Parameters<typeof promptIssues>[0]>) => ({
  context: "You are a test.",
  tools: [],
  llm_config: {
    provider: "azure_openai" as const,
    model: "gpt-4o",
    temperature: null,
    seed: null,
    version: null,
    api_version: null,
  },
  ...more,
});
const found = (more: Parameters<typeof prompt>[0]) =>
  promptIssues(prompt(more), offer).map(({ id, message }) => `${id}: ${message}`);

test("a workflow that uses a tool which its prompt lacks is found, once for each tool", () => {
  const calls = [
    { action: "call", name: "lookup" },
    { action: "call", name: "lookup" },
  ];
  const definition = withSteps({ id: "A", tools: { allow: ["hangup", "go_to_step"] }, on: { start: calls } });
  const tools_full = [{ name: "visit", definition }];
  expect(found({ tools: ["visit", "hangup"], tools_full })).toEqual([
    "workflow-tool-missing: The workflow visit uses lookup, which is not among this prompt's tools. Add it, or the call fails.",
  ]);
  expect(found({ tools: ["visit", "hangup", "lookup"], tools_full })).toEqual([]);
});

test("a tool at the end of a session that is enabled and not chosen is found", () => {
  expect(found({ session_end_enabled: true, session_end_tool_id: null })).toEqual([
    "session-end-tool-missing: No tool is called when a session ends: choose one, or set session_end_enabled to false.",
  ]);
  expect(found({ session_end_enabled: true, session_end_tool_id: 7 })).toEqual([]);
  expect(found({ session_end_enabled: false })).toEqual([]);
});

test("a task of another tool of the prompt may be called", () => {
  const calls = [{ action: "call", name: "submit_other" }];
  const tools_full = [
    { name: "visit", definition: withSteps({ id: "A", on: { start: calls } }) },
    {
      name: "other",
      definition: withTask({ type: "expression", tool: { name: "submit_other" }, expression: "`1`" }),
    },
  ];
  expect(found({ tools: ["visit", "other"], tools_full })).toEqual([]);
});

test("instructions that a model's window can't take are found, others are not", () => {
  expect(found({ context: "word ".repeat(60_000) })).toEqual([]);
  expect(found({ context: "word ".repeat(80_000) })).toEqual([
    "instructions-too-long: The instructions take up to 160,000 tokens, and GPT-4o reads 128,000 in all. Shorten them, or move text into data sources.",
  ]);
});
