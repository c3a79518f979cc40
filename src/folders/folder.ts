import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { lockRow } from "../api/hold-record.ts";
import * as list from "../api/list.ts";
import { refuseWhileHeld, write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { folderIds } from "../insights/workflow-store.ts";
import {
  durationText,
  FolderDetails,
  InsightsFolder,
  InsightsFolderInput,
  sizeText,
} from "./folder-schema.ts";

const folderList: list.ListRules = {
  fields: {
    id: list.integer("d.id"),
    name: list.text("d.name"),
    name_exact: list.exact("d.name"),
    label: list.text("d.label"),
    updated_at: list.time("d.updated_at"),
  },
  time: "d.updated_at",
  order: [{ column: "d.id", direction: "asc" }],
};

const selectFolders = (db: Db, caller: Caller) =>
  db
    .selectFrom("insight_folders as d")
    .where("d.sub_organization_id", "=", caller.sub_organization_id)
    .where("d.deleted_at", "is", null)
    .select([
      "d.name",
      "d.label",
      "d.description",
      "d.id",
      "d.created_at",
      "d.updated_at",
      "d.last_updated_by",
    ]);

export const FOLDERS = "/api/v1/insights/folders";
export const folderParams = z.object({ folder_id: recordId() });

export async function findFolder(db: Db, caller: Caller, id: number): Promise<InsightsFolder> {
  const found = await selectFolders(db, caller).where("d.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Folder", id);
  return found;
}

export function folderRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const one = `${FOLDERS}/:folder_id`;
  const tag = "insights";
  const noun = "Folder";

  const stamp = (caller: Caller) => ({
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  api.get(
    `${FOLDERS}/`,
    {
      summary: "List folders of recordings",
      tag,
      permission: "insights_read",
      query: list.listQuery(folderList),
      response: list.listOf(InsightsFolder),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectFolders(db, caller), query, folderList);
      return list.onlyFields(page, query.fields, InsightsFolder);
    },
  );

  api.get(
    one,
    {
      summary: "Get a folder of recordings",
      tag,
      permission: "insights_read",
      params: folderParams,
      response: FolderDetails,
    },
    async ({ caller, params }) => {
      const folder = await findFolder(db, caller, params.folder_id);
      return { ...folder, folder_stats: await folderStats(db, folder.id) };
    },
  );

  api.post(
    `${FOLDERS}/`,
    {
      summary: "Create a folder of recordings",
      tag,
      permission: "insights_write",
      body: InsightsFolderInput,
      response: InsightsFolder,
    },
    ({ caller, body }) =>
      write(db, noun, async (tx) => {
        const stamped = stamp(caller);
        const { id } = await tx
          .insertInto("insight_folders")
          .values({
            ...columns(body),
            ...stamped,
            sub_organization_id: caller.sub_organization_id,
            created_at: stamped.updated_at,
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        const after = await findFolder(tx, caller, id);
        await api.audit(tx, caller, {
          action: "create",
          resource: "insight_folders",
          resource_id: id,
          after,
        });
        return after;
      }),
  );

  api.put(
    one,
    {
      summary: "Update a folder of recordings",
      tag,
      permission: "insights_write",
      params: folderParams,
      body: InsightsFolderInput,
      response: InsightsFolder,
    },
    ({ caller, params, body }) =>
      write(db, noun, async (tx) => {
        const before = await lockFolder(tx, caller, params.folder_id);
        const set = { ...columns(body), ...stamp(caller) };
        await tx.updateTable("insight_folders").set(set).where("id", "=", before.id).execute();
        const after = await findFolder(tx, caller, before.id);
        const resource_id = before.id;
        await api.audit(tx, caller, {
          action: "update",
          resource: "insight_folders",
          resource_id,
          before,
          after,
        });
        return after;
      }),
  );

  api.delete(
    one,
    {
      summary: "Delete a folder of recordings",
      description: "400 while an active workflow takes recordings from it.",
      tag,
      permission: "insights_delete",
      params: folderParams,
      response: z.boolean(),
    },
    ({ caller, params }) =>
      write(db, noun, async (tx) => {
        const before = await lockFolder(tx, caller, params.folder_id);
        refuseWhileHeld(`folder "${before.name}"`, await activeHolders(tx, caller, before.id));
        const { updated_at, last_updated_by } = stamp(caller);
        await tx
          .updateTable("insight_folders")
          .set({ deleted_at: updated_at, updated_at, last_updated_by })
          .where("id", "=", before.id)
          .execute();
        const resource_id = before.id;
        await api.audit(tx, caller, { action: "delete", resource: "insight_folders", resource_id, before });
        return true;
      }),
  );
}

const columns = ({ name, label, description }: InsightsFolderInput) => ({
  name,
  label: label ?? null,
  description: description ?? null,
});

/** Lock: the folder's row. Who activates a workflow on it waits, and then sees what this transaction left. */
async function lockFolder(tx: Tx, caller: Caller, id: number): Promise<InsightsFolder> {
  await lockRow(tx, caller, "insight_folders", id);
  return findFolder(tx, caller, id);
}

async function activeHolders(tx: Tx, caller: Caller, folder_id: number) {
  const rows = await tx
    .selectFrom("insight_workflows as w")
    .where("w.sub_organization_id", "=", caller.sub_organization_id)
    .where("w.status", "=", "ACTIVE")
    .where("w.deleted_at", "is", null)
    .where(sql<boolean>`${folder_id} in (${folderIds("w")})`)
    .select("w.name")
    .orderBy("w.name")
    .execute();
  return rows.map(({ name }) => ({ kind: "insight workflow", name }));
}

/** Index: insight_files_folder. */
async function folderStats(db: Db, folder_id: number) {
  const { count, duration, size } = await db
    .selectFrom("insight_files as f")
    .where("f.folder_id", "=", folder_id)
    .where("f.deleted_at", "is", null)
    .select([
      sql<number>`count(*)`.as("count"),
      sql<number>`coalesce(sum(f.duration), 0)`.as("duration"),
      sql<number>`coalesce(sum(f.size_bytes), 0)`.as("size"),
    ])
    .executeTakeFirstOrThrow();
  return { count, total_duration: durationText(duration), total_size: sizeText(size) };
}
