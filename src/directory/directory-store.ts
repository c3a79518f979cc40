import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, isUniqueViolation, jsonOrNull, type Tx } from "../db/database.ts";
import type {
  DirectoryMember,
  DirectoryMemberHistory,
  DirectoryMemberInput,
  DirectoryOperation,
} from "./directory-schema.ts";

export const memberList: list.ListRules = {
  fields: {
    id: list.integer("m.id"),
    name: list.text("m.name"),
    name_exact: list.exact("m.name"),
    type: list.text("m.type"),
    extensions: list.document("m.extensions"),
    contact_tags: list.document("m.contact_tags"),
    created_at: list.time("m.created_at"),
    updated_at: list.time("m.updated_at"),
    deleted_at: list.time("m.deleted_at"),
    created_by: list.text("m.created_by"),
  },
  time: "m.updated_at",
  order: [{ column: "m.id", direction: "asc" }],
};

export const historyList: list.ListRules = {
  fields: {},
  time: "v.timestamp",
  order: [{ column: "v.version", direction: "asc" }],
};

/** Deleted members too. */
export const selectMembers = (db: Db, caller: Caller) =>
  db
    .selectFrom("directory_members as m")
    .where("m.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "m.name",
      "m.type",
      "m.extensions",
      "m.contact_tags",
      "m.comments",
      "m.id",
      "m.created_at",
      "m.updated_at",
      "m.deleted_at",
      "m.last_updated_by",
      "m.created_by",
    ])
    .$castTo<DirectoryMember>();

export const selectVersions = (db: Db, caller: Caller, id: number) =>
  db
    .selectFrom("directory_member_versions as v")
    .innerJoin("directory_members as m", "m.id", "v.directory_member_id")
    .where("m.sub_organization_id", "=", caller.sub_organization_id)
    .where("v.directory_member_id", "=", id)
    .select([
      "v.directory_member_id",
      "v.version",
      "v.timestamp",
      "v.name",
      "v.type",
      sql`coalesce(v.extensions, '[]')`.as("extensions"),
      sql`coalesce(v.contact_tags, '{}')`.as("contact_tags"),
      "v.user_email",
      "v.comments",
      "v.operation",
    ])
    .$castTo<DirectoryMemberHistory>();

export async function findMember(db: Db, caller: Caller, id: number): Promise<DirectoryMember> {
  const member = await selectMembers(db, caller)
    .where("m.id", "=", id)
    .where("m.deleted_at", "is", null)
    .executeTakeFirst();
  if (!member) throw memberNotFound(id);
  return member;
}

/** The member as it stands, deleted or not, its row locked until the transaction ends. */
export async function lockMember(tx: Tx, caller: Caller, id: number): Promise<DirectoryMember> {
  const member = await selectMembers(tx, caller).where("m.id", "=", id).forUpdate().executeTakeFirst();
  if (!member) throw memberNotFound(id);
  return member;
}

export async function lockLiveMember(tx: Tx, caller: Caller, id: number): Promise<DirectoryMember> {
  const member = await lockMember(tx, caller, id);
  if (member.deleted_at) throw memberNotFound(id);
  return member;
}

export const memberNotFound = (id: number): Fault => notFound("Directory member", id);

export async function insertMember(
  tx: Tx,
  caller: Caller,
  now: Date,
  input: DirectoryMemberInput,
): Promise<DirectoryMember> {
  const at = now.toISOString();
  const { id } = await oneOfName(input, "refused", () =>
    tx
      .insertInto("directory_members")
      .values({
        ...columns(input),
        sub_organization_id: caller.sub_organization_id,
        created_at: at,
        created_by: caller.email,
        updated_at: at,
        last_updated_by: caller.email,
      })
      .returning("id")
      .executeTakeFirstOrThrow(),
  );
  await recordVersions(tx, [id], "create");
  return findMember(tx, caller, id);
}

/** Under a lock, as all that follow. */
export async function replaceMember(
  tx: Tx,
  caller: Caller,
  now: Date,
  id: number,
  input: DirectoryMemberInput,
): Promise<DirectoryMember> {
  await oneOfName(input, "refused", () => change(tx, caller, now, id, columns(input)));
  await recordVersions(tx, [id], "update");
  return findMember(tx, caller, id);
}

export async function removeMember(
  tx: Tx,
  caller: Caller,
  now: Date,
  id: number,
  comments: string,
): Promise<void> {
  await change(tx, caller, now, id, { comments, deleted_at: now.toISOString() });
  await recordVersions(tx, [id], "delete");
}

export async function restoreMember(
  tx: Tx,
  caller: Caller,
  now: Date,
  member: DirectoryMember,
  comments: string,
): Promise<DirectoryMember> {
  await oneOfName(member, "conflict", () =>
    change(tx, caller, now, member.id, { comments, deleted_at: null }),
  );
  await recordVersions(tx, [member.id], "restore");
  return findMember(tx, caller, member.id);
}

/**
 * Creates the members, or replaces those that have their name and type, in one statement whatever their number. They
 * are gone through in one order, so that two uploads at once wait for one another instead of each for the other.
 */
export async function upsertMembers(
  tx: Tx,
  caller: Caller,
  now: Date,
  members: DirectoryMemberInput[],
): Promise<{ created: number[]; updated: number[] }> {
  const at = now.toISOString();
  const { rows } = await sql<{ id: number; created: boolean }>`
    insert into directory_members as m (sub_organization_id, name, type, extensions, contact_tags, comments,
      created_at, created_by, updated_at, last_updated_by)
    select ${caller.sub_organization_id}::bigint, given.name, given.type, given.extensions, given.contact_tags,
      given.comments, ${at}::timestamptz, ${caller.email}::text, ${at}::timestamptz, ${caller.email}::text
    from json_populate_recordset(null::directory_members, ${JSON.stringify(members)}::json) as given
    order by given.name, given.type
    on conflict (sub_organization_id, name, type) where deleted_at is null do update set
      extensions = excluded.extensions, contact_tags = excluded.contact_tags, comments = excluded.comments,
      updated_at = excluded.updated_at, last_updated_by = excluded.last_updated_by, version = m.version + 1
    returning m.id, m.version = 1 as created`.execute(tx);
  await recordVersions(
    tx,
    rows.map(({ id }) => id),
    "bulk_load",
  );
  const ids = (created: boolean) => rows.filter((row) => row.created === created).map(({ id }) => id);
  return { created: ids(true), updated: ids(false) };
}

type Columns = ReturnType<typeof columns> | { comments: string; deleted_at: string | null };

const columns = (input: DirectoryMemberInput) => ({
  name: input.name,
  type: input.type,
  extensions: jsonOrNull(input.extensions),
  contact_tags: jsonOrNull(input.contact_tags),
  comments: input.comments ?? null,
});

async function change(tx: Tx, caller: Caller, now: Date, id: number, row: Columns): Promise<void> {
  await tx
    .updateTable("directory_members")
    .set({
      ...row,
      version: sql`version + 1`,
      updated_at: now.toISOString(),
      last_updated_by: caller.email,
    })
    .where("id", "=", id)
    .execute();
}

/** Writes down the members as they stand now; every change does so in its own transaction. */
async function recordVersions(tx: Tx, ids: number[], operation: DirectoryOperation): Promise<void> {
  await sql`
    insert into directory_member_versions (directory_member_id, version, timestamp, name, type, extensions,
      contact_tags, user_email, comments, operation)
    select id, version, updated_at, name, type, extensions, contact_tags, last_updated_by, comments, ${operation}
    from directory_members where id = any(${ids}::bigint[])`.execute(tx);
}

/** Of a name and type there is one member that is not deleted. */
async function oneOfName<T>(
  { name, type }: { name: string; type: string },
  kind: "refused" | "conflict",
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!isUniqueViolation(error, "directory_members_name")) throw error;
    throw new Fault(
      kind,
      `Another directory member is called "${name}" with the type "${type}"; of a type, each needs a name of its own.`,
      { cause: error },
    );
  }
}
