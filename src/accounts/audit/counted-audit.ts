import { sql } from "kysely";
import type { Actor, AuditEntry } from "../../api/caller.ts";
import { sha256 } from "../../base/crypto.ts";
import type { Db } from "../../db/database.ts";

const HOUR_MS = 3_600_000;

export type CountedEntry = {
  by: Actor;
  entry: Omit<AuditEntry, "before" | "after"> & { after: object };
  /** What counts as the same: all of a key within an hour is one entry. */
  key: string;
};

/**
 * Audit entries of what anybody can make happen by the thousand: one an hour for each key, with `times` and the moment of
 * the last in it, so that no flood fills the trail. Lock: the entries' rows, in the order of their hashes.
 */
export async function auditCounted(db: Db, now: Date, entries: CountedEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const at = now.toISOString();
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const rows = entries
    .map(({ by, entry, key }) => ({
      sub_organization_id: by.sub_organization_id,
      at,
      actor: by.email,
      user_id: by.user_id,
      api_token_id: by.api_token_id,
      address: by.address,
      request_id: by.request_id,
      action: entry.action,
      resource: entry.resource,
      resource_id: entry.resource_id === null ? null : String(entry.resource_id),
      after: JSON.stringify({ ...entry.after, times: 1, last_at: at }),
      counted_hash: sha256(`${by.sub_organization_id} ${key} ${hour}`),
    }))
    .toSorted((a, b) => (a.counted_hash < b.counted_hash ? -1 : 1));
  await db
    .insertInto("audit_entries")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("counted_hash").where("counted_hash", "is not", null).doUpdateSet({
        after: sql`(excluded.after::jsonb || jsonb_build_object('times', (audit_entries.after ->> 'times')::bigint + 1))::json`,
      }),
    )
    .execute();
}
