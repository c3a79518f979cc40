import type { Clock } from "../base/clock.ts";
import type { Tx } from "../db/database.ts";
import type { BatchStatus } from "../planning/batch-state.ts";

/**
 * Stops all outreach of an organization that is deleted. What waits in its batches reads as canceled at once;
 * `resumeCancels` writes it to each request, from the next minute on.
 */
export async function cancelBatches(tx: Tx, clock: Clock, organization_id: number): Promise<void> {
  const now = clock.now().toISOString();
  await tx
    .updateTable("batches")
    .set({
      status: "CANCELED" satisfies BatchStatus,
      cancels_waiting: true,
      deleted_at: now,
      deleted_reason: "The organization was deleted",
      last_updated_at: now,
    })
    .where("deleted_at", "is", null)
    .where("sub_organization_id", "in", (query) =>
      query.selectFrom("sub_organizations").select("id").where("organization_id", "=", organization_id),
    )
    .execute();
}
