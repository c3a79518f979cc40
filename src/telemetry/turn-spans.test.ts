import { describe, expect, test } from "vitest";
import type { TraceEntry } from "../events/trace.ts";
import { turnSpans } from "./turn-spans.ts";

const OPTIONS = { installation: "one", content: true };
const spansOf = (turn_index: number, trace: TraceEntry[]) =>
  turnSpans(
    {
      session_id: 1,
      agent_name: "Clinic",
      channel: "voice",
      is_test: false,
      messages: [],
      turn_index,
      at: new Date(5_000),
      trace,
    },
    OPTIONS,
  );
const WHOLE: TraceEntry = { category: "turn", label: "turn", duration_ms: 90 };
const spanOfTurn = (turn_index: number) => spansOf(turn_index, [WHOLE]).at(-1);

describe("what came too late for its turn", () => {
  const late: TraceEntry[] = [
    { category: "tts", label: "mouth to ear", duration_ms: 700, late: true },
    { category: "note", label: "interrupted", late: true },
  ];
  const spans = spansOf(2, [...late, { category: "note", label: "a note" }, WHOLE]);

  test("is below that turn, and no event of the one that stored it", () => {
    const before = spanOfTurn(1)?.span_id;
    const below = spans.filter(({ parent_id }) => parent_id === before);
    expect(below.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["text_to_speech", {}],
      ["note", { "parley.label": "interrupted" }],
    ]);
    const own = spans.find(({ span_id }) => span_id === spanOfTurn(2)?.span_id);
    expect(own?.events.map(({ attributes }) => attributes["parley.label"])).toEqual(["a note"]);
  });
});

test("what happened at a moment is told with every commit of a turn, once", () => {
  const step: TraceEntry = { category: "step", label: "asks for the day" };
  const first = spansOf(1, [step]);
  expect(first).toMatchObject([
    {
      name: "step",
      parent_id: spanOfTurn(1)?.span_id,
      duration_ms: 0,
      attributes: { "parley.label": step.label },
    },
  ]);
  const last = spansOf(1, [step, WHOLE]);
  expect(last).toMatchObject([{ name: "invoke_agent Clinic", events: [{ name: "step" }] }]);
});
