import type { BookedCallBack } from "../../consent/call-back.ts";
import type { NewEvent } from "../../events/event.ts";
import type { TraceEntry } from "../../events/trace.ts";
import type { ProviderData } from "../../llm/model.ts";
import type { SaidOptOut } from "../../tool-calls/opt-out-tool.ts";
import type { ToolExchange } from "../../tool-calls/tool-exchange.ts";
import type { SentRound } from "../rounds/model-round.ts";

export type NewMessage = {
  seq: number;
  turn_index: number;
  role: "agent" | "user";
  text: string;
  at: Date;
  /** Part of the transcript, but not of the model's history. */
  aside: boolean;
  /** The same, in place of an answer. */
  is_apology: boolean;
};

/** A stored call: arguments, request, result, latency and tool version. */
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
  /** Null when `result` is complete. */
  whole_result: unknown;
  error: string | null;
  propagate_result: boolean;
  display_result: unknown;
  provider_data: ProviderData | null;
  timestamp: Date;
  duration_ms: number;
};

/** The requests that one call of a tool sent, by the call's place. */
export type CallExchanges = {
  seq: number;
  tool_call_id: string;
  at: Date;
  exchanges: readonly ToolExchange[];
};

/** The rows that a turn adds; each list only grows until it is stored. */
export type TurnRows = {
  readonly messages: readonly NewMessage[];
  readonly calls: readonly StoredCall[];
  readonly trace: readonly TraceEntry[];
  readonly events: readonly NewEvent[];
  readonly opt_outs: readonly SaidOptOut[];
  readonly call_backs: readonly BookedCallBack[];
  readonly rounds: readonly SentRound[];
  readonly exchanges: readonly CallExchanges[];
};

export const NO_ROWS: TurnRows = {
  messages: [],
  calls: [],
  trace: [],
  events: [],
  opt_outs: [],
  call_backs: [],
  rounds: [],
  exchanges: [],
};

/** The rows added since the ones that were stored meanwhile. */
export const rowsAfter = (rows: TurnRows, stored: TurnRows): TurnRows => ({
  messages: rows.messages.slice(stored.messages.length),
  calls: rows.calls.slice(stored.calls.length),
  trace: rows.trace.slice(stored.trace.length),
  events: rows.events.slice(stored.events.length),
  opt_outs: rows.opt_outs.slice(stored.opt_outs.length),
  call_backs: rows.call_backs.slice(stored.call_backs.length),
  rounds: rows.rounds.slice(stored.rounds.length),
  exchanges: rows.exchanges.slice(stored.exchanges.length),
});

/** Whether they contain words that the person waits for. */
export const holdWords = ({ messages }: TurnRows): boolean => messages.some(isAnswer);

/** The agent's messages for the channel. */
export const isAnswer = ({ role, aside }: NewMessage): boolean => role === "agent" && !aside;
