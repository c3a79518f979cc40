import fc from "fast-check";
import { expect, test } from "vitest";
import { summarize } from "../evaluations/summary.ts";
import { judgeGate } from "./publish-gate.ts";

const summaryOf = (passed: number, failed: number, skipped = 0) =>
  summarize(
    [
      ...Array.from({ length: passed }, () => "passed" as const),
      ...Array.from({ length: failed }, () => "failed" as const),
      ...Array.from({ length: skipped }, () => "skipped" as const),
    ].map((status, n) => ({ case_name: String(n), status, cost_usd: null })),
  );
const judged = (at_least: number, passed: number, failed: number, skipped = 0) =>
  judgeGate({ suite_id: 1, at_least }, "Suite", 1, summaryOf(passed, failed, skipped));

test("more that pass never holds back what fewer let through, and a higher bar lets through no more", () => {
  const count = fc.nat(40);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), count, count, (bar, passed, failed) => {
      if (failed > 0 && judged(bar, passed, failed).passes)
        expect(judged(bar, passed + 1, failed - 1).passes).toBe(true);
      if (!judged(bar, passed, failed).passes)
        expect(judged(Math.min(1, bar + 0.1), passed, failed).passes).toBe(false);
    }),
  );
});

test("no test, no run and a run cut short let nothing through", () => {
  expect(judged(0, 0, 0).passes).toBe(false);
  expect(judgeGate({ suite_id: 1, at_least: 0 }, "Suite", null, null).says).toBe(
    "Suite: not run with this draft.",
  );
  expect(judged(0, 20, 0, 1)).toMatchObject({ passes: false, says: "Suite: 1 conversations were not run." });
  expect(judgeGate({ suite_id: 1, at_least: 0 }, null, 1, summaryOf(20, 0)).passes).toBe(false);
});

const measured = (answers_ms: number[], agent_cost_usd: number | null) =>
  summarize(
    Array.from({ length: 20 }, (_, n) => ({
      case_name: String(n),
      status: "passed" as const,
      cost_usd: 0,
      measures: { answers_ms, agent_cost_usd },
    })),
  );
const budgeted = (budgets: object, summary: ReturnType<typeof summarize>) =>
  judgeGate({ suite_id: 1, at_least: 0.8, ...budgets }, "Suite", 1, summary);

test("what takes longer or costs more than it may holds a draft back, with the sentence", () => {
  const fast = [...Array.from({ length: 95 }, () => 300), ...Array.from({ length: 5 }, () => 5_000)];
  expect(budgeted({ most_answer_ms: 300 }, measured(fast, 0)).passes).toBe(true);
  const slow = budgeted({ most_answer_ms: 299 }, measured(fast, 0));
  expect(slow).toMatchObject({ passes: false, answer_p95_ms: 300 });
  expect(slow.says).toMatch(/5 of 100 answers take longer than 300 ms; 299 ms is allowed\.$/);
  const dear = budgeted({ most_cost_usd: 0.01 }, measured([1], 0.0123));
  expect(dear).toMatchObject({ passes: false, agent_cost_usd: expect.closeTo(0.0123, 9) });
  expect(dear.says).toMatch(/A conversation costs \$0\.0123; \$0\.01 is allowed\.$/);
});

test("a budget for what is not known holds back, and without a budget nothing is asked", () => {
  expect(budgeted({ most_cost_usd: 1 }, measured([1], null)).says).toContain("its model has no price here");
  expect(budgeted({ most_answer_ms: 1_000 }, measured([], 0)).passes).toBe(false);
  expect(budgeted({}, measured([60_000], null)).passes).toBe(true);
  expect(budgeted({ most_answer_ms: null, most_cost_usd: null }, measured([60_000], null)).passes).toBe(true);
});

test("a rate is never told as more than it is", () => {
  expect(judged(0.8389, 20, 0)).toMatchObject({ passes: false });
  expect(judged(0.8389, 20, 0).says).toContain("shows at least 83.8 %; 83.89 % is asked for");
});
