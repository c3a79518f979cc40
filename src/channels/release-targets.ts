import type { Tx } from "../db/database.ts";

/** Takes an organization that is deleted off the air: nobody reaches its agents any more. */
export async function releaseTargets(tx: Tx, organization_id: number): Promise<void> {
  await tx
    .deleteFrom("channel_targets")
    .where("sub_organization_id", "in", (query) =>
      query.selectFrom("sub_organizations").select("id").where("organization_id", "=", organization_id),
    )
    .execute();
}
