import { type RawBuilder, sql } from "kysely";
import type { Bound, Caller } from "../api/caller.ts";
import { Fault } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

/**
 * Nothing that is made with an API token outlives it or does more: tokens, sign-in links, sign-ins, people, roles given
 * and widened, dashboard and recording links. A token that is revoked takes all of it along. Whoever signed in with a
 * password of their own has no such end.
 */

/** For whatever a caller makes. Lock: the token's row, so that one that is being revoked makes nothing that stays. */
export async function refuseRevoked(tx: Tx, { bound }: Caller): Promise<void> {
  if (!bound?.token_id) return;
  const { revoked_at } = await tx
    .selectFrom("api_tokens")
    .select("revoked_at")
    .where("id", "=", bound.token_id)
    .forShare()
    .executeTakeFirstOrThrow();
  if (revoked_at !== null) throw new Fault("not-authenticated", "Invalid API key");
}

/** The columns of a link or a sign-in that was made by this caller. */
export const boundColumns = (bound: Bound | null) => ({
  bound_until: bound?.until.toISOString() ?? null,
  bound_token_id: bound?.token_id ?? null,
  bound_permissions: bound?.permissions ?? null,
});

/** What a link for this person may carry on: for others than the maker, what the maker may do at this moment. */
export const boundForLink = ({ bound, user_id, permissions }: Caller, for_user_id: number): Bound | null =>
  bound && { ...bound, permissions: for_user_id === user_id ? bound.permissions : [...permissions] };

/** The columns of a person or a role to which this caller gave something: until when it holds, and by which token. */
export const grantColumns = (bound: Bound | null) => ({
  granted_until: bound?.until.toISOString() ?? null,
  granted_by_token_id: bound?.token_id ?? null,
});

/** The earlier of what is wanted and the caller's own end. */
export const notAfter = (bound: Bound | null, wanted: Date): Date =>
  bound && bound.until < wanted ? bound.until : wanted;

export const earlier = (one: Bound | null, other: Bound | null): Bound | null =>
  one === null || other === null ? (one ?? other) : one.until <= other.until ? one : other;

/** The role that a person `u` has at this moment; null where their access has ended. */
export const roleAt = (now: string): RawBuilder<number | null> =>
  sql`case when u.granted_until is null or u.granted_until > ${now}::timestamptz then u.role_id else u.lasting_role_id end`;

/** What a role `r` allows at this moment. */
export const permissionsAt = (now: string): RawBuilder<string[]> =>
  sql`case when r.granted_until is null or r.granted_until > ${now}::timestamptz then r.permissions else coalesce(r.lasting_permissions, '{}') end`;

/** What a role `r` will allow when whatever a token gave it has ended. */
export const lastingPermissions = sql<
  string[]
>`case when r.granted_until is null then r.permissions else coalesce(r.lasting_permissions, '{}') end`;

/** These tokens and all that were made with them, whatever the number of steps. */
const withDescendants = (ids: number[]) => sql`
  with recursive ending (id) as (
    select id from api_tokens where id = any(${ids}::bigint[])
    union
    select t.id from api_tokens t join ending e on t.made_with_token_id = e.id
  )`;

/** Revokes tokens with the tokens, links and sign-ins made with them. */
export async function endTokens(tx: Tx, now: string, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  // Again until nothing is left: a token that waited for our lock may have made another meanwhile.
  for (;;) {
    const { numAffectedRows } = await sql`${withDescendants(ids)}
      update api_tokens set revoked_at = ${now} from ending
      where api_tokens.id = ending.id and revoked_at is null`.execute(tx);
    if (!numAffectedRows) break;
  }
  await sql`${withDescendants(ids)} delete from one_time_codes using ending where bound_token_id = ending.id`.execute(
    tx,
  );
  await sql`${withDescendants(ids)} delete from sign_ins using ending where bound_token_id = ending.id`.execute(
    tx,
  );
}

/**
 * Takes back also what the tokens gave people and roles: for a token that somebody revokes. Not for the tokens of a
 * person who leaves: people they added stay until the tokens would have expired.
 */
export async function endGrants(tx: Tx, now: string, ids: number[]): Promise<void> {
  await sql`${withDescendants(ids)}
    update users set granted_until = ${now} from ending
    where granted_by_token_id = ending.id and granted_until > ${now}`.execute(tx);
  await sql`${withDescendants(ids)}
    update roles set granted_until = ${now} from ending
    where granted_by_token_id = ending.id and granted_until > ${now}`.execute(tx);
}
