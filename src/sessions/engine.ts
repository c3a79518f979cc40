import type { ModelAllowance } from "../accounts/model-allowance.ts";
import type { Storage } from "../accounts/storage.ts";
import type { VisitorAllowance } from "../accounts/visitor-allowance.ts";
import type { SnapshotPrompt } from "../agents/snapshot.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { DestinationRules } from "../base/destination.ts";
import type { FairGate } from "../base/fair-gate.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import type { Leases } from "../jobs/lease.ts";
import type { EmbedderOf } from "../knowledge/source-embedding.ts";
import type { LanguageModel } from "../llm/model.ts";
import type { ServiceAuthenticator } from "../tools/service-auth.ts";
import type { SessionEnds } from "./session-ends.ts";

/** A session whose turn runs here, and the name of its lease (`lease.ts`). */
export type HeldSession = { id: number; lease: string };

/** A session as the transaction that ends it leaves its row. */
export type EndedSession = {
  id: number;
  sub_organization_id: number;
  timestamp: string;
  last_activity_at: string;
  ended_at: string;
  end_reason: string;
  /** In seconds; null where nobody measures it. */
  duration: number | null;
  agent_id: number;
  agent_name: string;
  prompt_id: number;
  prompt_name: string;
  is_test: boolean;
};

/** The columns of a session's row that make it. */
export const ENDED_COLUMNS = [
  "id",
  "sub_organization_id",
  "timestamp",
  "last_activity_at",
  "ended_at",
  "end_reason",
  "duration",
  "agent_id",
  "agent_name",
  "prompt_id",
  "prompt_name",
  "is_test",
] as const satisfies (keyof EndedSession)[];

/** What running sessions takes. */
export type Engine = {
  db: Db;
  clock: Clock;
  log: Log;
  egress: Egress;
  /** Opens the keys that identity tokens are checked with. */
  vault: Vault;
  auth: ServiceAuthenticator;
  /** Which numbers a call may be connected with. */
  destinations: DestinationRules;
  /** The model a prompt asks for, with the keys of this sub-organization. */
  /** Admits new visitors of web chat, or refuses them. */
  visitors: VisitorAllowance;
  /** How much a sub-organization may keep. */
  storage: Storage;
  /** What models may take in a day, for what is asked of providers without `resolveModel`. */
  allowance: ModelAllowance;
  /** Places for turns of web chats, which sub-organizations share. */
  chatTurns: FairGate;
  resolveModel(sub_organization_id: number, llm: SnapshotPrompt["llm_config"]): Promise<LanguageModel>;
  /** What searches of data sources know meanings by, with the keys of a sub-organization. */
  embedderOf: EmbedderOf;
  /** Who has a session open here hears that it has ended, whoever ended it. */
  ends: SessionEnds;
  /** Names this process in leases. */
  owner: string;
  /** The turns that run here now; a stop waits for them, then cuts them off (`finish-turns.ts`). */
  held: Leases<HeldSession>;
  /** What has to happen with every end of a session, in the transaction that ends it. */
  onEnd(tx: Tx, session: EndedSession): Promise<void>;
};
