import { expect, test } from "vitest";
import { judge, type Observed } from "./judge.ts";
import { TestExpectation } from "./test-case.ts";

const observed: Observed = {
  said: ["Hello."],
  calls: [
    { tool: "charge", arguments: { amount: 40 }, result: {}, error: null },
    { tool: "charge", arguments: { amount: 80 }, result: {}, error: null },
  ],
  steps: ["ASK", "PAY", "DONE"],
  path: ["ASK", "PAY", "ASK", "DONE"],
  answers_ms: [120, 900.4],
  variables: {},
  language: "en-US",
  ended_by: "agent",
  cost_usd: 0,
};
const told = (expected: object, of: Observed = observed) =>
  judge(TestExpectation.parse(expected), of).map(
    ({ passed, why }) => `${passed ? "met" : "not met"}: ${why}`,
  );

test("a call counts where its arguments make a CEL expression true, and one that can't be evaluated does not", () => {
  const called = (where: string, times?: number) => told({ called: [{ tool: "charge", where, times }] })[0];
  expect(called("arguments.amount <= 50")).toMatch(/^met/);
  expect(called("arguments.amount <= 50", 2)).toBe('not met: called with {"amount":40}, then {"amount":80}');
  expect(called("arguments.amount > 0", 2)).toMatch(/^met/);
  expect(called("arguments.currency == 'EUR'")).toMatch(/^not met/);
  const broken = TestExpectation.safeParse({ called: [{ tool: "charge", where: "arguments.amount <" }] });
  expect(broken.error?.issues[0]).toMatchObject({
    path: ["called", 0, "where"],
    message: expect.stringMatching(/^Input should be a CEL expression: /),
  });
});

test("a path is met by steps that were entered in its order, whatever comes between", () => {
  expect(told({ path: ["ASK", "PAY", "DONE"] })).toEqual(["met: steps: ASK → PAY → ASK → DONE"]);
  expect(told({ path: ["PAY", "ASK", "ASK"] })).toEqual(["not met: steps: ASK → PAY → ASK → DONE"]);
});

test("the slowest answer decides whether all came in time, and none is not in time", () => {
  expect(told({ within_ms: 901 })).toEqual(["met: the slowest took 901 ms"]);
  expect(told({ within_ms: 900 })).toEqual(["not met: the slowest took 901 ms"]);
  expect(told({ within_ms: 900 }, { ...observed, answers_ms: [] })).toEqual([
    "not met: the agent gave no answer",
  ]);
});

test("a variable is found by the name that a template has for it: with vars. or without, or a part of its value", () => {
  const variables = { "vars.plan": "gold", city: "Kyiv", order: { total: 12 } };
  const verdicts = (expected: object) => told({ variables: expected }, { ...observed, variables });
  expect(verdicts({ plan: "gold", "vars.plan": "gold", "vars.city": "Kyiv", "order.total": 12 })).toEqual([
    'met: it is "gold"',
    'met: it is "gold"',
    'met: it is "Kyiv"',
    "met: it is 12",
  ]);
  expect(verdicts({ plan: "silver", nothing: "x" })).toEqual([
    'not met: it is "gold"',
    "not met: it has no value",
  ]);
});
