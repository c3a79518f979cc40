import { sql } from "kysely";
import { z } from "zod";
import { write } from "../api/resource.ts";
import { integer, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { findWorkflow, lockWorkflow } from "../insights/workflow-store.ts";
import { enqueue } from "../jobs/define-job.ts";
import { runInsights } from "./run-insights.ts";
import { WORKFLOWS, type WorkflowDeps, workflowParams } from "./workflow.ts";

const Amounts = z
  .object({
    count: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.number(),
  })
  .meta({ id: "InsightAmounts" });

/** The progress of a workflow's newest backfill, and its usage compared with the estimate. */
const InsightBackfill = z
  .object({
    workflow_id: z.int(),
    rate_per_minute: z
      .int()
      .nullable()
      .describe("Executions that may be queued in a minute; null: as many as can be run."),
    backfill: z
      .object({
        id: z.int(),
        status: z.enum(["RUNNING", "PAUSED", "COMPLETED", "CANCELED"]),
        from_datetime: timestamp(),
        to_datetime: timestamp(),
        cursor_datetime: timestamp().nullable().describe("As far as its sessions were queued."),
        planned: Amounts.describe("As it was acknowledged at activation."),
        actual: Amounts.describe("Executions that are complete, and what all runs used so far."),
        queued_count: z.int().describe("Executions queued so far."),
        waiting_count: z.int().describe("Of these, how many wait."),
        running_count: z.int(),
        failed_count: z.int(),
        created_at: timestamp(),
        created_by: z.string(),
        finished_at: timestamp().nullable(),
      })
      .meta({ id: "InsightBackfillState" })
      .nullable()
      .describe("null: the workflow was never activated with a start_datetime."),
  })
  .meta({ id: "InsightBackfill" });
type InsightBackfill = z.infer<typeof InsightBackfill>;

const InsightBackfillInput = z
  .object({ rate_per_minute: integer({ min: 1, max: 600_000 }).nullable() })
  .meta({ id: "InsightBackfillRate" });

export function backfillRoutes(api: Api, { db, clock }: Pick<WorkflowDeps, "db" | "clock">): void {
  const path = `${WORKFLOWS}/:workflow_id/backfill`;
  const tag = "insights";
  const noun = "Insight workflow";

  api.get(
    path,
    {
      summary: "Get the progress of a workflow's backfill",
      tag,
      permission: "insights_read",
      params: workflowParams,
      response: InsightBackfill,
    },
    async ({ caller, params }) => {
      const workflow = await findWorkflow(db, caller, params.workflow_id);
      return backfillState(db, workflow.id);
    },
  );

  api.put(
    path,
    {
      summary: "Set the rate of a workflow's backfill",
      description: "Applies to the running backfill and later ones; can be set before the first activation.",
      tag,
      permission: "insights_write",
      params: workflowParams,
      body: InsightBackfillInput,
      response: InsightBackfill,
    },
    ({ caller, params, body }) =>
      write(db, noun, async (tx) => {
        const { id } = await lockWorkflow(tx, caller, params.workflow_id);
        const before = await backfillState(tx, id);
        const { rate_per_minute } = body;
        await tx
          .updateTable("insight_workflows")
          .set({ backfill_rate_per_minute: rate_per_minute })
          .where("id", "=", id)
          .execute();
        // The time of the next execution is reset, because a slower rate may have set it far ahead.
        await tx
          .updateTable("insight_backfills")
          .set({ next_feed_at: clock.now().toISOString() })
          .where("workflow_id", "=", id)
          .where("status", "in", ["RUNNING", "PAUSED"])
          .execute();
        await enqueue(tx, runInsights, {});
        await api.audit(tx, caller, {
          action: "set-backfill-rate",
          resource: "insight_workflows",
          resource_id: id,
          before: { rate_per_minute: before.rate_per_minute },
          after: { rate_per_minute },
        });
        return backfillState(tx, id);
      }),
  );

  for (const [action, from, to] of [
    ["pause", "RUNNING", "PAUSED"],
    ["resume", "PAUSED", "RUNNING"],
  ] as const) {
    api.post(
      `${path}/${action}`,
      {
        summary: action === "pause" ? "Pause a workflow's backfill" : "Resume a workflow's backfill",
        description:
          action === "pause"
            ? "No backfill execution starts until it is resumed; running ones finish, and new sessions are analyzed as before. 412 when no backfill runs."
            : "It goes on where it was paused. 412 when no backfill is paused.",
        tag,
        permission: "insights_write",
        params: workflowParams,
        response: InsightBackfill,
      },
      ({ caller, params }) =>
        write(db, noun, async (tx) => {
          const { id, name } = await lockWorkflow(tx, caller, params.workflow_id);
          const at = clock.now().toISOString();
          const moved = await tx
            .updateTable("insight_backfills")
            .set({ status: to, updated_at: at, next_feed_at: at })
            .where("workflow_id", "=", id)
            .where("status", "=", from)
            .returning("id")
            .executeTakeFirst();
          if (!moved) {
            throw new Fault(
              "blocked",
              `Insight workflow "${name}" has no backfill that is ${from}. GET ${WORKFLOWS}/${id}/backfill tells its state.`,
            );
          }
          if (action === "resume") await enqueue(tx, runInsights, {});
          await api.audit(tx, caller, {
            action: `${action}-backfill`,
            resource: "insight_workflows",
            resource_id: id,
            before: { backfill_id: moved.id, status: from },
            after: { backfill_id: moved.id, status: to },
          });
          return backfillState(tx, id);
        }),
    );
  }
}

type StateRow = {
  rate_per_minute: number | null;
  state: InsightBackfill["backfill"];
};

/** Indexes: insight_backfills_workflow, insight_executions_unfinished, insight_usage's key. */
async function backfillState(db: Db, workflow_id: number): Promise<InsightBackfill> {
  const unfinished = (status: "PENDING" | "PROCESSING" | "FAILED") =>
    sql<number>`(select count(*) from insight_executions e
      where e.workflow_id = b.workflow_id and e.status = ${status} and e.backfill_id = b.id)`;
  const { rows } = await sql<StateRow>`
    select w.backfill_rate_per_minute as rate_per_minute,
      case when b.id is not null then json_build_object(
        'id', b.id, 'status', b.status, 'from_datetime', b.from_datetime, 'to_datetime', b.to_datetime,
        'cursor_datetime', case when b.fed_at is null then b.cursor_datetime else b.to_datetime end,
        'planned', json_build_object(
          'count', b.planned_count, 'input_tokens', b.planned_input_tokens, 'output_tokens', b.planned_output_tokens,
          'cost_usd', b.planned_cost_usd),
        'actual', json_build_object(
          'count', b.queued_count - n.waiting - n.running - n.failed, 'input_tokens', u.input_tokens,
          'output_tokens', u.output_tokens, 'cost_usd', u.cost_usd),
        'queued_count', b.queued_count, 'waiting_count', n.waiting, 'running_count', n.running,
        'failed_count', n.failed, 'created_at', b.created_at, 'created_by', b.created_by,
        'finished_at', b.finished_at) end as state
    from insight_workflows w
    left join lateral (
      select * from insight_backfills where workflow_id = w.id order by id desc limit 1) as b on true
    left join lateral (
      select ${unfinished("PENDING")} as waiting, ${unfinished("PROCESSING")} as running, ${unfinished("FAILED")} as failed
    ) as n on true
    left join lateral (
      select coalesce(sum(input_tokens), 0) as input_tokens, coalesce(sum(output_tokens), 0) as output_tokens,
        coalesce(sum(cost_usd), 0) as cost_usd
      from insight_usage where workflow_id = w.id and backfill_id = b.id) as u on true
    where w.id = ${workflow_id}`.execute(db);
  const { rate_per_minute, state } = rows[0] as StateRow;
  return { workflow_id, rate_per_minute, backfill: state };
}
