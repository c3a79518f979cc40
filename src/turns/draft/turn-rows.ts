import type { NewEvent } from "../../events/event.ts";
import type { TraceEntry } from "../../events/trace.ts";
import type { ProviderData } from "../../llm/model.ts";
import type { SaidOptOut } from "../../tool-calls/opt-out-tool.ts";

export type NewMessage = {
  seq: number;
  turn_index: number;
  role: "agent" | "user";
  text: string;
  at: Date;
  /** In the transcript, but not for the model to read back. */
  aside: boolean;
  /** The same, but in the place of an answer. */
  is_apology: boolean;
};

/** A call as it is stored: what was asked, what was sent, what came back, how long it took, and which tool version. */
export type StoredCall = {
  seq: number;
  turn_index: number;
  round: number;
  tool_call_id: string;
  tool_id: number | null;
  tool_name: string;
  tool_version_number: number | null;
  arguments: Record<string, unknown>;
  request: unknown;
  result: unknown;
  /** Null where `result` is all of it. */
  whole_result: unknown;
  error: string | null;
  propagate_result: boolean;
  display_result: unknown;
  provider_data: ProviderData | null;
  timestamp: Date;
  duration_ms: number;
};

/** What a turn adds to the tables of its session; each list only grows until it is stored. */
export type TurnRows = {
  readonly messages: readonly NewMessage[];
  readonly calls: readonly StoredCall[];
  readonly trace: readonly TraceEntry[];
  readonly events: readonly NewEvent[];
  readonly opt_outs: readonly SaidOptOut[];
};

export const NO_ROWS: TurnRows = { messages: [], calls: [], trace: [], events: [], opt_outs: [] };

/** What came after the rows that were stored meanwhile. */
export const rowsAfter = (rows: TurnRows, stored: TurnRows): TurnRows => ({
  messages: rows.messages.slice(stored.messages.length),
  calls: rows.calls.slice(stored.calls.length),
  trace: rows.trace.slice(stored.trace.length),
  events: rows.events.slice(stored.events.length),
  opt_outs: rows.opt_outs.slice(stored.opt_outs.length),
});

/** Whether the person waits for words among them. */
export const holdWords = ({ messages }: TurnRows): boolean => messages.some(isAnswer);

/** What the channel is told as the agent's message. */
export const isAnswer = ({ role, aside }: NewMessage): boolean => role === "agent" && !aside;
