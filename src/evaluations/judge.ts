import { z } from "zod";
import { compilePattern } from "../base/pattern.ts";
import { cutTo } from "../base/storable.ts";
import { compileExpression, isTrue } from "../expressions/expression.ts";
import { variableLookup } from "../expressions/template.ts";
import { contains } from "../tool-calls/contains.ts";
import type { TestExpectation } from "./test-case.ts";

/** Whether one expectation of a case was met, and why. */
export const TestVerdict = z
  .object({
    expectation: z.string(),
    passed: z.boolean(),
    why: z.string(),
    informs: z
      .boolean()
      .optional()
      .describe("true: a judge that is not calibrated; the result passes without it."),
    votes_yes: z.int().optional().describe("Of a judge: how many of its votes say yes."),
    votes: z.int().optional(),
    model: z
      .string()
      .nullable()
      .optional()
      .describe("Of a judge: who answered; null: its tool asks no model."),
  })
  .meta({ id: "TestVerdict" });
export type TestVerdict = z.infer<typeof TestVerdict>;

export type ObservedCall = { tool: string; arguments: unknown; result: unknown; error: string | null };

/** What came of a test session. */
export type Observed = {
  /** Each text of the agent. */
  said: string[];
  calls: ObservedCall[];
  /** Steps of workflows that were entered. */
  steps: string[];
  /** The same in their order, each as often as it was entered. */
  path: string[];
  /** How long the person waited for each answer, without the time of tools. */
  answers_ms: number[];
  variables: Record<string, unknown>;
  language: string;
  ended_by: "agent" | "person";
  /** null: a model of unknown price answered. */
  cost_usd: number | null;
};

/** One verdict for each expectation, in the order they are documented; pure. */
export function judge(expected: TestExpectation, observed: Observed): TestVerdict[] {
  const { said, calls, steps, path, variables, language, ended_by } = observed;
  const named = (tool: string) => calls.filter((call) => call.tool === tool);
  const names = calls.map(({ tool }) => tool);
  return [
    ...(expected.called ?? []).map(({ tool, arguments: wanted, where, times }) => {
      const all = named(tool);
      const fitting = all.filter((call) => contains(call.arguments, wanted ?? {}) && holds(where, call));
      return verdict(
        `called ${tool}${wanted ? ` with ${shown(wanted)}` : ""}${where ? ` where ${where}` : ""}${times ? ` ${times}×` : ""}`,
        times ? fitting.length === times : fitting.length > 0,
        all.length === 0 ? `${tool} was not called` : `called with ${all.map(argumentsOf).join(", then ")}`,
      );
    }),
    ...(expected.not_called ?? []).map((tool) => {
      const count = named(tool).length;
      return verdict(`not called ${tool}`, count === 0, count === 0 ? "not called" : `called ${count}×`);
    }),
    ...(expected.order
      ? [
          verdict(
            `order ${expected.order.join(" → ")}`,
            isInOrder(names, expected.order),
            `calls: ${pathOf(names)}`,
          ),
        ]
      : []),
    ...(expected.steps ?? []).map((step) =>
      verdict(`step ${step}`, steps.includes(step), `steps entered: ${steps.join(", ") || "none"}`),
    ),
    ...(expected.path
      ? [
          verdict(
            `path ${expected.path.join(" → ")}`,
            isInOrder(path, expected.path),
            `steps: ${pathOf(path)}`,
          ),
        ]
      : []),
    ...Object.entries(expected.variables ?? {}).map(([name, wanted]) =>
      variableVerdict(name, wanted, variables),
    ),
    ...(expected.final ?? []).map((wanted) => finalVerdict(wanted, named(wanted.tool).at(-1))),
    ...(expected.said ?? []).map((pattern) => {
      const found = said.find((text) => matches(pattern, text));
      return verdict(
        `said /${pattern}/`,
        found !== undefined,
        found === undefined ? `the last words were: ${cut(said.at(-1) ?? "(none)")}` : cut(found),
      );
    }),
    ...(expected.not_said ?? []).map((pattern) => {
      const found = said.find((text) => matches(pattern, text));
      return verdict(
        `not said /${pattern}/`,
        found === undefined,
        found === undefined ? "not said" : cut(found),
      );
    }),
    ...(expected.language
      ? [verdict(`language ${expected.language}`, language === expected.language, `it is ${language}`)]
      : []),
    ...(expected.ended_by
      ? [
          verdict(
            `ended by the ${expected.ended_by}`,
            ended_by === expected.ended_by,
            ended_by === "agent" ? "the agent ended the session" : "the person had nothing more to say",
          ),
        ]
      : []),
    ...(expected.within_ms == null ? [] : [timeVerdict(expected.within_ms, observed.answers_ms)]),
    ...(expected.max_cost_usd == null ? [] : [costVerdict(expected.max_cost_usd, observed.cost_usd)]),
  ];
}

/** A name finds what a template of that name would print, with `vars.` or without. */
function variableVerdict(name: string, wanted: unknown, variables: Record<string, unknown>): TestVerdict {
  const value = variableLookup(variables)(name);
  return verdict(
    `variable ${name} = ${shown(wanted)}`,
    value !== undefined && contains(value, wanted),
    value === undefined ? "it has no value" : `it is ${shown(value)}`,
  );
}

/** RE2, whatever the case. */
export const matches = (pattern: string, text: string): boolean =>
  compilePattern(pattern, { ignoreCase: true }).program.matcher(text).find();

type Final = NonNullable<TestExpectation["final"]>[number];

function finalVerdict(wanted: Final, last: ObservedCall | undefined): TestVerdict {
  const { tool, arguments: given, result, failed } = wanted;
  const parts = [
    ...(given ? [`arguments ${shown(given)}`] : []),
    ...(result === undefined ? [] : [`result ${shown(result)}`]),
    ...(failed == null ? [] : [failed ? "failed" : "succeeded"]),
  ];
  const expectation = `last call of ${tool}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
  if (!last) return verdict(expectation, false, `${tool} was not called`);
  const passed =
    contains(last.arguments, given ?? {}) &&
    (result === undefined || contains(last.result, result)) &&
    (failed == null || failed === (last.error !== null));
  return verdict(expectation, passed, `${argumentsOf(last)} gave ${shown(last.error ?? last.result)}`);
}

function timeVerdict(most_ms: number, answers_ms: readonly number[]): TestVerdict {
  const expectation = `each answer within ${most_ms} ms`;
  if (answers_ms.length === 0) return verdict(expectation, false, "the agent gave no answer");
  const slowest = Math.max(...answers_ms);
  return verdict(expectation, slowest <= most_ms, `the slowest took ${Math.ceil(slowest)} ms`);
}

/** What can't be evaluated over the arguments that were given does not hold. */
function holds(where: string | null | undefined, call: ObservedCall): boolean {
  if (where == null) return true;
  const compilation = compileExpression({ type: "cel", expression: where });
  return compilation.ok && isTrue(compilation.expression, { arguments: call.arguments ?? {} });
}

function costVerdict(most: number, cost: number | null): TestVerdict {
  const expectation = `costs at most $${most}`;
  if (cost === null) return verdict(expectation, false, "the model's price is not known");
  return verdict(expectation, cost <= most, `it cost $${Number(cost.toFixed(6))}`);
}

function isInOrder(names: string[], wanted: string[]): boolean {
  let at = 0;
  for (const name of names) if (name === wanted[at]) at++;
  return at === wanted.length;
}

const verdict = (expectation: string, passed: boolean, why: string): TestVerdict => ({
  expectation: cut(expectation),
  passed,
  why: cut(why),
});

const pathOf = (names: string[]): string => names.join(" → ") || "none";
const argumentsOf = (call: ObservedCall): string => shown(call.arguments);
const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

const MAX_SHOWN = 500;
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${cutTo(text, MAX_SHOWN)}…` : text);
