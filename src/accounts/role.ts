import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, refuseWhileHeld } from "../api/resource.ts";
import { boundedList, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { grantColumns, lastingPermissions, refuseRevoked } from "./bound.ts";
import { isPermission, refuseUnknownPermissions } from "./permission.ts";
import { lockPeople } from "./user-record.ts";

const RoleResponse = z
  .object({
    name: z.string(),
    description: z.string().nullish(),
    permissions: boundedList(z.string()),
    id: z.int(),
    last_updated_comments: z.string().nullish(),
    is_system_role: z.boolean(),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "RoleResponse" });
type RoleResponse = z.infer<typeof RoleResponse>;

const RoleCreateRequest = z
  .object({ name: name(), description: z.string().nullish(), permissions: boundedList(z.string()) })
  .meta({ id: "RoleCreateRequest" });
const RoleUpdateRequest = RoleCreateRequest.extend({
  id: recordId(),
  last_updated_comments: z.string().nullish(),
}).meta({ id: "RoleUpdateRequest" });
type RoleInput = z.infer<typeof RoleCreateRequest>;

const roleList: list.ListRules = {
  fields: {
    name: list.text("r.name"),
    description: list.text("r.description"),
    updated_at: list.time("r.last_updated"),
    last_updated_by: list.text("r.last_updated_by"),
  },
  time: "r.last_updated",
  order: [{ column: "r.id", direction: "asc" }],
};

const selectRoles = (db: Db, caller: Caller) =>
  db
    .selectFrom("roles as r")
    .where("r.sub_organization_id", "=", caller.sub_organization_id)
    .where("r.deleted_at", "is", null)
    .select([
      "r.name",
      "r.description",
      "r.permissions",
      "r.id",
      "r.last_updated_comments",
      "r.is_system_role",
      "r.last_updated",
      "r.last_updated_by",
    ]);

export function roleRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const values = (caller: Caller, input: RoleInput) => ({
    name: input.name,
    description: input.description ?? null,
    permissions: grantable(caller, input.permissions),
    last_updated: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  addResource(api, db, {
    path: "/api/v1/roles",
    noun: "Role",
    id_name: "role_id",
    tag: "roles",
    permission: "roles",
    record: RoleResponse,
    create: RoleCreateRequest,
    update: RoleUpdateRequest,
    remove: z.object({ reason: z.string(), new_role_id: recordId().nullish() }),
    list: roleList,
    store: {
      page: (caller, query) => list.listPage(db, selectRoles(db, caller), query, roleList),
      find: (from, caller, id) => selectRoles(from, caller).where("r.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        const { id } = await tx
          .insertInto("roles")
          .values({ ...values(caller, input), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input, before) {
        refuseSystemRole(before);
        await refuseMightierRole(tx, caller, input.id);
        const next = values(caller, input);
        await tx
          .updateTable("roles")
          .set({
            ...next,
            ...(await grantOf(tx, caller, input.id, next.permissions)),
            last_updated_comments: input.last_updated_comments ?? null,
          })
          .where("id", "=", input.id)
          .execute();
      },
      async remove(tx, caller, id, { reason, new_role_id }, before) {
        refuseSystemRole(before);
        await refuseMightierRole(tx, caller, id);
        await refuseWhileGiven(tx, caller, before);
        await moveUsers(tx, caller, id, new_role_id ?? null);
        await tx
          .updateTable("roles")
          .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
          .where("id", "=", id)
          .execute();
      },
    },
  });
}

function refuseSystemRole(role: RoleResponse): void {
  if (role.is_system_role) {
    throw new Fault(
      "forbidden",
      `"${role.name}" is a built-in role; built-in roles can't be changed or deleted.`,
    );
  }
}

/**
 * Taking from a role takes from all who hold it, so it is for those who may do as much themselves. Lock: `lockPeople`, then
 * the role's row. Granting the role takes the same row lock, so nobody gains it before this transaction ends.
 */
async function refuseMightierRole(tx: Tx, caller: Caller, id: number): Promise<void> {
  await lockPeople(tx, caller);
  const role = await tx
    .selectFrom("roles")
    .select(["name", "permissions"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  // One that a later version no longer knows is nobody's, and must not make the role immovable.
  const beyond = role.permissions.find((name) => isPermission(name) && !caller.permissions.has(name));
  if (beyond)
    throw new Fault(
      "forbidden",
      `You can't change or delete the role "${role.name}": it allows ${beyond}, which you don't have.`,
    );
}

/**
 * A role that is widened with a token allows the more until the token ends; whoever signed in with a password makes it last.
 */
async function grantOf(tx: Tx, caller: Caller, id: number, wanted: string[]) {
  await refuseRevoked(tx, caller);
  const before = await tx
    .selectFrom("roles")
    .select(["permissions", "granted_until", "lasting_permissions"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const lasting = before.granted_until === null ? before.permissions : (before.lasting_permissions ?? []);
  const none = { granted_until: null, granted_by_token_id: null, lasting_permissions: null };
  if (caller.bound === null || wanted.every((permission) => lasting.includes(permission))) return none;
  const kept = lasting.filter((permission) => wanted.includes(permission));
  // As it stood already, until the end that it had.
  if (before.granted_until !== null && wanted.every((permission) => before.permissions.includes(permission)))
    return { lasting_permissions: kept };
  return { ...grantColumns(caller.bound), lasting_permissions: kept };
}

/** Sorted, each once; refused when unknown, or beyond what the caller may do (no one hands out more than they have). */
function grantable(caller: Caller, permissions: string[]): string[] {
  refuseUnknownPermissions(permissions);
  const beyond = permissions.find((permission) => !caller.permissions.has(permission));
  if (beyond) throw new Fault("forbidden", `You can't grant ${beyond}: you don't have it yourself.`);
  return [...new Set(permissions)].toSorted();
}

/**
 * People who get a role from single sign-on would get it again at their next sign-in, when nobody can see or change it any
 * more. Whoever is naming it there at this moment holds its row, so they have been waited for.
 */
async function refuseWhileGiven(tx: Tx, { organization_id }: Caller, { id, name }: RoleResponse) {
  const given = await tx
    .selectFrom("single_sign_on")
    .select("name")
    .where("organization_id", "=", organization_id)
    .where(
      sql<boolean>`(default_role_id = ${id}::bigint or exists (
        select from json_array_elements(roles) each where (each ->> 'role_id')::bigint = ${id}::bigint))`,
    )
    .execute();
  refuseWhileHeld(
    `role "${name}"`,
    given.map((provider) => ({ kind: "single sign-on", name: provider.name })),
  );
}

async function moveUsers(tx: Tx, caller: Caller, from: number, to: number | null): Promise<void> {
  const holders = await tx
    .selectFrom("users")
    .select("role_id")
    .where((user) => user.or([user("role_id", "=", from), user("lasting_role_id", "=", from)]))
    .where("deleted_at", "is", null)
    .execute();
  if (holders.length === 0) return;
  if (to === null) {
    const who = holders.length === 1 ? "One user has" : `${holders.length} users have`;
    const again = holders.some(({ role_id }) => role_id !== from)
      ? " or will have it again when a token ends"
      : "";
    throw new Fault("refused", `${who} this role${again}; name new_role_id to move them to.`);
  }
  const target = await selectRoles(tx, caller).where("r.id", "=", to).forShare().executeTakeFirst();
  if (!target || to === from) throw new Fault("refused", `Role with ID ${to} can't take the users over.`);
  const beyond = target.permissions.find((permission) => !caller.permissions.has(permission));
  if (beyond) throw new Fault("forbidden", `You can't grant ${beyond}: you don't have it yourself.`);
  // Who may do more now than before, by a token: until it ends, and then as before.
  const { lasting } = await tx
    .selectFrom("roles as r")
    .select(lastingPermissions.as("lasting"))
    .where("r.id", "=", from)
    .executeTakeFirstOrThrow();
  const more = target.permissions.some((permission) => !lasting.includes(permission));
  if (caller.bound !== null && more) {
    await refuseRevoked(tx, caller);
    await tx
      .updateTable("users")
      .set({ ...grantColumns(caller.bound), lasting_role_id: from })
      .where("role_id", "=", from)
      .where("granted_until", "is", null)
      .execute();
  } else {
    // Whom a token took out of the role does not come back to one that nobody sees or can change.
    await tx.updateTable("users").set({ lasting_role_id: to }).where("lasting_role_id", "=", from).execute();
  }
  await tx.updateTable("users").set({ role_id: to }).where("role_id", "=", from).execute();
}
