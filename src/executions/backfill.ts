import { sql } from "kysely";
import { isOfOpenOrganization } from "../accounts/organization-deletion.ts";
import type { Stamp } from "../api/caller.ts";
import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { ruleOf } from "../insights/coverage.ts";
import type { Estimate } from "../insights/estimate.ts";
import { matchingSubjects, subjectColumn } from "../insights/matching.ts";
import { costOf, tokensOfAll } from "../insights/tool-cost.ts";
import { shareWorkflow, type WorkflowRule } from "../insights/workflow-rule.ts";
import type { Workflow } from "../insights/workflow-store.ts";
import { allowance } from "./backfill-rate.ts";
import { queueExecutions } from "./queue.ts";

/*
 * A backfill feeds sessions to the queue in batches, oldest first, while executors take executions from the queue:
 *
 *   sessions of the span ──feed──▶ at most FEED_AHEAD executions that wait ──▶ executor
 *                     cursor_datetime, cursor_id
 *
 * Executions and cursor are stored in one transaction, so a process may die anywhere: the next one continues at the cursor.
 * Sessions before the cursor are never read again; the claims keep a session from being analysed twice (queue.ts).
 */

/** Rows read in one transaction, whether they match or not. It takes a few ms, so its locks are held no longer. */
const SCAN_ROWS = 2_000;
/** The most executions of a backfill that may be pending. Half a minute of work for models that take 2 s each. */
export const FEED_AHEAD = 1_000;
/** Wait before a full queue is checked again. */
const FULL_QUEUE_MS = 1_000;

/** Opens the backfill of a workflow that is being activated, under its lock. It takes over an earlier one's pending executions. */
export async function openBackfill(
  tx: Tx,
  { caller, at }: Stamp,
  workflow: Workflow,
  estimate: Estimate,
): Promise<number | null> {
  const { start_datetime, end_datetime } = workflow;
  const earlier = await cancelBackfill(tx, workflow.id, at);
  if (start_datetime === null) return null;
  const now = at.toISOString();
  const ended = end_datetime !== null && Date.parse(end_datetime) < at.getTime();
  const tokens = tokensOfAll(estimate.tools, estimate.backfill.count);
  const { id } = await tx
    .insertInto("insight_backfills")
    .values({
      sub_organization_id: workflow.sub_organization_id,
      workflow_id: workflow.id,
      status: "RUNNING",
      from_datetime: start_datetime,
      to_datetime: ended ? end_datetime : now,
      rule: ruleOf(workflow),
      next_feed_at: now,
      planned_count: estimate.backfill.count,
      planned_duration: estimate.backfill.duration_s,
      planned_input_tokens: tokens.input_tokens,
      planned_output_tokens: tokens.output_tokens,
      planned_cost_usd: costOf(estimate.tools, estimate.backfill),
      created_at: now,
      created_by: caller.email,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (earlier !== null) {
    await tx
      .updateTable("insight_executions")
      .set({ backfill_id: id })
      .where("workflow_id", "=", workflow.id)
      .where("backfill_id", "=", earlier)
      .where("status", "=", "PENDING")
      .execute();
  }
  return id;
}

/** Needs the workflow's lock; returns the backfill that was open. The caller drops or keeps its queued executions. */
export async function cancelBackfill(tx: Tx, workflow_id: number, at: Date): Promise<number | null> {
  const canceled = await tx
    .updateTable("insight_backfills")
    .set({ status: "CANCELED", updated_at: at.toISOString(), finished_at: at.toISOString() })
    .where("workflow_id", "=", workflow_id)
    .where("status", "in", ["RUNNING", "PAUSED"])
    .returning("id")
    .executeTakeFirst();
  return canceled?.id ?? null;
}

/**
 * Subtracts a canceled backfill's pending executions from its count of queued ones, since they are dropped next. Those of
 * which a tool has finished stay. Index: insight_executions_unfinished.
 */
export const uncountWaiting = (tx: Tx, id: number) =>
  sql`
    update insight_backfills b
    set queued_count = queued_count - (
      select count(*) from insight_executions e
      where e.workflow_id = b.workflow_id and e.status = 'PENDING' and e.backfill_id = b.id
        and not exists (
          select from insight_execution_tools x where x.execution_id = e.id and x.finished_at is not null))
    where id = ${id}`.execute(tx);

type OpenBackfill = {
  id: number;
  workflow_id: number;
  from_datetime: string;
  to_datetime: string;
  cursor_datetime: string | null;
  cursor_id: number;
  next_feed_at: string;
};

/**
 * Feeds the backfill that has been due longest, and returns how many executions it queued; null when none is due, or other
 * processes have locked all that are. Index: insight_backfills_due.
 */
export async function feedNext(tx: Tx, now: Date): Promise<number | null> {
  const due = await tx
    .selectFrom("insight_backfills")
    .select(["id", "workflow_id"])
    .where("status", "=", "RUNNING")
    .where("fed_at", "is", null)
    .where("next_feed_at", "<=", now.toISOString())
    .where(isOfOpenOrganization("insight_backfills.sub_organization_id"))
    .orderBy("next_feed_at")
    .limit(10)
    .execute();
  for (const { id, workflow_id } of due) {
    const queued = await feedBackfill(tx, { id, workflow_id }, now);
    if (queued !== null) return queued;
  }
  return null;
}

/**
 * Queues the next batch; null when the backfill is not due any more, or another process feeds it. Locks: the workflow's row
 * (shared), then the backfill's row, in the order that an activation uses; then the tools' rows (shared).
 */
export async function feedBackfill(
  tx: Tx,
  { id, workflow_id }: { id: number; workflow_id: number },
  now: Date,
): Promise<number | null> {
  const workflow = await shareWorkflow(tx, workflow_id);
  if (workflow?.status !== "ACTIVE") return null;
  const { rows } = await sql<OpenBackfill>`
    select id, workflow_id, from_datetime, to_datetime, cursor_datetime, cursor_id, next_feed_at
    from insight_backfills
    where id = ${id} and status = 'RUNNING' and fed_at is null and next_feed_at <= ${now.toISOString()}
    for no key update skip locked`.execute(tx);
  const backfill = rows[0];
  return backfill ? feed(tx, workflow, backfill, now) : null;
}

async function feed(tx: Tx, workflow: WorkflowRule, backfill: OpenBackfill, now: Date): Promise<number> {
  const { backfill_rate_per_minute: rate } = workflow;
  const planned_at = new Date(backfill.next_feed_at);
  const room = FEED_AHEAD - (await waitingOf(tx, backfill));
  if (room <= 0) {
    await moveBackfill(tx, backfill.id, { next_feed_at: later(now, FULL_QUEUE_MS) });
    return 0;
  }
  const { count } = allowance(rate, planned_at, now, room);
  const { ids, reached } = await nextSubjects(tx, workflow, backfill, count);
  const queued = await queueExecutions(tx, [workflow], ids, {
    cause: "backfill",
    at: now,
    backfill_id: backfill.id,
  });
  const { next_at } = allowance(rate, planned_at, now, queued);
  await moveBackfill(tx, backfill.id, {
    queued,
    next_feed_at: (next_at ?? now).toISOString(),
    ...(reached ? { cursor_datetime: reached.at, cursor_id: reached.id } : { fed_at: now.toISOString() }),
  });
  return queued;
}

const later = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString();

/** Index: insight_executions_unfinished. */
async function waitingOf(tx: Tx, { id, workflow_id }: OpenBackfill): Promise<number> {
  const { waiting } = await tx
    .selectFrom("insight_executions")
    .select(sql<number>`count(*)`.as("waiting"))
    .where("workflow_id", "=", workflow_id)
    .where("status", "=", "PENDING")
    .where("backfill_id", "=", id)
    .executeTakeFirstOrThrow();
  return waiting;
}

type BackfillReached = { at: string; id: number };

/** The subjects that match among the next SCAN_ROWS rows, in order; `reached` is null at the end of the span. */
async function nextSubjects(
  tx: Tx,
  workflow: WorkflowRule,
  backfill: OpenBackfill,
  most: number,
): Promise<{ ids: number[]; reached: BackfillReached | null }> {
  const from = backfill.cursor_datetime ?? backfill.from_datetime;
  const { table, alias, time } = PLACES[subjectColumn(workflow)];
  const place = sql`(${sql.ref(`${alias}.${time}`)}, ${sql.ref(`${alias}.id`)})`;
  const after = sql<boolean>`${place} > (${from}::timestamptz, ${backfill.cursor_id}::bigint)`;
  const { rows } = await sql<BackfillReached>`
    select ${sql.ref(`${alias}.${time}`)} as at, ${sql.ref(`${alias}.id`)} as id
    from ${sql.table(table)} as ${sql.raw(alias)}
    where ${sql.ref(`${alias}.sub_organization_id`)} = ${workflow.sub_organization_id}
      and ${sql.ref(`${alias}.${time}`)} <= ${backfill.to_datetime} and ${after}
    order by 1, 2 offset ${SCAN_ROWS - 1} limit 1`.execute(tx);
  const end = rows[0] ?? null;
  const matching = matchingSubjects(tx, workflow, { from, to: end?.at ?? backfill.to_datetime });
  if (!matching) return { ids: [], reached: null };
  const upTo = end && sql<boolean>`${place} <= (${end.at}::timestamptz, ${end.id}::bigint)`;
  const found = await sql<BackfillReached>`
    ${matching
      .where(upTo ? sql<boolean>`${after} and ${upTo}` : after)
      .clearSelect()
      .select([sql`${sql.ref(`${alias}.${time}`)}`.as("at"), `${alias}.id`])
      .orderBy(`${alias}.${time}`)
      .orderBy(`${alias}.id`)
      .limit(most)}`.execute(tx);
  const last = found.rows.at(-1);
  return {
    ids: found.rows.map(({ id }) => id),
    reached: last && found.rows.length === most ? last : end,
  };
}

/** The table and the order of each kind of subject, with the aliases of `matching.ts`. */
const PLACES = {
  session_id: { table: "sessions", alias: "s", time: "timestamp" },
  upload_file_id: { table: "insight_files", alias: "f", time: "created_at" },
};

const moveBackfill = (
  tx: Tx,
  id: number,
  {
    queued = 0,
    ...moved
  }: {
    queued?: number;
    next_feed_at: string;
    cursor_datetime?: string;
    cursor_id?: number;
    fed_at?: string;
  },
) =>
  tx
    .updateTable("insight_backfills")
    .set({ ...moved, queued_count: sql<number>`queued_count + ${queued}` })
    .where("id", "=", id)
    .execute();

/** Closes backfills whose last execution has finished, each with an event. Index: insight_executions_unfinished. */
export async function finishBackfills(tx: Tx, now: Date): Promise<void> {
  const { rows } = await sql<{
    id: number;
    sub_organization_id: number;
    workflow_id: number;
    queued_count: number;
  }>`
    update insight_backfills b
    set status = 'COMPLETED', updated_at = ${now.toISOString()}, finished_at = ${now.toISOString()}
    where b.id in (
      select id from insight_backfills where status = 'RUNNING' and fed_at is not null
      order by id for no key update skip locked)
    and not exists (
      select from insight_executions e
      where e.workflow_id = b.workflow_id and e.status in ('PENDING', 'PROCESSING') and e.backfill_id = b.id)
    returning b.id, b.sub_organization_id, b.workflow_id, b.queued_count`.execute(tx);
  for (const { id, sub_organization_id, workflow_id, queued_count } of rows) {
    await publish(tx, sub_organization_id, [
      {
        at: now,
        source: "api",
        source_id: workflow_id,
        category: "insights",
        type: "insight-backfill-completed",
        description: `The backfill of insight workflow ${workflow_id} is over`,
        attributes: { workflow_id, backfill_id: id, analysed: queued_count },
      },
    ]);
  }
}
