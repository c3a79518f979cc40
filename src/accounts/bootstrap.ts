import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { sha256 } from "../base/crypto.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Db, Tx } from "../db/database.ts";
import { defaultExpiry, insertToken, newToken } from "./api-token.ts";
import { ADMIN, OPERATOR_PERMISSIONS, PERMISSIONS, SYSTEM_ROLES } from "./permission.ts";
import { createSignInCode } from "./sign-in/sign-in-code.ts";

const BOOTSTRAP_LOCK = 7_246_002;

export type FirstAccount = { caller: Caller; token: string; token_generated: boolean; sign_in_code: string };

/**
 * On an empty database: the first organization, its system roles, the first administrator and an API token, all in
 * one transaction with what `alsoCreate` adds (the demo). null when there already is an organization.
 *
 * `announce` shows the secrets that can't be shown again. It is called last, before the commit: a program that dies
 * around here has either shown them or made nothing, and the next start makes and shows new ones.
 */
export async function bootstrap(
  { db, clock }: { db: Db; clock: Clock },
  options: { email: string; token: string | null },
  alsoCreate: (tx: Tx, caller: Caller) => Promise<void>,
  announce: (first: FirstAccount) => void = () => {},
): Promise<FirstAccount | null> {
  return db.transaction().execute(async (tx) => {
    // Machines that start at once on an empty database wait for one another here.
    await sql`select pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`.execute(tx);
    const existing = await tx.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
    if (existing) {
      if (options.token) await keepBootstrapToken(tx, clock, options.token);
      return null;
    }
    const caller = await createOrganization(tx, clock, {
      display_name: "Demo clinic",
      email: options.email,
      operator: true,
    });
    const token = options.token ?? newToken();
    const now = clock.now();
    await insertToken(tx, tokenRow(caller, now), token);
    await alsoCreate(tx, caller);
    const sign_in_code = await createSignInCode(tx, clock, caller.user_id);
    const first = { caller, token, token_generated: options.token === null, sign_in_code };
    announce(first);
    return first;
  });
}

/**
 * An organization with one sub-organization, the system roles and one administrator. The administrators of the first
 * one also operate the installation.
 */
export async function createOrganization(
  tx: Tx,
  clock: Clock,
  { display_name, email, operator = false }: { display_name: string; email: string; operator?: boolean },
): Promise<Caller> {
  const permissions = operator ? [...PERMISSIONS, ...OPERATOR_PERMISSIONS].toSorted() : PERMISSIONS;
  const now = clock.now().toISOString();
  const stamp = { last_updated: now, last_updated_by: email };
  const organization = await tx
    .insertInto("organizations")
    .values({ name: randomBase62(22), display_name, ...stamp })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .updateTable("organizations")
    .set({ slug: `${slugOf(display_name)}-${organization.id}` })
    .where("id", "=", organization.id)
    .execute();
  const sub = await tx
    .insertInto("sub_organizations")
    .values({ organization_id: organization.id, name: display_name, created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  const roles = await tx
    .insertInto("roles")
    .values(
      SYSTEM_ROLES.map((role) => ({
        ...role,
        ...stamp,
        ...(role.name === ADMIN && { permissions }),
        sub_organization_id: sub.id,
        is_system_role: true,
      })),
    )
    .returning(["id", "name"])
    .execute();
  const admin = roles.find((role) => role.name === ADMIN);
  const user = await tx
    .insertInto("users")
    .values({
      sub_organization_id: sub.id,
      email,
      role_id: admin?.id as number,
      login_type: "username_and_password",
      ...stamp,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return {
    organization_id: organization.id,
    sub_organization_id: sub.id,
    user_id: user.id,
    email,
    permissions: new Set(permissions),
    api_token_id: null,
    bound: null,
    address: null,
    request_id: null,
  };
}

/** For addresses in the console and names of files. Ends in the organization's number, which makes it one of a kind. */
const slugOf = (display_name: string): string =>
  display_name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-+|-+$/g, "") || "organization";

const tokenRow = (caller: Caller, now: Date) => ({
  sub_organization_id: caller.sub_organization_id,
  user_id: caller.user_id,
  name: "First token",
  permissions: null,
  created_by: caller.email,
  created_at: now,
  expires_at: defaultExpiry(now),
});

/** `BOOTSTRAP_API_TOKEN` fixes the first token: set later, it is added for the first administrator. */
async function keepBootstrapToken(tx: Tx, clock: Clock, token: string): Promise<void> {
  const known = await tx
    .selectFrom("api_tokens")
    .select("id")
    .where("token_hash", "=", sha256(token))
    .executeTakeFirst();
  if (known) return;
  const first = await tx
    .selectFrom("users as u")
    .innerJoin("roles as r", "r.id", "u.role_id")
    .innerJoin("sub_organizations as o", "o.id", "u.sub_organization_id")
    .select(["u.id", "u.sub_organization_id", "u.email"])
    .where("u.deleted_at", "is", null)
    .where("r.name", "=", ADMIN)
    .orderBy("o.organization_id")
    .orderBy("u.id")
    .executeTakeFirstOrThrow();
  const now = clock.now();
  await insertToken(
    tx,
    {
      sub_organization_id: first.sub_organization_id,
      user_id: first.id,
      name: "Bootstrap token",
      permissions: null,
      created_by: first.email,
      created_at: now,
      expires_at: defaultExpiry(now),
    },
    token,
  );
}
