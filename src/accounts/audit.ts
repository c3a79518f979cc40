import { sql } from "kysely";
import type { Actor, AuditEntry } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Tx } from "../db/database.ts";

/** Who did what to which record, from where; written in the transaction of the change itself. */
export const createAudit =
  (clock: Clock) =>
  async (tx: Tx, caller: Actor, entry: AuditEntry): Promise<void> => {
    const { sub_organization_id, email, user_id, api_token_id, address, request_id } = caller;
    const { action, resource, resource_id, before, after } = entry;
    await sql`
      insert into audit_entries (sub_organization_id, at, actor, user_id, api_token_id, address, request_id,
        action, resource, resource_id, before, after)
      values (${sub_organization_id}, ${clock.now().toISOString()}, ${email}, ${user_id}, ${api_token_id}, ${address},
        ${request_id}, ${action}, ${resource}, ${resource_id === null ? null : String(resource_id)},
        ${before === undefined ? null : JSON.stringify(before)}, ${after === undefined ? null : JSON.stringify(after)})
    `.execute(tx);
  };
