import type { Snapshot } from "../agents/snapshot.ts";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { Lookup } from "../expressions/template.ts";
import type { EmbedderOf } from "../knowledge/source-embedding.ts";
import type { Answerer } from "../sessions/answerer-notes.ts";
import type { LocalTime } from "../sessions/variables.ts";
import type { ServiceAuthenticator } from "../tools/service-auth.ts";

/** What the channel is asked to do after this turn. */
export type SessionAction =
  /** The session is over. `voicemail`: the last words are a message that a machine records. */
  | { action: "hangup"; reason: string | null; voicemail?: boolean }
  /**
   * Voice only: connect the person with `number`, as a carrier takes it (E.164, an extension or a SIP address). The
   * session is not over by that: the channel ends it when they are connected, or the agent goes on when they are not.
   */
  | {
      action: "transfer";
      number: string;
      /** Whose number it is; null for one that is not in the directory. */
      member: { id: number; name: string; type: string } | null;
      reason: string | null;
    };

/** Whether nothing is said after it, whatever comes of it. */
export const endsSession = ({ action }: SessionAction): boolean => action === "hangup";

/** What a call changes in the session; applied by the turn, in the order the calls were made. */
export type ToolEffects = {
  variables?: Record<string, unknown>;
  language?: string;
  /** Spoken word for word by the engine. */
  say?: string;
  /** The same, of a text that was rendered already. */
  speech?: string;
  /** Voice only: keys to press on the call. */
  keys?: string;
  answerer?: Answerer;
  action?: SessionAction;
  event?: { category: string; type: string; description: string; attributes?: Record<string, unknown> };
  /** The person's address, and in what words they asked not to be reached any more. */
  opt_out?: { address: string; said: string | null };
};

export type ToolOutcome = {
  /** The arguments as the pipeline left them; null when the call did not get that far. */
  prepared: Record<string, unknown> | null;
  /** As sent, after the pipeline; null when nothing was sent. */
  request: unknown;
  /** The request on the wire, for who tries a tool: never stored. The values of credentials are left out. */
  wire?: { url: string; method: string; headers: Record<string, string>; body: string | null };
  /** What the model reads. */
  result: unknown;
  /** What the tool answered, where the model reads only the beginning of it. */
  whole?: unknown;
  error: string | null;
  effects: ToolEffects;
  trace: TraceEntry[];
};

export type ToolContext = {
  sub_organization_id: number;
  snapshot: Snapshot;
  lookup: Lookup;
  language: string;
  channel: string;
  /** The person's address or name. */
  source: string | null;
  /** Whether the person was proven to be `source`. */
  verified: boolean;
  /** The moment, moved for a test, and what the agent's clock shows then. */
  at: Date;
  now: LocalTime;
  signal: AbortSignal;
  /** Of a telephone call. */
  call?: { is_outbound: boolean; answerer: Answerer | null; greeting(): string | null };
};

export type ToolParts = {
  db: Db;
  egress: Egress;
  auth: ServiceAuthenticator;
  clock: Clock;
  destinations: DestinationRules;
  embedderOf: EmbedderOf;
};

/** A failed call: the model reads the sentence and can put it right or tell the person. */
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
