import type { AuditEntry, Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { jsonOrNull, type Tx } from "../db/database.ts";

/** Who did what to which record, from where; written in the transaction of the change itself. */
export const createAudit =
  (clock: Clock) =>
  async (tx: Tx, caller: Caller, entry: AuditEntry): Promise<void> => {
    await tx
      .insertInto("audit_entries")
      .values({
        sub_organization_id: caller.sub_organization_id,
        at: clock.now().toISOString(),
        actor: caller.email,
        user_id: caller.user_id,
        api_token_id: caller.api_token_id,
        address: caller.address,
        request_id: caller.request_id,
        action: entry.action,
        resource: entry.resource,
        resource_id: entry.resource_id === null ? null : String(entry.resource_id),
        before: jsonOrNull(entry.before),
        after: jsonOrNull(entry.after),
      })
      .execute();
  };
