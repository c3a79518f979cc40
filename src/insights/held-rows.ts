import type { Caller } from "../api/caller.ts";
import { notFound } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

/**
 * Every id is a row of the caller's that is not deleted; one that isn't is a 404. Lock: a share of each, so that none is
 * changed or deleted before the caller's transaction is over.
 */
export async function shareRows(
  tx: Tx,
  caller: Caller,
  { table, noun }: { table: "insight_tools" | "insight_folders" | "services"; noun: string },
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tx
    .selectFrom(table)
    .select("id")
    .where("id", "in", ids)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    // In one order, so that two who share the same rows never wait for each other.
    .orderBy("id")
    .forShare()
    .execute();
  refuseUnknown(noun, ids, rows);
}

/** A 404 names the first id that was asked for and not found. */
export function refuseUnknown(noun: string, ids: number[], rows: { id: number }[]): void {
  const known = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound(noun, missing);
}
