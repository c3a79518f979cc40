import type { Outreach } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";

/**
 * Of these carrier's names, those of tries to reach this person other than this one: what a lost answer is not about.
 * Index: attempts_target.
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
