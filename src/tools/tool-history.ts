import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { queryInteger, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { ToolDefinition, toolType } from "./tool-definition.ts";

/** One state of a tool, from the first (1) to the one in which it was deleted. */
const ToolHistoryResponse = z
  .object({
    tool_id: z.int(),
    version_number: z.int(),
    created_at: timestamp(),
    updated_by: z.string(),
    comments: z.string().nullish(),
    operation: z.enum(["create", "update", "delete"]),
    deleted_reason: z.string().nullish(),
    service_id: z.int(),
    service_name: z.string().nullish(),
    name: z.string(),
    description: z.string(),
    type: z.string(),
    definition: ToolDefinition,
  })
  .meta({ id: "ToolHistoryResponse" });
type ToolHistoryResponse = z.infer<typeof ToolHistoryResponse>;
type ToolOperation = ToolHistoryResponse["operation"];

const historyQuery = z.object({
  page: queryInteger({ min: 0 }).prefault(0),
  limit: queryInteger({ min: 1, max: 100 }).prefault(25),
  order_by_direction: z.enum(["asc", "desc"]).default("asc"),
});

const historyList: list.ListRules = {
  fields: {},
  time: "v.created_at",
  order: [{ column: "v.version_number", direction: "asc" }],
};

/** Writes down the tool as it stands now; every change does so in its own transaction. */
export async function recordToolVersion(tx: Tx, id: number, operation: ToolOperation): Promise<void> {
  await sql`
    insert into tool_versions (tool_id, version_number, created_at, updated_by, comments, operation,
      deleted_reason, service_id, service_name, name, definition)
    select t.id, t.version_number, t.last_updated, t.last_updated_by, t.last_updated_comments, ${operation},
      t.deleted_reason, t.service_id, s.name, t.name, t.definition
    from tools t join services s on s.id = t.service_id
    where t.id = ${id}`.execute(tx);
}

/** Deleted tools keep their history. */
const selectVersions = (db: Db, caller: Caller, tool_id: number) =>
  db
    .selectFrom("tool_versions as v")
    .innerJoin("tools as t", "t.id", "v.tool_id")
    .where("t.sub_organization_id", "=", caller.sub_organization_id)
    .where("v.tool_id", "=", tool_id)
    .select([
      "v.tool_id",
      "v.version_number",
      "v.created_at",
      "v.updated_by",
      "v.comments",
      "v.operation",
      "v.deleted_reason",
      "v.service_id",
      "v.service_name",
      "v.name",
      "v.definition",
    ])
    .$castTo<Omit<ToolHistoryResponse, "description" | "type">>();

export function toolHistoryRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/tools/:tool_id/history",
    {
      summary: "List the versions of a tool",
      tag: "tools",
      permission: "tools_read",
      params: z.object({ tool_id: recordId() }),
      query: historyQuery,
      response: list.listOf(ToolHistoryResponse),
    },
    async ({ caller, params: { tool_id }, query }) => {
      const asked = { ...query, search_fields: [], search_field_values: [], fields: [] };
      const page = await list.listPage(db, selectVersions(db, caller, tool_id), asked, historyList);
      if (page.total_count === 0) throw notFound("Tool", tool_id);
      const items = page.items.map(
        (version): ToolHistoryResponse => ({
          ...version,
          description: version.definition.tool.function.description,
          type: toolType(version.definition),
        }),
      );
      return { ...page, items };
    },
  );
}
