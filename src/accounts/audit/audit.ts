import { sql } from "kysely";
import type { Actor, AuditEntry } from "../../api/caller.ts";
import type { Clock } from "../../base/clock.ts";
import type { Db, Tx } from "../../db/database.ts";
import { asWriter } from "../../db/reading.ts";

/** Who did what to which record, from where; written in the transaction of the change itself. */
export const createAudit =
  (clock: Clock) =>
  (tx: Tx, caller: Actor, entry: AuditEntry): Promise<void> =>
    insertEntry(tx, clock, caller, entry);

/**
 * Who read what, where the organization asks for it: one insert of its own, outside the read's read-only connection. A read
 * whose entry can't be written fails, so that no read goes unnoticed.
 */
export const createReadAudit =
  ({ db, clock }: { db: Db; clock: Clock }) =>
  (caller: Actor, entry: AuditEntry): Promise<void> =>
    asWriter(() => insertEntry(db, clock, caller, entry));

async function insertEntry(db: Db, clock: Clock, caller: Actor, entry: AuditEntry): Promise<void> {
  const { sub_organization_id, email, user_id, api_token_id, address, request_id } = caller;
  const { action, resource, resource_id, before, after } = entry;
  await sql`
      insert into audit_entries (sub_organization_id, at, actor, user_id, api_token_id, address, request_id,
        action, resource, resource_id, before, after)
      values (${sub_organization_id}, ${clock.now().toISOString()}, ${email}, ${user_id}, ${api_token_id}, ${address},
        ${request_id}, ${action}, ${resource}, ${resource_id === null ? null : String(resource_id)},
        ${before === undefined ? null : JSON.stringify(before)}, ${after === undefined ? null : JSON.stringify(after)})
    `.execute(db);
}
