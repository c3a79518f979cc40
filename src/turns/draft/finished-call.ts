import type { SnapshotTool } from "../../agents/snapshot.ts";
import { storableJson } from "../../base/storable.ts";
import { type TraceEntry, traced } from "../../events/trace.ts";
import type { ToolCall } from "../../llm/model.ts";
import { displayResult } from "../../tool-calls/display-result.ts";
import type { ToolOutcome } from "../../tool-calls/tool-outcome.ts";
import type { HistoryEntry } from "../build-prompt.ts";
import type { TurnEvent } from "../turn-event.ts";
import type { CallExchanges, StoredCall } from "./turn-rows.ts";

/** A finished call, with what is stored of it. */
export type FinishedCall = {
  seq: number;
  round: number;
  call: ToolCall;
  tool: SnapshotTool | undefined;
  outcome: Omit<ToolOutcome, "effects">;
  started: Date;
  duration_ms: number;
};

/** A call's row without its position. */
type FinishedCallRow = Omit<StoredCall, "seq">;

export const callRow = (finished: Omit<FinishedCall, "seq">, turn_index: number): FinishedCallRow => {
  const { round, call, tool, outcome, started, duration_ms } = finished;
  return {
    turn_index,
    round,
    tool_call_id: call.id,
    tool_id: tool?.id ?? null,
    tool_name: call.name,
    tool_version_number: tool?.version_number ?? null,
    arguments: call.arguments,
    request: outcome.request,
    result: outcome.result,
    whole_result: outcome.whole === undefined ? null : storableJson(outcome.whole),
    error: outcome.error,
    propagate_result: handsResultOn(tool),
    display_result: displayResult(tool?.definition, outcome.whole ?? outcome.result, outcome.error !== null),
    provider_data: call.provider_data ?? null,
    timestamp: started,
    duration_ms,
  };
};

export const storedCall = (finished: FinishedCall, turn_index: number): StoredCall => ({
  seq: finished.seq,
  ...callRow(finished, turn_index),
});

/** The same as an entry of the model's history. */
export const historyCall = (call: StoredCall): HistoryEntry => ({
  kind: "call",
  seq: call.seq,
  turn_index: call.turn_index,
  round: call.round,
  call_id: call.tool_call_id,
  tool_name: call.tool_name,
  arguments: call.arguments,
  result: call.result,
  is_error: call.error !== null,
  provider_data: call.provider_data,
});

/** The event of a call's result for the channel. */
export const resultEvent = (call: FinishedCallRow): TurnEvent => ({
  type: "tool_result",
  tool_call_id: call.tool_call_id,
  tool_name: call.tool_name,
  error: call.error,
  duration_ms: call.duration_ms,
  display_result: call.display_result,
  propagated: call.propagate_result ? { arguments: call.arguments, result: call.result } : null,
});

/** What the call sent, if it sent anything. */
export const exchangesOf = ({ seq, call, outcome, started }: FinishedCall): CallExchanges[] => {
  const { exchanges = [] } = outcome;
  return exchanges.length === 0 ? [] : [{ seq, tool_call_id: call.id, at: started, exchanges }];
};

/** The trace entries of the call itself, then the call's own. */
export const callTrace = ({ round, call, outcome, started, duration_ms }: FinishedCall): TraceEntry[] => [
  ...outcome.trace,
  {
    category: "tool",
    label: call.name,
    started,
    duration_ms,
    details: {
      tool_call_id: call.id,
      // Rounds count from 0; calls of a workflow before the first request have none.
      round: round < 0 ? null : round,
      arguments: traced(call.arguments),
      prepared: traced(outcome.prepared),
      ...(outcome.error === null ? { result: traced(outcome.result) } : { error: outcome.error }),
    },
  },
];

/** Whether the tool shares its results with the channel. */
const handsResultOn = (tool: SnapshotTool | undefined): boolean =>
  tool?.definition.options?.propagate_tool_result ?? false;
