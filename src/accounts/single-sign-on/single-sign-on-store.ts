import { sql } from "kysely";
import type { Caller } from "../../api/caller.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { invalid } from "../../base/errors.ts";
import { type Db, isUniqueViolation, json, type Tx } from "../../db/database.ts";
import type { GroupRole } from "./role-of-groups.ts";
import type { SingleSignOnRequest, SingleSignOnResponse } from "./single-sign-on-schema.ts";

export const CALLBACK = "/api/console/single-sign-on/callback";
export const START = "/api/console/single-sign-on/start";

/** The organization's row, as there may be no record yet; then the record, which a sign-in takes before people and roles. */
export async function lockRecord(tx: Tx, organization_id: number): Promise<void> {
  await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
  await sql`select from single_sign_on where organization_id = ${organization_id} for no key update`.execute(
    tx,
  );
}

export async function readRecord(
  db: Db,
  publicUrl: string,
  organization_id: number,
): Promise<SingleSignOnResponse> {
  const found = await db
    .selectFrom("single_sign_on")
    .selectAll()
    .where("organization_id", "=", organization_id)
    .executeTakeFirst();
  const domains = await db
    .selectFrom("single_sign_on_domains")
    .select("domain")
    .where("organization_id", "=", organization_id)
    .orderBy("domain")
    .execute();
  return {
    is_set: found !== undefined,
    name: found?.name ?? null,
    issuer: found?.issuer ?? null,
    client_id: found?.client_id ?? null,
    has_client_secret: found?.sealed_secret != null,
    domains: domains.map((row) => row.domain),
    groups_claim: found?.groups_claim ?? "groups",
    roles: (found?.roles ?? []) as GroupRole[],
    default_role_id: found?.default_role_id ?? null,
    is_enforced: found?.is_enforced ?? false,
    break_glass: found?.break_glass ?? [],
    redirect_uri: `${publicUrl}${CALLBACK}`,
    start_url: found ? `${publicUrl}${START}?organization_id=${organization_id}` : null,
    updated_at: found?.updated_at ?? null,
    updated_by: found?.updated_by ?? null,
  };
}

export async function writeRecord(
  tx: Tx,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: Caller,
  body: SingleSignOnRequest,
): Promise<void> {
  const { organization_id, sub_organization_id } = caller;
  const { client_secret, domains, roles, default_role_id, ...rest } = body;
  const row = {
    ...rest,
    sub_organization_id,
    roles: json(roles),
    default_role_id: default_role_id ?? null,
    updated_at: clock.now().toISOString(),
    updated_by: caller.email,
    ...(client_secret !== undefined && { sealed_secret: client_secret && vault.seal(client_secret) }),
  };
  await tx
    .insertInto("single_sign_on")
    .values({ organization_id, ...row })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(row))
    .execute();
  await tx.deleteFrom("single_sign_on_domains").where("organization_id", "=", organization_id).execute();
  for (const [n, one] of [...new Set(domains)].entries()) {
    try {
      await tx.insertInto("single_sign_on_domains").values({ domain: one, organization_id }).execute();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw invalid(["body", "domains", n], `${one} belongs to another organization`, "value_error");
    }
  }
}

/** Enforcing shuts out nobody for good: a password stays good for somebody, and the caller has got in by it once. */
export async function refuseLockOut(
  tx: Tx,
  caller: Caller,
  body: SingleSignOnRequest,
  clock: Clock,
): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    select u.email from users u join sub_organizations s on s.id = u.sub_organization_id
    where s.organization_id = ${caller.organization_id} and u.deleted_at is null and u.password_hash is not null
      and lower(u.email) = any(${body.break_glass}) limit 1`.execute(tx);
  if (rows.length === 0)
    throw invalid(
      ["body", "break_glass"],
      "Name somebody who has a password, for a day on which the identity provider is down.",
    );
  if (caller.api_token_id !== null || body.break_glass.includes(caller.email.toLowerCase())) return;
  const own = await tx
    .selectFrom("sign_ins")
    .select("user_id")
    .where("user_id", "=", caller.user_id)
    .where("by_identity_provider", "=", true)
    .where("expires_at", ">", clock.now().toISOString())
    .executeTakeFirst();
  if (!own)
    throw invalid(
      ["body", "break_glass"],
      `This would sign you out. Sign in with ${body.name} first, or add yourself here.`,
    );
}

/** With the secret opened, as a sign-in needs it. */
export async function findProvider(db: Db, vault: Vault, organization_id: number) {
  const found = await db
    .selectFrom("single_sign_on as o")
    .innerJoin("organizations as g", "g.id", "o.organization_id")
    .selectAll("o")
    .where("o.organization_id", "=", organization_id)
    .where("g.deleted_at", "is", null)
    .executeTakeFirst();
  if (!found) return null;
  const { sealed_secret, default_role_id, ...rest } = found;
  const roles = found.roles as GroupRole[];
  // A deleted role is given to nobody; earlier versions let one be deleted that single sign-on gave.
  const there = await db
    .selectFrom("roles")
    .select("id")
    .where("id", "in", [0, default_role_id ?? 0, ...roles.map(({ role_id }) => role_id)])
    .where("deleted_at", "is", null)
    .execute();
  const isThere = (role_id: number | null) => there.some(({ id }) => id === role_id);
  return {
    ...rest,
    default_role_id: isThere(default_role_id) ? default_role_id : null,
    roles: roles.filter(({ role_id }) => isThere(role_id)),
    secret: sealed_secret === null ? null : vault.open(sealed_secret),
  };
}

export type FoundProvider = NonNullable<Awaited<ReturnType<typeof findProvider>>>;
