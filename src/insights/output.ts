import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { SCRIPTED_MODEL } from "../llm/catalogue.ts";

/** One key of what a tool found about one session or recording. */
export const InsightsOutput = z
  .object({
    id: z.int(),
    session_id: z.int().nullish(),
    upload_file_id: z.int().nullish(),
    insight_tool_id: z.int(),
    insight_tool_version: z.int(),
    workflow_id: z.int().nullish(),
    insight_key: z.string(),
    string_value: z.string().nullish(),
    numeric_value: z.number().nullish(),
    json_value: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe(
        '{key: value}. Booleans stand as "true" and "false", arrays and objects as JSON text, null as an empty string.',
      ),
    created_at: timestamp().optional(),
    updated_at: timestamp().optional(),
    model: z
      .string()
      .nullish()
      .describe("The model that answered; `scripted`: the offline model, whose words are no analysis."),
    upload_file_metadata: z.unknown().describe("What was given with the recording; null for sessions."),
  })
  .meta({ id: "InsightsOutput" });
export type InsightsOutput = z.infer<typeof InsightsOutput>;

/**
 * Whether a value is an analysis: the offline model makes its answers up, so boards, alerts and experiments don't count them,
 * and no search for what was found finds them. `output`: what insight_outputs is called in the query.
 */
export const isAnalysis = (output: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${output}.model`)} is distinct from ${SCRIPTED_MODEL}`;

const outputList: list.ListRules = {
  fields: {
    id: list.integer("o.id"),
    session_id: list.integer("o.session_id"),
    upload_file_id: list.integer("o.upload_file_id"),
    workflow_id: list.integer("o.workflow_id"),
    upload_folder_id: list.integer("f.folder_id"),
    insight_key: list.text("o.insight_key"),
    insight_tool_id: list.integer("o.insight_tool_id"),
    model: list.exact("o.model"),
  },
  time: "o.updated_at",
  order: [{ column: "o.id", direction: "desc" }],
  countUpTo: 10_000,
};

/** Indexes: insight_outputs_order, insight_outputs_session, insight_outputs_file. */
const selectOutputs = (db: Db, caller: Caller) =>
  db
    .selectFrom("insight_outputs as o")
    .leftJoin("insight_files as f", "f.id", "o.upload_file_id")
    .where("o.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "o.id",
      "o.session_id",
      "o.upload_file_id",
      "o.insight_tool_id",
      "o.insight_tool_version",
      "o.workflow_id",
      "o.insight_key",
      "o.string_value",
      "o.numeric_value",
      "o.json_value",
      "o.model",
      "o.created_at",
      "o.updated_at",
      sql<unknown>`f.metadata`.as("upload_file_metadata"),
    ])
    .$castTo<InsightsOutput>();

export function outputRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/insights/",
    {
      summary: "List insight results",
      description: "Newest first. Past 10,000 matches the totals are null.",
      tag: "insights",
      permission: "insights_read",
      query: list.listQuery(outputList),
      response: list.listOf(InsightsOutput),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectOutputs(db, caller), query, outputList);
      return list.onlyFields(page, query.fields, InsightsOutput);
    },
  );
}
