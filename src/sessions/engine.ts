import type { Clock } from "../base/clock.ts";
import type { Egress } from "../base/egress.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import type { LanguageModel } from "../llm/model.ts";
import type { ServiceAuthenticator } from "./service-auth.ts";
import type { SnapshotPrompt } from "./snapshot.ts";

/** The lease of one session (`lease.ts`), and what cuts off the turn that holds it. */
export type HeldLease = { id: number; lease: string; lost: AbortController };

/** What running sessions takes. */
export type Engine = {
  db: Db;
  clock: Clock;
  log: Log;
  egress: Egress;
  auth: ServiceAuthenticator;
  /** The model a prompt asks for, with the keys of this sub-organization. */
  resolveModel(sub_organization_id: number, llm: SnapshotPrompt["llm_config"]): Promise<LanguageModel>;
  /** Names this process in leases. */
  owner: string;
  /** The turns that run here now; a stop waits for them, then raises `lost` (`finish-turns.ts`). */
  held: Set<HeldLease>;
};
