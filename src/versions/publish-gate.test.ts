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

test("a rate is never told as more than it is", () => {
  expect(judged(0.8389, 20, 0)).toMatchObject({ passes: false });
  expect(judged(0.8389, 20, 0).says).toContain("shows at least 83.8 %; 83.89 % is asked for");
});
