import { expect, test } from "vitest";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { expectedDay, knownEstimate } from "./insight-words.tsx";

const estimate = {
  backfill_count: 0,
  backfill_duration: 0,
  estimated_daily_count: 0,
  estimated_daily_duration: 0,
  estimated_daily_cost: 0,
  estimated_backfill_cost: 0,
};

test("zeros of an estimate that took too long are shown as unknown, and those of a counted one as zeros", () => {
  const counted = { estimate } as InsightWorkflowOutput;
  expect([knownEstimate(counted), expectedDay(counted)]).toEqual([estimate, "0"]);
  const uncounted = { ...counted, estimate_problem: "It took too long." };
  expect([knownEstimate(uncounted), expectedDay(uncounted)]).toEqual([null, "–"]);
});
