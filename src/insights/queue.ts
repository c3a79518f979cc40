import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { type Subjects, subjectColumn } from "./matching.ts";
import type { Workflow } from "./workflow-store.ts";

/**
 * Work for the engine, as rows. An execution is one session or recording with those tools of a workflow that have not
 * analysed it at their present version; a row of insight_execution_tools each is the claim to do so, and can't be made twice.
 *
 *   PENDING → PROCESSING → COMPLETED
 *      ↑ (tries left) ↓
 *      └──────────── FAILED   until it is queued by hand
 *
 * All of this is called with the workflow's row locked (`lockWorkflow`; `shareUploads` for a recording nobody else can see yet).
 */
export type Cause = "backfill" | "upload" | "manual";
export type SubjectColumn = "session_id" | "upload_file_id";

/** Ids that are known to be the caller's. */
export const subjectsOf = (ids: number[]): RawBuilder<unknown> =>
  sql`select id from unnest(${ids}::bigint[]) as given (id)`;

/** Queues what is new among `subjects`; returns for how many of them there was something to do. */
export async function queueExecutions(
  tx: Tx,
  workflow: Workflow,
  subjects: Subjects | RawBuilder<unknown>,
  { cause, at, column = subjectColumn(workflow) }: { cause: Cause; at: Date; column?: SubjectColumn },
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
    created as (
      insert into insight_executions
        (sub_organization_id, workflow_id, ${subject_column}, cause, status, created_at, run_at)
      select ${workflow.sub_organization_id}::bigint, ${workflow.id}::bigint, wanted.id, ${cause}::text, 'PENDING',
        ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
      from wanted group by wanted.id order by wanted.id
      returning id, ${subject_column} as subject_id
    ),
    claimed as (
      insert into insight_execution_tools
        (execution_id, position, workflow_id, ${subject_column}, insight_tool_id, insight_tool_version)
      select created.id, wanted.position, ${workflow.id}::bigint, wanted.id, wanted.tool_id, wanted.version
      from wanted join created on created.subject_id = wanted.id
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
  workflow: Workflow,
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
