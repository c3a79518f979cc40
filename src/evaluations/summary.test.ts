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
