import type { RawBuilder } from "kysely";
import type { Tx } from "../db/database.ts";

/** How many records of each kind were deleted, or would be. */
export type DeletedCounts = Record<string, number>;

/** Runs a statement that deletes or blanks rows; resolves with their number. */
export async function removed(tx: Tx, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(tx)).numAffectedRows ?? 0);
}

export const sumOf = (counts: DeletedCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Without kinds of which there were none. */
export function addCounts(one: DeletedCounts, other: DeletedCounts): DeletedCounts {
  const sum = { ...one };
  for (const [kind, count] of Object.entries(other)) if (count > 0) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
