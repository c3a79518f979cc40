import { expect, test } from "vitest";
import { type CountedResult, compareRuns, summarize, type TestStatus } from "./summary.ts";

const run = (statuses: Record<string, TestStatus[]>): CountedResult[] =>
  Object.entries(statuses).flatMap(([case_name, own]) =>
    own.map((status) => ({ case_name, status, cost_usd: 0 })),
  );
/** Ten cases of the same outcome, after those given. */
const ten = (status: TestStatus, more: Record<string, TestStatus[]> = {}) =>
  run({ ...more, ...Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`Case ${n}`, [status]])) });

test("a run in which the model gave no answers is told as no worse and no better, and names the cases it leaves out", () => {
  const down = compareRuns(ten("passed", { Other: ["passed"] }), ten("error", { Other: ["failed"] }));
  expect(down).toMatchObject({ pairs: 1, better: [], worse: ["Other"], verdict: "can't tell" });
  expect(down.left_out).toHaveLength(10);
  expect(down.says).toMatch(
    /^No difference .* 10 cases are left out: in one of the runs they ended in an error\.$/,
  );
  expect(compareRuns(ten("error"), ten("passed"))).toMatchObject({
    pairs: 0,
    better: [],
    verdict: "can't tell",
  });
  expect(compareRuns(ten("passed"), ten("failed"))).toMatchObject({
    pairs: 10,
    verdict: "worse",
    left_out: [],
  });
  // To pass, each repetition has to: what could not be held did not.
  expect(summarize(ten("error")).cases).toMatchObject({ passed: 0, total: 10 });
});

test("a case with an error in one repetition is left out, whether or not another one failed", () => {
  const before = run({ A: ["passed", "passed"], B: ["passed", "passed"], C: ["passed", "passed"] });
  const after = run({ A: ["passed", "error"], B: ["failed", "error"], C: ["passed", "failed"] });
  expect(compareRuns(before, after)).toMatchObject({ pairs: 1, worse: ["C"], left_out: ["A", "B"] });
});

test("a run of three repetitions is no worse than a run of one for having been stricter", () => {
  const cases = (statuses: TestStatus[]) =>
    run(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`Case ${n}`, statuses])));
  const [once, thrice] = [cases(["passed"]), cases(["passed", "failed", "passed"])];
  for (const [before, after] of [
    [once, thrice],
    [thrice, once],
  ] as const)
    expect(compareRuns(before, after)).toMatchObject({
      pairs: 12,
      better: [],
      worse: [],
      verdict: "can't tell",
    });
  // Of as many repetitions all have to pass.
  expect(compareRuns(cases(["passed", "passed", "passed"]), thrice).verdict).toBe("worse");
});

test("a summary counts what was played, what it cost, and how fast 95 of 100 answers came", () => {
  const result = (n: number, more: Partial<CountedResult>): CountedResult => ({
    case_name: `Case ${n}`,
    status: "passed",
    cost_usd: 0.25,
    ...more,
  });
  const answers_ms = Array.from({ length: 100 }, (_, n) => 100 - n);
  const results = [
    result(1, { measures: { answers_ms, agent_cost_usd: 0.5 } }),
    result(2, { status: "failed", cost_usd: null, measures: { answers_ms: [], agent_cost_usd: 0.25 } }),
    result(3, { status: "skipped", cost_usd: 0 }),
  ];
  expect(summarize(results)).toMatchObject({
    cases: { passed: 1, total: 2, rate: 0.5 },
    results: { total: 3, passed: 1, failed: 1, skipped: 1 },
    by_case: [{ rate: 1 }, { rate: 0 }, { rate: null, low: null, high: null }],
    cost_usd: 0.25,
    answer_p95_ms: 95,
    agent_cost_usd: 0.375,
  });
  const unpriced = result(4, { measures: { answers_ms: [], agent_cost_usd: null } });
  expect(summarize([...results, unpriced]).agent_cost_usd).toBeNull();
  expect(summarize([])).toMatchObject({ cases: { rate: null }, answer_p95_ms: null, agent_cost_usd: null });
});

test("a case that only one of two runs has is compared with nothing", () => {
  expect(compareRuns(run({ A: ["passed"] }), run({ A: ["passed"], B: ["failed"] }))).toMatchObject({
    pairs: 1,
    worse: [],
    left_out: [],
  });
});
