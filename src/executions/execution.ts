import { sql } from "kysely";
import { z } from "zod";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db, Tx } from "../db/database.ts";
import { shareTools } from "../insights/tool-configuration-store.ts";
import { countFailed, holdWorkflow, type Workflow } from "../insights/workflow-store.ts";
import { enqueue } from "../jobs/define-job.ts";
import { queueExecutions, releaseExecutions, type SubjectColumn } from "./queue.ts";
import { runInsights } from "./run-insights.ts";
import { WORKFLOWS, type WorkflowDeps, workflowParams } from "./workflow.ts";

const ToolRunOutput = z
  .object({
    insight_tool_id: z.int(),
    insight_tool_version: z.int(),
    name: z.string(),
    finished_at: timestamp().nullable(),
    model: z
      .string()
      .nullable()
      .describe("Who answered; `scripted` is the offline model, whose words are no analysis."),
    parts: z.int().nullable().describe("Into how many parts a long transcript was cut."),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    cached_input_tokens: z.int().nullable(),
    cost_usd: z
      .number()
      .nullable()
      .describe("At list price when it ran; null where nothing was paid or known."),
    duration_ms: z.number().nullable(),
  })
  .meta({ id: "InsightToolRun" });

/** One run of a workflow over one session or recording. */
const InsightExecution = z
  .object({
    id: z.int(),
    workflow_id: z.int(),
    workflow_name: z.string(),
    session_id: z.int().nullable(),
    upload_file_id: z.int().nullable(),
    cause: z.enum(["session", "upload", "manual", "backfill"]).describe("What queued it."),
    backfill_id: z.int().nullable(),
    status: z.enum(["PENDING", "PROCESSING", "COMPLETED", "FAILED"]),
    attempts: z.int(),
    error_message: z.string().nullable().describe("Why the last try failed."),
    created_at: timestamp(),
    run_at: timestamp().describe("Not before this; later than created_at once a try has failed."),
    started_at: timestamp().nullable(),
    finished_at: timestamp().nullable(),
    tools: z.array(ToolRunOutput).describe("In the order they run."),
    input_tokens: z.int().nullable().describe("Of all tools."),
    output_tokens: z.int().nullable(),
    cost_usd: z.number().nullable(),
  })
  .meta({ id: "InsightExecution" });
type InsightExecution = z.infer<typeof InsightExecution>;

/** Index: insight_files_folder. */
const inFolder: list.ListField["match"] = (value) => {
  const filter = list.integer("file.folder_id").match(value);
  return "problem" in filter
    ? filter
    : sql`e.upload_file_id in (select file.id from insight_files file where ${filter})`;
};

const executionList: list.ListRules = {
  fields: {
    id: list.integer("e.id"),
    workflow_id: list.integer("e.workflow_id"),
    session_id: list.integer("e.session_id"),
    upload_file_id: list.integer("e.upload_file_id"),
    upload_folder_id: list.custom(inFolder, sql`f.folder_id`),
    backfill_id: list.integer("e.backfill_id"),
    status: list.exact("e.status"),
    cause: list.read(list.exact("e.cause")),
    error_message: list.read(list.text("e.error_message")),
    created_at: list.time("e.created_at"),
  },
  time: "e.created_at",
  order: [
    { column: "e.created_at", direction: "desc" },
    { column: "e.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

const sumOf = (column: string) =>
  sql<
    number | null
  >`(select sum(x.${sql.ref(column)}) from insight_execution_tools x where x.execution_id = e.id)`;

/** Indexes: insight_executions_listed, _of_workflow, _of_backfill, _state, _session, _file. */
const selectExecutions = (db: Db, caller: Caller) =>
  db
    .selectFrom("insight_executions as e")
    .innerJoin("insight_workflows as w", "w.id", "e.workflow_id")
    .leftJoin("insight_files as f", "f.id", "e.upload_file_id")
    .where("e.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "e.id",
      "e.workflow_id",
      "w.name as workflow_name",
      "e.session_id",
      "e.upload_file_id",
      "e.cause",
      "e.backfill_id",
      "e.status",
      "e.attempts",
      "e.error_message",
      "e.created_at",
      "e.run_at",
      "e.started_at",
      "e.finished_at",
      sql`(
        select coalesce(json_agg(json_build_object(
          'insight_tool_id', x.insight_tool_id, 'insight_tool_version', x.insight_tool_version, 'name', c.name,
          'finished_at', x.finished_at, 'model', x.model, 'parts', x.parts, 'input_tokens', x.input_tokens,
          'output_tokens', x.output_tokens, 'cached_input_tokens', x.cached_input_tokens, 'cost_usd', x.cost_usd,
          'duration_ms', x.duration_ms) order by x.position), '[]')
        from insight_execution_tools x join insight_tools c on c.id = x.insight_tool_id
        where x.execution_id = e.id)`.as("tools"),
      sumOf("input_tokens").as("input_tokens"),
      sumOf("output_tokens").as("output_tokens"),
      sumOf("cost_usd").as("cost_usd"),
    ])
    .$castTo<InsightExecution>();

const RetriedWork = z
  .object({
    retried: z.int(),
    remaining: z.int().describe("That failed and are left; ask again for these."),
  })
  .meta({ id: "RetriedInsightWork" });

/** Keeps the transaction of one request short. */
const MOST_RETRIED = 10_000;

export function executionRoutes(api: Api, { db, clock }: Pick<WorkflowDeps, "db" | "clock">): void {
  api.get(
    "/api/v1/insights/executions/",
    {
      summary: "List executions of insight workflows",
      description: `Newest first, with the tokens and the cost of each tool. ${list.LONG}`,
      tag: "insights",
      permission: "insights_read",
      query: list.listQuery(executionList),
      response: list.listOf(InsightExecution),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectExecutions(db, caller), query, executionList);
      return list.onlyFields(page, query.fields, InsightExecution);
    },
  );

  api.post(
    `${WORKFLOWS}/:workflow_id/retry-failed`,
    {
      summary: "Retry the failed executions of an insight workflow",
      description: `With its tools at their present versions, and without those that had finished; at most ${MOST_RETRIED} in one call.`,
      tag: "insights",
      permission: "insights_write",
      params: workflowParams,
      response: RetriedWork,
    },
    ({ caller, params }) =>
      write(db, "Insight workflow", async (tx) => {
        const workflow = await holdWorkflow(tx, caller, params.workflow_id);
        await shareTools(tx, caller, workflow.insight_tool_ids);
        const stamp = { caller, at: clock.now() };
        const retried =
          (await retry(tx, stamp, workflow, "session_id")) +
          (await retry(tx, stamp, workflow, "upload_file_id"));
        const work = { retried, remaining: await countFailed(tx, workflow.id) };
        if (work.retried > 0) await enqueue(tx, runInsights, {});
        await api.audit(tx, caller, {
          action: "retry-failed",
          resource: "insight_workflows",
          resource_id: workflow.id,
          after: work,
        });
        return work;
      }),
  );
}

/** Retries the failed executions of one session or recording in a workflow; returns their number. */
export async function retrySubject(
  tx: Tx,
  stamp: Stamp,
  workflow_id: number,
  subject: { column: SubjectColumn; id: number },
): Promise<number> {
  const workflow = await holdWorkflow(tx, stamp.caller, workflow_id);
  await shareTools(tx, stamp.caller, workflow.insight_tool_ids);
  const { column, id } = subject;
  await releaseExecutions(tx, workflow, "FAILED", { at: stamp.at, only: { column, ids: [id] } });
  const queued = await queueExecutions(tx, [workflow], [id], { cause: "manual", at: stamp.at, column });
  await enqueue(tx, runInsights, {});
  return queued;
}

async function retry(tx: Tx, { at }: Stamp, workflow: Workflow, column: SubjectColumn): Promise<number> {
  const rows = await tx
    .selectFrom("insight_executions")
    .select(sql<number>`${sql.ref(column)}`.as("id"))
    .where("workflow_id", "=", workflow.id)
    .where("status", "=", "FAILED")
    .where(column, "is not", null)
    .orderBy("id")
    .limit(MOST_RETRIED)
    .execute();
  const ids = [...new Set(rows.map(({ id }) => id))];
  if (ids.length === 0) return 0;
  await releaseExecutions(tx, workflow, "FAILED", { at, only: { column, ids } });
  return queueExecutions(tx, [workflow], ids, { cause: "manual", at, column });
}
