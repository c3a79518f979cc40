import { z } from "zod";
import { compilePattern } from "../base/pattern.ts";
import { contains } from "../tool-calls/contains.ts";
import type { TestExpectation } from "./test-case.ts";

/** Whether one expectation of a case was met, and why. */
export const TestVerdict = z
  .object({ expectation: z.string(), passed: z.boolean(), why: z.string() })
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
  variables: Record<string, unknown>;
  language: string;
  ended_by: "agent" | "person";
  /** null: a model of unknown price answered. */
  cost_usd: number | null;
};

/** One verdict for each expectation, in the order they are documented; pure. */
export function judge(expected: TestExpectation, observed: Observed): TestVerdict[] {
  const { said, calls, steps, variables, language, ended_by } = observed;
  const named = (tool: string) => calls.filter((call) => call.tool === tool);
  const names = calls.map(({ tool }) => tool);
  return [
    ...(expected.called ?? []).map(({ tool, arguments: wanted, times }) => {
      const all = named(tool);
      const fitting = all.filter((call) => contains(call.arguments, wanted ?? {}));
      return verdict(
        `called ${tool}${wanted ? ` with ${shown(wanted)}` : ""}${times ? ` ${times}×` : ""}`,
        times ? fitting.length === times : fitting.length > 0,
        all.length === 0 ? `${tool} was not called` : `called with ${all.map(argumentsOf).join(", then ")}`,
      );
    }),
    ...(expected.not_called ?? []).map((tool) => {
      const count = named(tool).length;
      return verdict(`not called ${tool}`, count === 0, count === 0 ? "not called" : `called ${count}×`);
    }),
    ...(expected.order
      ? [verdict(`order ${expected.order.join(" → ")}`, isInOrder(names, expected.order), pathOf(names))]
      : []),
    ...(expected.steps ?? []).map((step) =>
      verdict(`step ${step}`, steps.includes(step), `steps entered: ${steps.join(", ") || "none"}`),
    ),
    ...Object.entries(expected.variables ?? {}).map(([name, wanted]) =>
      verdict(
        `variable ${name} = ${shown(wanted)}`,
        Object.hasOwn(variables, name) && contains(variables[name], wanted),
        Object.hasOwn(variables, name) ? `it is ${shown(variables[name])}` : "it has no value",
      ),
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
    ...(expected.max_cost_usd == null ? [] : [costVerdict(expected.max_cost_usd, observed.cost_usd)]),
  ];
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

const pathOf = (names: string[]): string => `calls: ${names.join(" → ") || "none"}`;
const argumentsOf = (call: ObservedCall): string => shown(call.arguments);
const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

const MAX_SHOWN = 500;
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
