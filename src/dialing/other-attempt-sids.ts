import type { Outreach } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";

/**
 * Which of these carrier ids belong to other attempts to reach this person, so that the lookup of an attempt whose answer
 * was lost does not mistake one of them for it. Index: attempts_target.
 */
export async function otherAttemptSids(
  db: Db,
  { key, sub_organization_id, target }: Pick<Outreach, "key" | "sub_organization_id" | "target">,
  sids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("attempts")
    .select("sid")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("target", "=", target)
    .where("key", "<>", key)
    .where("sid", "in", sids)
    .execute();
  return new Set(rows.flatMap(({ sid }) => sid ?? []));
}
