import type { Caller } from "../../api/caller.ts";
import { Fault } from "../../base/errors.ts";
import type { Tx } from "../../db/database.ts";
import { isPermission } from "../permission.ts";

/**
 * Whoever says which provider is believed can be anybody of the organization: it vouches for their address. So it is for who
 * may do all that any of them may.
 */
export async function requireMightiest(tx: Tx, caller: Caller): Promise<void> {
  const people = await tx
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .innerJoin("roles as r", "r.id", "u.role_id")
    .select(["r.id", "r.permissions"])
    .distinctOn("r.id")
    .where("s.organization_id", "=", caller.organization_id)
    .where("u.deleted_at", "is", null)
    .execute();
  const beyond = people
    .flatMap(({ permissions }) => permissions)
    .find((name) => isPermission(name) && !caller.permissions.has(name));
  if (beyond)
    throw new Fault(
      "forbidden",
      `An identity provider can sign people in as anyone in this organization, and some of them may do more than you: ${beyond}. Ask an administrator to set it up.`,
    );
}
