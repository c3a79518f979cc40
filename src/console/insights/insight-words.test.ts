import { expect, test } from "vitest";
import type { InsightToolDefinition, InsightWorkflowOutput } from "../api-types.ts";
import { expectedDay, kindChoices, knownEstimate } from "./insight-words.tsx";

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

test("what happens less than once a day is not none of a cost", () => {
  const rare = { estimate: { ...estimate, estimated_daily_cost: 0.07 } } as InsightWorkflowOutput;
  expect(expectedDay(rare)).toBe("under 1 for $0.07");
});

test("kinds of tools are chosen by the names that the list has, and two of one kind are told apart", () => {
  const kind = (id: number, name: string, type: string) => ({ id, name, type }) as InsightToolDefinition;
  const kinds = [kind(1, "llm_tool", "llm"), kind(2, "transcribe", "transcription")];
  expect(kindChoices([...kinds, kind(3, "older", "transcription")])).toEqual([
    { value: "1", label: "Model" },
    { value: "2", label: "Transcription" },
    { value: "3", label: "Transcription (older)" },
  ]);
});
