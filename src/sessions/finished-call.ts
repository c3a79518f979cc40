import type { ToolCall } from "../llm/model.ts";
import { displayResult } from "./display-result.ts";
import type { SnapshotTool } from "./snapshot.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import { type TraceEntry, traced } from "./trace.ts";
import type { StoredCall } from "./turn-store.ts";

/** A call that was answered, by whomever; what is stored of it. */
export type FinishedCall = {
  seq: number;
  round: number;
  call: ToolCall;
  tool: SnapshotTool | undefined;
  outcome: Omit<ToolOutcome, "effects">;
  started: Date;
  duration_ms: number;
};

export const storedCall = (finished: FinishedCall, turn_index: number): StoredCall => {
  const { seq, round, call, tool, outcome, started, duration_ms } = finished;
  return {
    seq,
    turn_index,
    round,
    tool_call_id: call.id,
    tool_id: tool?.id ?? null,
    tool_name: call.name,
    tool_version_number: tool?.version_number ?? null,
    arguments: call.arguments,
    request: outcome.request,
    result: outcome.result,
    error: outcome.error,
    propagate_result: handsResultOn(tool),
    display_result: displayResult(tool?.definition, outcome.result, outcome.error !== null),
    provider_data: call.provider_data ?? null,
    timestamp: started,
    duration_ms,
  };
};

/** What the call noted itself, and then the call. */
export const callTrace = ({ round, call, outcome, started, duration_ms }: FinishedCall): TraceEntry[] => [
  ...outcome.trace,
  {
    category: "tool",
    label: call.name,
    started,
    duration_ms,
    details: {
      tool_call_id: call.id,
      // Rounds count from 0; what a workflow called before the model was asked is in none.
      round: round < 0 ? null : round,
      arguments: traced(call.arguments),
      prepared: traced(outcome.prepared),
      ...(outcome.error === null ? { result: traced(outcome.result) } : { error: outcome.error }),
    },
  },
];

/** The tool's owner lets the person on the channel see what it answers. */
export const handsResultOn = (tool: SnapshotTool | undefined): boolean =>
  tool?.definition.options?.propagate_tool_result ?? false;
