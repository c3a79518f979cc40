import type { FastifyRequest } from "fastify";
import type { Actor } from "../../api/caller.ts";
import { limitedBy } from "../../api/client-address.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/crypto.ts";
import type { Db } from "../../db/database.ts";
import { auditCounted, type CountedEntry } from "./counted-audit.ts";

/** A person's place in a sub-organization, as the audit trail names it. */
export type Place = { id: number; sub_organization_id: number; email: string };

/** How somebody got in, or tried to. */
export type Means =
  | "password"
  | "link"
  | "recovery link"
  | "passkey"
  | `${"password" | "link"} and second factor`;

export const asActor = (
  { id, sub_organization_id, email }: Place,
  request: FastifyRequest,
  api_token_id: number | null = null,
): Actor => ({
  sub_organization_id,
  email,
  user_id: id,
  api_token_id,
  address: request.ip,
  request_id: request.id,
});

export async function placeOf(tx: Db, user_id: number): Promise<Place> {
  return tx
    .selectFrom("users")
    .select(["id", "sub_organization_id", "email"])
    .where("id", "=", user_id)
    .executeTakeFirstOrThrow();
}

type Failure = { request: FastifyRequest; places: Place[]; means: Means; isAttacked: boolean };

/**
 * A sign-in that failed stands in the trail of everybody's organization who has the account; what was entered does not. An
 * address has one entry an hour for each account, and an account that is tried from everywhere one for all of them.
 */
export async function auditFailedSignIn(
  db: Db,
  clock: Clock,
  { request, places, means, isAttacked }: Failure,
): Promise<void> {
  const { group } = limitedBy(request);
  const from = isAttacked ? "everywhere" : group;
  const entries = places.map((place): CountedEntry => {
    const by = asActor(place, request);
    return {
      by: isAttacked ? { ...by, address: null } : by,
      entry: {
        action: "sign-in-failed",
        resource: "users",
        resource_id: place.id,
        after: {
          email: place.email,
          with: means,
          ...(isAttacked && { from: "many addresses" }),
        },
      },
      key: `sign-in-failed ${means} ${place.id} ${from}`,
    };
  });
  await auditCounted(db, clock.now(), entries);
}

/** Whose a link was that is spent, too old or replaced, where that is still known. */
export async function placesOfSpentCode(db: Db, code: string): Promise<Place[]> {
  return db
    .selectFrom("one_time_codes as c")
    .innerJoin("users as u", "u.id", "c.user_id")
    .select(["u.id", "u.sub_organization_id", "u.email"])
    .where("c.code_hash", "=", sha256(code))
    .where("u.deleted_at", "is", null)
    .execute();
}
