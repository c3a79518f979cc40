import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { type Subjects, subjectColumn } from "./matching.ts";
import type { StoredWorkflow } from "./workflow-schema.ts";

/**
 * Work for the engine, as rows. An execution is one session or recording with those tools of a workflow that have not
 * analysed it at their present version; a row of insight_execution_tools each is the claim to do so, and can't be made twice.
 *
 *   PENDING → PROCESSING → COMPLETED
 *      ↑ (tries left) ↓
 *      └──────────── FAILED   until it is retried by hand
 *
 * Whoever queues holds at least a share of the rows of the workflow and of its tools, so that neither changes meanwhile.
 */
export type Cause = "session" | "upload" | "manual" | "backfill";
export type SubjectColumn = "session_id" | "upload_file_id";

/** What happens now goes before what lies years back. */
const PRIORITY: Record<Cause, number> = { session: 0, upload: 0, manual: 0, backfill: 1 };

/** Ids that are known to be the caller's. */
export const subjectsOf = (ids: number[]): RawBuilder<unknown> =>
  sql`select id from unnest(${ids}::bigint[]) as given (id)`;

type Queued = {
  cause: Cause;
  at: Date;
  column?: SubjectColumn;
  /** Of what a backfill queues. */
  backfill_id?: number;
};

/**
 * Queues what is new among `subjects`; returns for how many of them there was something to do. Two that queue the same at
 * once wait for each other at the claim, and the second leaves it alone. Claim and execution are made in one statement,
 * the claim first: an execution without any claim is not made at all.
 */
export async function queueExecutions(
  tx: Tx,
  workflow: Pick<StoredWorkflow, "id" | "sub_organization_id" | "source">,
  subjects: Subjects | RawBuilder<unknown>,
  { cause, at, column = subjectColumn(workflow), backfill_id }: Queued,
): Promise<number> {
  const subject_column = sql.ref(column);
  const { rows } = await sql<{ queued: number }>`
    with subject as materialized (${subjects}),
    wanted as materialized (
      select subject.id, tool.position, tool.id as tool_id, tool.version
      from subject
      cross join (
        select t.position, c.id, c.version
        from insight_workflow_tools t join insight_tools c on c.id = t.insight_tool_id
        where t.workflow_id = ${workflow.id}) as tool
      where not exists (
        select from insight_execution_tools x
        where x.workflow_id = ${workflow.id} and x.insight_tool_id = tool.id
          and x.insight_tool_version = tool.version and x.${subject_column} = subject.id)
    ),
    numbered as materialized (
      select id, nextval(pg_get_serial_sequence('insight_executions', 'id')) as execution_id
      from (select distinct id from wanted order by id) as each
    ),
    claimed as (
      insert into insight_execution_tools
        (execution_id, position, workflow_id, ${subject_column}, insight_tool_id, insight_tool_version)
      select numbered.execution_id, wanted.position, ${workflow.id}::bigint, wanted.id, wanted.tool_id, wanted.version
      from wanted join numbered on numbered.id = wanted.id
      order by wanted.id, wanted.position
      on conflict do nothing
      returning execution_id
    ),
    created as (
      insert into insight_executions
        (id, sub_organization_id, workflow_id, ${subject_column}, cause, backfill_id, priority, status, created_at, run_at)
      select execution_id, ${workflow.sub_organization_id}::bigint, ${workflow.id}::bigint, id, ${cause}::text,
        ${backfill_id ?? null}::bigint, ${PRIORITY[cause]}::smallint, 'PENDING',
        ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
      from numbered
      where execution_id in (select execution_id from claimed)
      returning id
    )
    select count(*) as queued from created
  `.execute(tx);
  return rows[0]?.queued ?? 0;
}

/**
 * Gives up the claims of executions in this state, all or those of some subjects. Tools that had finished stay finished: an
 * execution with such is then complete, any other is gone. Lock: the executions' rows, so that none is started meanwhile.
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
    .set({ status: "COMPLETED", error_message: null, finished_at: at.toISOString() })
    .where(held)
    .execute();
}
