import { sql } from "kysely";
import { Fault } from "../../base/errors.ts";
import type { Tx } from "../../db/database.ts";

/** The provider that somebody has to sign in with; null where a password or a link is good. */
export async function requiredProvider(tx: Tx, user_id: number): Promise<string | null> {
  const found = await tx
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .innerJoin("single_sign_on as o", "o.organization_id", "s.organization_id")
    .select("o.name")
    .where("u.id", "=", user_id)
    .where("o.is_enforced", "=", true)
    .where(sql<boolean>`lower(u.email) <> all(o.break_glass)`)
    .executeTakeFirst();
  return found?.name ?? null;
}

/** Throws where the person's organization signs in by its identity provider only. */
export async function refusePassword(tx: Tx, user_id: number): Promise<void> {
  const provider = await requiredProvider(tx, user_id);
  if (provider !== null)
    throw new Fault(
      "refused",
      `Your organization signs in with ${provider}. Choose “Sign in with your organization”.`,
    );
}

/**
 * Ends the sign-ins by password of an organization that now signs in by its identity provider, but for those who may go on
 * with one.
 */
export async function endPasswordSignIns(tx: Tx, organization_id: number): Promise<void> {
  await sql`
    delete from sign_ins i using users u, sub_organizations s, single_sign_on o
    where i.user_id = u.id and s.id = u.sub_organization_id and o.organization_id = s.organization_id
      and o.organization_id = ${organization_id} and not i.by_identity_provider
      and lower(u.email) <> all(o.break_glass)`.execute(tx);
}
