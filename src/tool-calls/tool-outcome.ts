import type { Snapshot, SnapshotTool } from "../agents/snapshot.ts";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import type { BookedCallBack, CallBackDesk } from "../consent/call-back.ts";
import type { SuppressionScope } from "../consent/suppression.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import type { EventOf, EventType, LoggedEvent } from "../events/event-types.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { Lookup } from "../expressions/template.ts";
import type { EmbedderOf } from "../knowledge/source-embedding.ts";
import type { Answerer, AnswererNote } from "../sessions/answerer.ts";
import type { ClientAnswer } from "../sessions/live/client-calls.ts";
import type { LocalTime, SessionState } from "../sessions/variables.ts";
import type { McpClient } from "../tools/mcp/mcp-client.ts";
import type { McpListings } from "../tools/mcp/mcp-listing.ts";
import type { ServiceAuthenticator } from "../tools/service-auth.ts";
import type { ToolExchange } from "./tool-exchange.ts";

/** The channel's action after this turn. */
export type SessionAction =
  /** The session ends. `voicemail`: the last words are a message for an answering machine. */
  | { action: "hangup"; reason: string | null; voicemail?: boolean }
  /**
   * Voice only: transfer the call to `number` in the carrier's form (E.164, an extension or a SIP address). The session
   * ends when the transfer is connected; otherwise the agent goes on.
   */
  | {
      action: "transfer";
      number: string;
      /** Whose number it is; null for one that is not in the directory. */
      member: { id: number; name: string; type: string } | null;
      reason: string | null;
    };

/** Whether nothing is said after it, whatever its result. */
export const endsSession = ({ action }: SessionAction): boolean => action === "hangup";

/** A call's effects on the session; the turn applies them in the order of the calls. */
export type ToolEffects = {
  variables?: Record<string, unknown>;
  language?: string;
  /** Words of an author, said after their variables were resolved. */
  say?: string;
  /** Said as they are: words that were rendered already, or of a model. */
  speech?: string;
  /** Voice only: keys to press on the call. */
  keys?: string;
  answerer?: Answerer;
  action?: SessionAction;
  event?: EventOf<EventType> | LoggedEvent;
  /** The person's address, and the words of their opt-out. `scope` left out: every channel. */
  opt_out?: { address: string; said: string | null; scope?: SuppressionScope };
  /** The call that the person asked for. */
  call_back?: BookedCallBack;
};

export type WrittenEffects = Pick<ToolEffects, "variables" | "language">;

/** The session's memory once a call has set these. */
export const memoryAfter = (
  memory: Readonly<SessionState>,
  { variables, language = memory.language }: WrittenEffects,
): SessionState => ({ ...memory, variables: { ...memory.variables, ...variables }, language });

export type ToolOutcome = {
  /** The arguments as the pipeline left them; null when the call did not get that far. */
  prepared: Record<string, unknown> | null;
  /** As sent, after the pipeline; null when nothing was sent. */
  request: unknown;
  /** The HTTP request, shown when an author tries a tool; never stored, and without credentials. */
  wire?: { url: string; method: string; headers: Record<string, string>; body: string | null };
  /** The HTTP requests that were made, with their answers; without credentials. */
  exchanges?: ToolExchange[];
  /** What the model reads. */
  result: unknown;
  /** The tool's full answer, when the model reads only its beginning. */
  whole?: unknown;
  error: string | null;
  effects: ToolEffects;
  trace: TraceEntry[];
  /** The call was not made; the person has to confirm it first. */
  awaits_person?: true;
};

export type ToolContext = {
  sub_organization_id: number;
  snapshot: Snapshot;
  /** Left out where an author tries a tool, which is no session. */
  session_id?: number;
  lookup: Lookup;
  /** The same once a call has set these. */
  lookupAfter(effects: WrittenEffects): Lookup;
  language: string;
  channel: string;
  /** The person's address or name. */
  source: string | null;
  /** Whether `source` is verified. */
  verified: boolean;
  /** The present time (set for a test), and the agent's local time. */
  at: Date;
  now: LocalTime;
  signal: AbortSignal;
  /** Asked before a call whose arguments are in order is made: what is answered in its place. */
  gate?(
    tool: SnapshotTool,
    call: { given: Record<string, unknown>; values: Record<string, unknown> },
  ): ToolOutcome | null;
  /** Asks the visitor's page to run a tool; left out where there is no page. null: it did not answer. */
  page?(call: {
    tool_name: string;
    arguments: Record<string, unknown>;
    timeout_s: number;
  }): Promise<ClientAnswer | null>;
  /** Only for telephone calls. */
  call?: { is_outbound: boolean; answerer: AnswererNote | null; greeting(): string | null };
};

export type ToolParts = {
  db: Db;
  egress: Egress;
  auth: ServiceAuthenticator;
  mcp: { client: McpClient; listings: McpListings };
  clock: Clock;
  destinations: DestinationRules;
  embedderOf: EmbedderOf;
  callBacks: CallBackDesk;
};

/** A failed call: the model reads the sentence and can correct the call or tell the person. */
export const failed = (message: string, request: unknown = null, trace: TraceEntry[] = []): ToolOutcome => ({
  prepared: null,
  request,
  result: { error: { message } },
  error: message,
  effects: {},
  trace,
});

export const done = (result: unknown, effects: ToolEffects = {}, request: unknown = null): ToolOutcome => ({
  prepared: null,
  request,
  result,
  error: null,
  effects,
  trace: [],
});

/** Whether the session may switch to a language; an agent without a group takes any. */
export function offersLanguage(snapshot: Snapshot, code: string): boolean {
  const configs = snapshot.language_group?.language_configs ?? [];
  return configs.length === 0 || configs.some((config) => config.language_code === code);
}
