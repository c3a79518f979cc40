import { sql } from "kysely";
import type { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { isUniqueViolation, jsonOrNull, type Tx } from "../db/database.ts";
import { endTokens, grantColumns, lastingPermissions, refuseRevoked } from "./bound.ts";
import { removeSecondFactor } from "./sign-in/second-factor.ts";
import {
  findUser,
  lockPeople,
  personColumns,
  type UserCreateRequest,
  type UserResponse,
  type UserUpdateRequest,
} from "./user-record.ts";

export async function insertUser(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  input: z.output<typeof UserCreateRequest>,
): Promise<UserResponse> {
  // The role before the token, as `lockPeople` comes before tokens.
  await requireRole(tx, caller, input.role_id);
  await refuseRevoked(tx, caller);
  await refuseForeignDomain(tx, caller, input.email);
  const { utm, ...columns } = personColumns(input);
  try {
    await tx
      .insertInto("users")
      .values({
        ...columns,
        ...grantColumns(caller.bound),
        utm: jsonOrNull(utm),
        email: input.email,
        sub_organization_id: caller.sub_organization_id,
        login_type: input.login_type ?? defaultLoginType(input.email),
        skip_auth: input.skip_auth,
        last_updated: clock.now().toISOString(),
        last_updated_by: caller.email,
      })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error)) throw new Fault("refused", `There is a user ${input.email} already.`);
    throw error;
  }
  return findUser(tx, caller, input.email);
}

export async function replaceUser(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  input: z.output<typeof UserUpdateRequest>,
  before: UserResponse,
): Promise<UserResponse> {
  await refuseMightier(tx, caller, before);
  await requireRole(tx, caller, input.role_id);
  await refuseRevoked(tx, caller);
  if (input.role_id !== before.role_id) await keepAnAdministrator(tx, caller, before);
  const { utm, ...columns } = personColumns(input);
  const grant = await grantOf(tx, caller, input.role_id, before);
  await tx
    .updateTable("users")
    .set({
      ...columns,
      ...grant,
      utm: jsonOrNull(utm),
      last_updated: clock.now().toISOString(),
      last_updated_by: caller.email,
      last_updated_comments: input.last_updated_comments ?? null,
    })
    .where("id", "=", before.id)
    .execute();
  return findUser(tx, caller, input.email);
}

/**
 * Whoever signed in with a password gives a role for good, also one that stood there for a time only. With a token, a role
 * that allows more than the last lasting one holds until the token ends.
 */
async function grantOf(tx: Tx, { bound }: Caller, role_id: number, before: UserResponse) {
  const none = { granted_until: null, granted_by_token_id: null, lasting_role_id: null };
  if (bound === null) return none;
  const now = await tx
    .selectFrom("users")
    .select(["granted_until", "lasting_role_id"])
    .where("id", "=", before.id)
    .executeTakeFirstOrThrow();
  const lasting = now.granted_until === null ? before.role_id : now.lasting_role_id;
  if (lasting !== null && (await permits(tx, lasting, role_id))) return none;
  if (role_id === before.role_id && now.granted_until !== null) return {};
  return { ...grantColumns(bound), lasting_role_id: lasting };
}

/** Whether a role allows for good all that another may at some time. */
async function permits(tx: Tx, role_id: number, other_id: number): Promise<boolean> {
  if (role_id === other_id) return true;
  const roles = await tx
    .selectFrom("roles as r")
    .select(["r.id", "r.permissions", lastingPermissions.as("lasting")])
    .where("r.id", "in", [role_id, other_id])
    .execute();
  const lasting = roles.find(({ id }) => id === role_id)?.lasting ?? [];
  const wanted = roles.find(({ id }) => id === other_id)?.permissions ?? [];
  return wanted.every((permission) => lasting.includes(permission));
}

/** The address is free again; what the person could get in with works no more. */
export async function removeUser(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  before: UserResponse,
  reason: string,
): Promise<void> {
  // One's own account may be given up whatever the token may do besides.
  if (before.id !== caller.user_id) await refuseMightier(tx, caller, before);
  await keepAnAdministrator(tx, caller, before);
  await keepAnException(tx, caller, before);
  await closeAccess(tx, clock, [before.id], reason);
}

/** Takes people away with all they could get in with: sign-ins, links, API tokens. */
export async function closeAccess(tx: Tx, clock: Clock, userIds: number[], reason: string): Promise<void> {
  if (userIds.length === 0) return;
  const now = clock.now().toISOString();
  await tx
    .updateTable("users")
    .set({ deleted_at: now, deleted_reason: reason, password_hash: null })
    .where("id", "in", userIds)
    .execute();
  const tokens = await tx
    .selectFrom("api_tokens")
    .select("id")
    .where("user_id", "in", userIds)
    .where("revoked_at", "is", null)
    .forUpdate()
    .execute();
  await endTokens(
    tx,
    now,
    tokens.map(({ id }) => id),
  );
  await tx.deleteFrom("sign_ins").where("user_id", "in", userIds).execute();
  await tx.deleteFrom("one_time_codes").where("user_id", "in", userIds).execute();
  await removeSecondFactor(tx, userIds);
}

/**
 * Whoever may act on people must not act on those who may do more: a sign-in link would make them that person. A narrowed
 * token may do less than the person who made it, so this holds for them too. The role that somebody has again after the end
 * of a token counts as well: what a link lets its bearer set, such as a password, outlives the token.
 */
export async function refuseMightier(tx: Tx, caller: Caller, user: UserResponse): Promise<void> {
  const roles = await tx
    .selectFrom("users as u")
    .innerJoin("roles as r", (join) => join.on(sql<boolean>`r.id in (u.role_id, u.lasting_role_id)`))
    .select("r.permissions")
    .where("u.id", "=", user.id)
    .execute();
  const beyond = roles
    .flatMap(({ permissions }) => permissions)
    .find((permission) => !caller.permissions.has(permission));
  if (beyond) throw new Fault("forbidden", `${user.email} may do more than you: ${beyond}.`);
}

/** A role of this sub-organization that allows nothing its giver may not do. */
export async function requireRole(tx: Tx, caller: Caller, id: number): Promise<void> {
  const role = await tx
    .selectFrom("roles")
    .select(["name", "permissions"])
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (!role) throw notFound("Role", id);
  const beyond = role.permissions.find((permission) => !caller.permissions.has(permission));
  if (beyond)
    throw new Fault(
      "forbidden",
      `You can't give the role "${role.name}": it allows ${beyond}, which you don't have.`,
    );
}

/** Lock: everybody's (`lockPeople`), so that two administrators can't take each other away at once. */
export async function keepAnAdministrator(
  tx: Tx,
  caller: Pick<Caller, "sub_organization_id">,
  leaving: Pick<UserResponse, "id" | "email" | "role_id">,
): Promise<void> {
  const admin_id = await lockPeople(tx, caller);
  if (leaving.role_id !== admin_id) return;
  const others = await tx
    .selectFrom("users")
    .select("granted_until")
    .where("role_id", "=", admin_id)
    .where("deleted_at", "is", null)
    .where("id", "!=", leaving.id)
    .execute();
  // Whose role ends with a token is nobody to leave an organization to.
  if (others.some(({ granted_until }) => granted_until === null)) return;
  throw new Fault(
    "refused",
    others.length === 0
      ? `${leaving.email} is the last administrator. Make somebody else one first.`
      : `${leaving.email} is the last permanent administrator: the others keep the role only as long as the API token that gave it. Sign in and save one of them first.`,
  );
}

/** Where single sign-on is required, somebody must keep a password for the day the provider is down. Lock: `lockPeople`. */
async function keepAnException(
  tx: Tx,
  { organization_id }: Caller,
  leaving: Pick<UserResponse, "id" | "email">,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select o.name from single_sign_on o
    where o.organization_id = ${organization_id} and o.is_enforced
      and lower(${leaving.email}::text) = any(o.break_glass) and not exists (
        select from users u join sub_organizations s on s.id = u.sub_organization_id
        where s.organization_id = o.organization_id and u.id <> ${leaving.id} and u.deleted_at is null
          and u.password_hash is not null and lower(u.email) = any(o.break_glass))`.execute(tx);
  const [provider] = rows;
  if (provider)
    throw new Fault(
      "refused",
      `${leaving.email} is the last who may sign in without ${provider.name}. Add somebody with a password to the exceptions of single sign-on first.`,
    );
}

/** An organization may say which e-mail domains its people have. */
async function refuseForeignDomain(tx: Tx, caller: Caller, email: string): Promise<void> {
  const { domains } = await tx
    .selectFrom("organizations")
    .select("domains")
    .where("id", "=", caller.organization_id)
    .executeTakeFirstOrThrow();
  const allowed = splitDomains(domains ?? "");
  if (allowed.length === 0 || allowed.includes(email.slice(email.lastIndexOf("@") + 1))) return;
  throw new Fault("refused", `This organization's people have addresses of ${allowed.join(", ")}.`);
}

export const splitDomains = (text: string): string[] =>
  text
    .split(",")
    .map((domain) => domain.trim().toLowerCase().replace(/^@/, ""))
    .filter((domain) => domain !== "");

const defaultLoginType = (email: string) =>
  email.endsWith("@gmail.com") ? "google" : "username_and_password";
