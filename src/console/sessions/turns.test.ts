import { expect, test } from "vitest";
import type { TimelineEvent, TraceEntryResponse } from "../api-types.ts";
import { engineState, turnsOf, waterfall } from "./turns.ts";

let id = 0;
const at = (ms: number): string => new Date(Date.UTC(2026, 10, 20, 12) + ms).toISOString();
const entry = (part: Partial<TraceEntryResponse>): TraceEntryResponse => {
  id += 1;
  return {
    id,
    turn_index: 1,
    category: "llm",
    label: "answer",
    timestamp: at(0),
    duration_ms: null,
    metadata: null,
    details: null,
    ...part,
  };
};
const said = (turn_index: number | null, text: string, ms: number): TimelineEvent => ({
  kind: "transcript",
  timestamp: at(ms),
  offset: "00:00",
  text,
  source: "user",
  turn_index,
});

test("words and the engine's account of them stand in the same turn, in order", () => {
  const turns = turnsOf(
    [said(0, "hello", 0), said(1, "hi", 1000), said(null, "and", 1100), said(2, "bye", 2000)],
    [entry({ turn_index: 2 }), entry({ turn_index: 1, category: "turn", duration_ms: 40 })],
  );
  expect(
    turns.map(({ index, duration_ms, events, trace }) => [index, duration_ms, events.length, trace.length]),
  ).toEqual([
    [0, null, 1, 0],
    [1, 40, 2, 1],
    [2, null, 1, 1],
  ]);
});

test("spans of a waterfall stay within the turn and keep their proportions", () => {
  const { spans, total_ms } = waterfall([
    entry({ category: "turn", timestamp: at(0), duration_ms: 100 }),
    entry({ timestamp: at(10), duration_ms: 40 }),
    entry({ category: "tool", timestamp: at(50), duration_ms: 50 }),
    entry({ category: "note" }),
  ]);
  expect(total_ms).toBe(100);
  expect(spans.map(({ from, width }) => [from, width])).toEqual([
    [0.1, 0.4],
    [0.5, 0.5],
  ]);
});

test("the state is that of the last change", () => {
  const state = engineState([
    entry({ category: "step", label: "entered", details: { workflow: "visit", step: "ASK" } }),
    entry({ details: { input_tokens: 12, output_tokens: 3 } }),
    entry({
      category: "step",
      label: "variables",
      details: { changes: { coming: { before: null, after: true } } },
    }),
    entry({
      category: "state",
      label: "variables",
      details: { changes: { coming: { before: true, after: false } } },
    }),
    entry({ category: "step", label: "entered", details: { workflow: "visit", step: "THANK" } }),
  ]);
  expect(state).toMatchObject({ workflow: "visit", step: "THANK", input_tokens: 12, output_tokens: 3 });
  expect([...state.variables]).toEqual([["coming", false]]);
});
