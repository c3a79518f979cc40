import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { subjectColumn } from "../insights/matching.ts";
import type { StoredWorkflow } from "../insights/workflow-schema.ts";

/**
 * The queue of executions. An execution is one session or recording with those tools of a workflow that have not analysed
 * it at their present version. A row of insight_execution_tools is the claim of one tool; its unique index allows it once.
 *
 *   PENDING → PROCESSING → COMPLETED
 *      ↑ (tries left) ↓
 *      └──────────── FAILED   until somebody retries it
 *
 * Queuing needs at least a shared lock of the workflow's row and takes one of its tools' rows, so that neither changes.
 */
type Cause = "session" | "upload" | "manual" | "backfill";
export type SubjectColumn = "session_id" | "upload_file_id";

/** New sessions run before those of a backfill. */
const PRIORITY: Record<Cause, number> = { session: 0, upload: 0, manual: 0, backfill: 1 };

type Queued = {
  cause: Cause;
  at: Date;
  column?: SubjectColumn;
  /** Set for executions that a backfill queues. */
  backfill_id?: number;
};

/**
 * Queues these sessions or recordings for each of the workflows, unless they are analysed already; returns the number of
 * executions. The workflows are of one sub-organization and one kind. Lock: the workflows' tools (shared), by id.
 *
 * One statement, to keep the end of a session cheap. The claim is inserted first and its unique index decides: of two
 * transactions that queue the same, the second waits for the first and then skips it. Claims are not looked up before the
 * insert: with the statistics of a table that is being filled, that read all claims of the workflow for each session
 * (0.7 s for 1,000).
 */
export async function queueExecutions(
  tx: Tx,
  workflows: Pick<StoredWorkflow, "id" | "sub_organization_id" | "source">[],
  subject_ids: number[],
  { cause, at, column, backfill_id }: Queued,
): Promise<number> {
  const [first] = workflows;
  if (!first || subject_ids.length === 0) return 0;
  const subject = sql.ref(column ?? subjectColumn(first));
  const workflow_ids = workflows.map(({ id }) => id);
  const { rows } = await sql<{ queued: number }>`
    with tool as materialized (
      select t.workflow_id, t.position, c.id, c.version
      from insight_workflow_tools t join insight_tools c on c.id = t.insight_tool_id
      where t.workflow_id = any(${workflow_ids}::bigint[])
      order by c.id for share of c
    ),
    run as materialized (
      select workflow_id, subject_id, nextval(pg_get_serial_sequence('insight_executions', 'id')) as id
      from (
        select distinct workflow_id, subject_id
        from unnest(${workflow_ids}::bigint[]) as workflow_id, unnest(${subject_ids}::bigint[]) as subject_id
        order by workflow_id, subject_id) as each
    ),
    claimed as (
      insert into insight_execution_tools
        (execution_id, position, workflow_id, ${subject}, insight_tool_id, insight_tool_version)
      select run.id, tool.position, run.workflow_id, run.subject_id, tool.id, tool.version
      from run join tool on tool.workflow_id = run.workflow_id
      order by run.workflow_id, run.subject_id, tool.position
      on conflict do nothing
      returning execution_id, workflow_id, ${subject} as subject_id
    ),
    created as (
      insert into insight_executions
        (id, sub_organization_id, workflow_id, ${subject}, cause, backfill_id, priority, status, created_at, run_at)
      select distinct execution_id, ${first.sub_organization_id}::bigint, workflow_id, subject_id, ${cause}::text,
        ${backfill_id ?? null}::bigint, ${PRIORITY[cause]}::smallint, 'PENDING',
        ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
      from claimed
      order by execution_id
      returning id
    )
    select count(*) as queued from created`.execute(tx);
  return rows[0]?.queued ?? 0;
}

/**
 * Drops executions of this state, all or those of some subjects, with their claims. An execution of which some tools had
 * finished keeps their results and becomes complete. Lock: the executions' rows, so that none is started meanwhile.
 */
export async function releaseExecutions(
  tx: Tx,
  workflow: Pick<StoredWorkflow, "id">,
  status: "PENDING" | "FAILED",
  { at, only }: { at: Date; only?: { column: SubjectColumn; ids: number[] } },
): Promise<void> {
  let executions = tx
    .selectFrom("insight_executions")
    .select("id")
    .where("workflow_id", "=", workflow.id)
    .where("status", "=", status);
  if (only) executions = executions.where(sql<boolean>`${sql.ref(only.column)} = any(${only.ids}::bigint[])`);
  const ids = (await executions.orderBy("id").forUpdate().execute()).map(({ id }) => id);
  if (ids.length === 0) return;
  const held = sql<boolean>`id = any(${ids}::bigint[])`;
  await tx
    .deleteFrom("insight_execution_tools")
    .where(sql<boolean>`execution_id = any(${ids}::bigint[])`)
    .where("finished_at", "is", null)
    .execute();
  await tx
    .deleteFrom("insight_executions")
    .where(held)
    .where(sql<boolean>`not exists (
      select from insight_execution_tools x where x.execution_id = insight_executions.id)`)
    .execute();
  await tx
    .updateTable("insight_executions")
    .set({ status: "COMPLETED", error_message: null, finished_at: at.toISOString(), set_aside_at: null })
    .where(held)
    .execute();
}
