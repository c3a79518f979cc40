import type { TestCaseExpectation } from "../api-types.ts";

/** One thing a test expects, as a line of the form. */
export type Check = { kind: CheckKind; text: string; times?: number | null };

export const CHECK_KINDS = {
  said: "The agent says",
  not_said: "The agent never says",
  called: "It calls the tool",
  not_called: "It never calls the tool",
  steps: "It enters the step",
  language: "The language at the end is",
  ended_by: "It is ended by",
  judges: "A judge says yes",
} as const;
export type CheckKind = keyof typeof CHECK_KINDS;

/** The expectations that a line can show; the others stay as they are. Pure, with `withChecks` its reverse. */
export function checksOf(expected: TestCaseExpectation): Check[] {
  return [
    ...texts("said", expected.said),
    ...texts("not_said", expected.not_said),
    ...(expected.called ?? []).filter(isPlain).map(({ tool, times }) => ({
      kind: "called" as const,
      text: tool,
      ...(times != null && { times }),
    })),
    ...texts("not_called", expected.not_called),
    ...texts("steps", expected.steps),
    ...texts("language", expected.language == null ? [] : [expected.language]),
    ...texts("ended_by", expected.ended_by == null ? [] : [expected.ended_by]),
    ...texts("judges", expected.judges),
  ];
}

/** The expectations with these lines in place of those that lines show. An empty line stays, and is refused when saved. */
export function withChecks(expected: TestCaseExpectation, checks: readonly Check[]): TestCaseExpectation {
  const of = (kind: CheckKind) => checks.filter((check) => check.kind === kind);
  const list = (kind: CheckKind) => of(kind).map(({ text }) => text);
  const others = (expected.called ?? []).filter((call) => !isPlain(call));
  const called = [
    ...of("called").map(({ text, times }) => ({ tool: text, ...(times != null && { times }) })),
    ...others,
  ];
  const {
    said: _s,
    not_said: _n,
    called: _c,
    not_called: _nc,
    steps: _st,
    language: _l,
    ended_by: _e,
    judges: _j,
    ...kept
  } = expected;
  const language = list("language").at(-1);
  const ended_by = list("ended_by").at(-1);
  return {
    ...kept,
    ...some("said", list("said")),
    ...some("not_said", list("not_said")),
    ...some("called", called),
    ...some("not_called", list("not_called")),
    ...some("steps", list("steps")),
    ...some("judges", list("judges")),
    ...(language !== undefined && { language }),
    ...(ended_by !== undefined && { ended_by: ended_by === "agent" ? "agent" : "person" }),
  };
}

/** What is expected beside the lines, in words: it is written as JSON. */
export function otherChecks(expected: TestCaseExpectation): string[] {
  return [
    ...(expected.called ?? [])
      .filter((call) => !isPlain(call))
      .map(
        ({ tool, arguments: given, where }) =>
          `It calls ${tool}${given == null ? "" : ` with ${JSON.stringify(given)}`}${where == null ? "" : ` where ${where}`}`,
      ),
    ...(expected.order ? [`It calls ${expected.order.join(", then ")}`] : []),
    ...(expected.path ? [`It enters ${expected.path.join(", then ")}`] : []),
    ...Object.entries(expected.variables ?? {}).map(([name, value]) => `${name} is ${JSON.stringify(value)}`),
    ...(expected.final ?? []).map(
      ({ tool, ...wanted }) => `Its last call of ${tool}: ${JSON.stringify(wanted)}`,
    ),
    ...(expected.within_ms == null ? [] : [`Each answer comes within ${expected.within_ms} ms`]),
    ...(expected.max_cost_usd == null ? [] : [`It costs at most $${expected.max_cost_usd}`]),
  ];
}

type Call = NonNullable<TestCaseExpectation["called"]>[number];
const isPlain = (call: Call): boolean => call.arguments == null && call.where == null;
const texts = (kind: CheckKind, found: readonly string[] | null | undefined): Check[] =>
  (found ?? []).map((text) => ({ kind, text }));
const some = <K extends string, T>(key: K, found: T[]): { [Key in K]?: T[] } =>
  (found.length > 0 ? { [key]: found } : {}) as { [Key in K]?: T[] };
