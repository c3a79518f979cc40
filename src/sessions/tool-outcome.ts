import type { Clock } from "../base/clock.ts";
import type { Egress } from "../base/egress.ts";
import type { Lookup } from "../expressions/template.ts";
import type { ServiceAuthenticator } from "./service-auth.ts";
import type { Snapshot } from "./snapshot.ts";
import type { TraceEntry } from "./trace.ts";
import type { LocalTime } from "./variables.ts";

/** What the channel is asked to do after this turn. */
export type SessionAction = { action: "hangup"; reason: string | null };

/** What a call changes in the session; applied by the turn, in the order the calls were made. */
export type ToolEffects = {
  variables?: Record<string, unknown>;
  language?: string;
  /** Spoken word for word by the engine. */
  say?: string;
  action?: SessionAction;
  event?: { category: string; type: string; description: string; attributes?: Record<string, unknown> };
};

export type ToolOutcome = {
  /** As sent, after the pipeline; null when nothing was sent. */
  request: unknown;
  /** What the model reads. */
  result: unknown;
  error: string | null;
  effects: ToolEffects;
  trace: TraceEntry[];
};

export type ToolContext = {
  snapshot: Snapshot;
  lookup: Lookup;
  language: string;
  channel: string;
  now: LocalTime;
  signal: AbortSignal;
};

export type ToolParts = { egress: Egress; auth: ServiceAuthenticator; clock: Clock };

/** A failed call: the model reads the sentence and can put it right or tell the person. */
export const failed = (message: string, request: unknown = null, trace: TraceEntry[] = []): ToolOutcome => ({
  request,
  result: { error: { message } },
  error: message,
  effects: {},
  trace,
});

export const done = (result: unknown, effects: ToolEffects = {}, request: unknown = null): ToolOutcome => ({
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
