import { expect, test } from "vitest";
import type { TraceEntryResponse } from "../api-types.ts";
import { callMarks, recordingOffsets } from "./call-marks.ts";

const BEGAN = "2026-11-02T10:00:00.000Z";
const entry = (
  after_ms: number,
  category: TraceEntryResponse["category"],
  label: string,
  more: Partial<TraceEntryResponse> = {},
): TraceEntryResponse => ({
  id: after_ms,
  turn_index: 1,
  category,
  label,
  timestamp: new Date(Date.parse(BEGAN) + after_ms).toISOString(),
  duration_ms: null,
  metadata: null,
  details: null,
  ...more,
});
const recording = { began_at: BEGAN, duration_ms: 10_000 };

test("the silence that ended a turn, a cut and a resumption have their places in the recording, each with its reason", () => {
  const entries = [
    entry(4000, "note", "interrupted", { details: { heard: "We are open" } }),
    entry(1600, "stt", "end of turn", { duration_ms: 400, details: { reason: "free" } }),
    entry(6000, "note", "held: the caller spoke"),
    entry(6900, "note", "went on", { details: { reason: "backchannel" } }),
    entry(2100, "llm", "answer"),
  ];
  expect(callMarks(entries, recording)).toEqual([
    { kind: "end-of-turn", at_ms: 2000, since_ms: 400, words: "End of turn after 400 ms: silence." },
    { kind: "cut", at_ms: 4000, since_ms: 0, words: "Interrupted. The caller heard: “We are open”" },
    { kind: "held", at_ms: 6000, since_ms: 0, words: "The agent stops: the caller speaks." },
    { kind: "went-on", at_ms: 6900, since_ms: 0, words: "Speaks on: the caller only agreed." },
  ]);
});

test("what was before or after a recording, as on another line of the call, has no place in it; nor has anything where its beginning is not known", () => {
  const entries = [entry(-500, "note", "interrupted"), entry(10_500, "note", "interrupted")];
  expect(callMarks(entries, recording)).toEqual([]);
  expect(callMarks([entry(500, "note", "interrupted")], { ...recording, began_at: null })).toEqual([]);
});

test("of a call with several lines, each recording has its place on the session's time", () => {
  const later = { began_at: new Date(new Date(BEGAN).getTime() + 12_500).toISOString() };
  expect(recordingOffsets([{ began_at: BEGAN }, later, null])).toEqual([0, 12.5, null]);
  expect(recordingOffsets([null, later])).toEqual([0, null]);
  expect(callMarks([entry(13_000, "note", "interrupted")], { ...later, duration_ms: 5000 })).toMatchObject([
    { at_ms: 500 },
  ]);
});
