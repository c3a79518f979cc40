import type { ModelAllowance } from "../accounts/model-allowance.ts";
import type { OwnLimitsReader } from "../accounts/own-limits.ts";
import type { Storage } from "../accounts/storage.ts";
import type { VisitorAllowance } from "../accounts/visitor-allowance.ts";
import type { SnapshotPrompt } from "../agents/snapshot.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { DestinationRules } from "../base/destination.ts";
import type { FairGate } from "../base/fair-gate.ts";
import type { Log } from "../base/log.ts";
import type { CallBackDesk } from "../consent/call-back.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { Leases } from "../jobs/lease.ts";
import type { EmbedderOf } from "../knowledge/source-embedding.ts";
import type { LanguageModel } from "../llm/model.ts";
import type { McpClient } from "../tools/mcp/mcp-client.ts";
import type { McpListings } from "../tools/mcp/mcp-listing.ts";
import type { ServiceAuthenticator } from "../tools/service-auth.ts";
import type { ClientCalls } from "./live/client-calls.ts";
import type { LiveWords } from "./live/live-words.ts";
import type { SessionEnds } from "./session-ends.ts";

/** A session whose turn runs here, and the name of its lease (`lease.ts`). */
export type HeldSession = {
  id: number;
  lease: string;
  /** The tool that the turn waits for; stored with each renewal of the lease. */
  running_tool?: string | null;
};

/** A session's row as written by the transaction that ends it. */
export type EndedSession = {
  id: number;
  sub_organization_id: number;
  timestamp: string;
  ended_at: string;
  end_reason: string;
  /** In seconds; null in rows that were stored without one. */
  duration: number | null;
  agent_id: number;
  agent_name: string;
  prompt_id: number;
  prompt_name: string;
  is_test: boolean;
};

/** The columns that `EndedSession` is read from. */
export const ENDED_COLUMNS = [
  "id",
  "sub_organization_id",
  "timestamp",
  "ended_at",
  "end_reason",
  "duration",
  "agent_id",
  "agent_name",
  "prompt_id",
  "prompt_name",
  "is_test",
] as const satisfies (keyof EndedSession)[];

/** What one commit of a turn stored, redacted where the organization redacts. */
export type StoredTurn = {
  session_id: number;
  agent_name: string;
  channel: string;
  is_test: boolean;
  turn_index: number;
  at: Date;
  trace: readonly TraceEntry[];
  /** All of the turn so far. */
  messages: readonly { role: "agent" | "user"; text: string }[];
};

/** Everything that running sessions needs. */
export type Engine = {
  db: Db;
  clock: Clock;
  log: Log;
  egress: Egress;
  /** Decrypts the keys that identity tokens are verified with. */
  vault: Vault;
  auth: ServiceAuthenticator;
  mcp: { client: McpClient; listings: McpListings };
  /** The numbers that a call may be transferred to. */
  destinations: DestinationRules;
  /** What organizations allow themselves, below the installation's limits. */
  ownLimits: OwnLimitsReader;
  /** Admits new visitors of web chat, or refuses them. */
  visitors: VisitorAllowance;
  /** Storage limit of a sub-organization. */
  storage: Storage;
  /** The daily limit of model tokens, for requests to providers that don't use `resolveModel`. */
  allowance: ModelAllowance;
  /** Slots for turns of web chats, shared by all sub-organizations. */
  chatTurns: FairGate;
  /** The model a prompt asks for, with the keys of this sub-organization. */
  resolveModel(sub_organization_id: number, llm: SnapshotPrompt["llm_config"]): Promise<LanguageModel>;
  /** The embedding model of data source searches, with the keys of a sub-organization. */
  embedderOf: EmbedderOf;
  /** Notifies channels that have a session open here when any process ends it. */
  ends: SessionEnds;
  /** Notifies open chats of what a person writes in the agent's place, in any process. */
  words: LiveWords;
  /** Calls of tools that run in visitors' pages. */
  clientCalls: ClientCalls;
  /** Books calls that people ask for. */
  callBacks: CallBackDesk;
  /** The owner of this process's leases. */
  owner: string;
  /** The turns that run in this process; a stop waits for them, then aborts them (`finish-turns.ts`). */
  held: Leases<HeldSession>;
  /** Called with what was stored, for a tracing system. Left out: nothing is traced. */
  onStored?: ((turn: StoredTurn) => void) | undefined;
  /** Further writes at every end of a session, in the transaction that ends it. */
  onEnd(tx: Tx, session: EndedSession): Promise<void>;
};
