import { sql } from "kysely";
import { isOfOpenOrganization } from "../accounts/organization-deletion.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { AnalysisSubject } from "../insights/transcript.ts";
import { MOST_INTERRUPTIONS } from "../jobs/interrupted.ts";
import { Leases } from "../jobs/lease.ts";

export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How many times the limit are read, because another process may be claiming the first of them. */
const LOOKED_AT = 4;
/** The error of an execution during which two processes died, since it may have crashed both. */
const SET_ASIDE = `Set aside: the program stopped ${MOST_INTERRUPTIONS} times while it ran this.`;

/** An execution claimed by this process, with its unfinished tools in order. */
export type ClaimedExecution = {
  id: number;
  sub_organization_id: number;
  workflow_id: number;
  subject: AnalysisSubject;
  backfill_id: number | null;
  /** Includes this try. */
  tries: number;
  /** Its process died while it ran. */
  is_suspect: boolean;
  tools: ClaimedTool[];
};

export type ClaimedTool = {
  position: number;
  insight_tool_id: number;
  insight_tool_version: number;
  name: string;
  insight_tool_definition_id: number;
  tool_arguments: unknown;
  deleted: boolean;
};

type ClaimedRow = Omit<ClaimedExecution, "subject" | "tools"> & {
  session_id: number | null;
  upload_file_id: number | null;
};

/**
 * Claims executions that are due, of each sub-organization in turn: new sessions before backfills, each oldest first. Those
 * of a paused backfill are skipped. Locks: their rows, skipping locked ones, then the tools' rows (shared), so that each
 * runs with the arguments of its version. Index: insight_executions_of_tenant; jumping from one sub-organization to the
 * next in it finds all that have pending executions without reading those.
 *
 * `suspects` claims those whose process died while they ran, by insight_executions_suspect. A process runs one suspect at a
 * time, so that a second crash is counted for that one and not for all that ran beside it.
 */
export async function claimExecutions(
  db: Db,
  { owner, now, most, suspects = false }: { owner: string; now: Date; most: number; suspects?: boolean },
): Promise<ClaimedExecution[]> {
  const at = now.toISOString();
  const waits = sql`e.status = 'PENDING' and ${suspects ? sql`e.interruptions > 0` : sql`e.interruptions = 0`}`;
  const perhapsWaits = suspects ? waits : sql`e.status = 'PENDING'`;
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<ClaimedRow>`
      with recursive tenants as (
        (select e.sub_organization_id as id from insight_executions e where ${perhapsWaits}
         order by 1 limit 1)
        union all
        select (
          select e.sub_organization_id from insight_executions e
          where ${perhapsWaits} and e.sub_organization_id > t.id order by 1 limit 1)
        from tenants t where t.id is not null),
      waiting as materialized (
        select e.id, row_number() over (
          partition by t.id order by e.priority, e.run_at, e.id) as place, e.priority, e.run_at
        from tenants t
        cross join lateral (
          select e.id, e.priority, e.run_at from insight_executions e
          where ${waits} and e.sub_organization_id = t.id and e.run_at <= ${at}
            and not exists (
              select from insight_backfills b where b.id = e.backfill_id and b.status = 'PAUSED')
          order by e.priority, e.run_at, e.id
          limit ${most * LOOKED_AT}) e),
      due as materialized (
        select e.id from insight_executions e
        join waiting w on w.id = e.id
        where e.status = 'PENDING'
        order by w.place, w.priority, w.run_at, w.id
        limit ${most}
        for update of e skip locked)
      update insight_executions e
      set status = 'PROCESSING', attempts = e.attempts + 1, started_at = ${at}, lease_owner = ${owner},
        lease_expires_at = ${expiry(now)}
      from due where e.id = due.id
      returning e.id, e.sub_organization_id, e.workflow_id, e.session_id, e.upload_file_id, e.backfill_id,
        e.attempts as tries, e.interruptions > 0 as is_suspect`.execute(tx);
    if (rows.length === 0) return [];
    const tools = await toolsOf(
      tx,
      rows.map(({ id }) => id),
    );
    return rows
      .toSorted((a, b) => a.id - b.id)
      .map(({ session_id, upload_file_id, ...row }) => ({
        ...row,
        subject: session_id === null ? { upload_file_id: upload_file_id as number } : { session_id },
        tools: tools.get(row.id) ?? [],
      }));
  });
}

type ExecutionToolRow = Pick<ClaimedTool, "position" | "insight_tool_version"> & {
  execution_id: number;
  tool_id: number;
};

/** Locks the tools before reading them, so that a version raised meanwhile applies only to later reads. */
async function toolsOf(tx: Tx, execution_ids: number[]): Promise<Map<number, ClaimedTool[]>> {
  const shared = await sql<Omit<ClaimedTool, "position" | "insight_tool_version">>`
    select c.id as insight_tool_id, c.name, c.insight_tool_definition_id, c.tool_arguments,
      c.deleted_at is not null as deleted
    from insight_tools c
    where c.id in (
      select x.insight_tool_id from insight_execution_tools x
      where x.execution_id = any(${execution_ids}::bigint[]) and x.finished_at is null)
    order by c.id for share`.execute(tx);
  const known = new Map(shared.rows.map((tool) => [tool.insight_tool_id, tool]));
  const { rows } = await sql<ExecutionToolRow>`
    select execution_id, position, insight_tool_id as tool_id, insight_tool_version from insight_execution_tools
    where execution_id = any(${execution_ids}::bigint[]) and finished_at is null
    order by execution_id, position`.execute(tx);
  const tools = new Map<number, ClaimedTool[]>();
  for (const { execution_id, tool_id, position, insight_tool_version } of rows) {
    const tool = known.get(tool_id);
    if (!tool) throw new Error(`insight tool ${tool_id} of execution ${execution_id} has no row`);
    const claimed = { ...tool, position, insight_tool_version };
    const before = tools.get(execution_id);
    if (before) before.push(claimed);
    else tools.set(execution_id, [claimed]);
  }
  return tools;
}

/** Condition: leased to this run. */
export const executionLeases = (
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  owner: string,
): Leases<ClaimedExecution> =>
  new Leases(
    {
      of: "insight executions",
      lease_ms: LEASE_MS,
      renew_ms: RENEW_MS,
      async extend(held, end) {
        const { rows } = await sql<{ id: number }>`
          with held as materialized (${lockedHeld(
            owner,
            held.map(({ id }) => id),
          )})
          update insight_executions e set lease_expires_at = ${end.toISOString()}::timestamptz
          from held where e.id = held.id
          returning e.id`.execute(db);
        const kept = new Set(rows.map(({ id }) => id));
        return held.filter(({ id }) => kept.has(id));
      },
    },
    { clock, log },
  );

/**
 * Releases what a run claimed and did not finish, as if it had never been claimed: also what a claim took whose answer was
 * lost, as on a broken connection. `but`: those whose result could not be stored. Index: insight_executions_held.
 */
export async function giveBack(db: Db, owner: string, but: number[]): Promise<void> {
  await sql`
    with held as materialized (
      select id from insight_executions
      where lease_owner = ${owner} and status = 'PROCESSING' and id <> all(${but}::bigint[])
      order by id for no key update)
    update insight_executions e
    set status = 'PENDING', attempts = e.attempts - 1, lease_owner = null, lease_expires_at = null
    from held where e.id = held.id`.execute(db);
}

/**
 * Locked in the order of their ids, in which results are stored: in another order the two would wait for each other until
 * PostgreSQL ended one of them, and results that were paid for would be lost.
 */
const lockedHeld = (owner: string, ids: number[]) => sql`
  select id from insight_executions
  where id = any(${ids}::bigint[]) and lease_owner = ${owner} and status = 'PROCESSING'
  order by id for no key update`;

/**
 * Releases executions whose lease ran out because their process died. One during which two processes died is set aside: it
 * becomes FAILED with an event and a log line, and runs again only when somebody retries it. Index: insight_executions_held.
 */
export async function freeExpired(db: Db, log: Log, now: Date): Promise<number> {
  const at = now.toISOString();
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<FreedRow>`
      with expired as materialized (
        select id, interruptions + 1 >= ${MOST_INTERRUPTIONS} as is_over from insight_executions
        where status = 'PROCESSING' and lease_expires_at < ${at}
        order by id for update skip locked)
      update insight_executions e
      set lease_owner = null, lease_expires_at = null, interruptions = e.interruptions + 1, attempts = e.attempts - 1,
        status = case when is_over then 'FAILED' else 'PENDING' end,
        finished_at = case when is_over then ${at}::timestamptz end,
        set_aside_at = case when is_over then ${at}::timestamptz end,
        error_message = case when is_over then ${SET_ASIDE}::text else e.error_message end
      from expired where e.id = expired.id
      returning e.id, e.sub_organization_id, e.workflow_id, e.session_id, e.upload_file_id, is_over`.execute(
      tx,
    );
    for (const row of rows.filter(({ is_over }) => is_over)) await tellSetAside(tx, log, row, now);
    return rows.length;
  });
}

type FreedRow = {
  id: number;
  sub_organization_id: number;
  workflow_id: number;
  session_id: number | null;
  upload_file_id: number | null;
  is_over: boolean;
};

async function tellSetAside(tx: Tx, log: Log, row: FreedRow, at: Date): Promise<void> {
  const { id: execution_id, sub_organization_id, workflow_id, session_id, upload_file_id } = row;
  log.error({ execution_id }, "an insight execution was set aside: its process died on it twice");
  if (upload_file_id !== null)
    await tx
      .updateTable("insight_files")
      .set({ error_message: SET_ASIDE })
      .where("id", "=", upload_file_id)
      .execute();
  const subject = session_id === null ? { upload_file_id } : { session_id };
  const common = {
    at,
    source: "job" as const,
    source_id: workflow_id,
    description: `An insight is not worked out any further: the program stopped ${MOST_INTERRUPTIONS} times while it ran. Retry what failed in the workflow, or ask an operator.`,
    ...(session_id !== null && { session_id }),
    attributes: { execution_id, workflow_id, ...subject },
  };
  await publish(tx, sub_organization_id, [
    { ...common, category: "insights", type: "insight-execution-failed" },
    { ...common, category: "platform", type: "job_set_aside" },
  ]);
}

/**
 * For an installation of one process: expires the leases of the process before. The job that comes every minute then
 * releases them.
 */
export async function freeExecutions(db: Db): Promise<void> {
  const over = { lease_expires_at: new Date(0).toISOString() };
  await db.updateTable("insight_executions").set(over).where("status", "=", "PROCESSING").execute();
}

/** When the next execution or the next batch of a backfill is due; null: nothing is pending. */
export async function nextDue(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select least(
      (select min(e.run_at) from insight_executions e
       where e.status = 'PENDING' and not exists (
         select from insight_backfills b where b.id = e.backfill_id and b.status = 'PAUSED')),
      (select min(next_feed_at) from insight_backfills b
       where status = 'RUNNING' and fed_at is null and ${isOfOpenOrganization("b.sub_organization_id")})) as at`.execute(
    db,
  );
  const at = rows[0]?.at ?? null;
  return at === null ? null : new Date(at);
}

const expiry = (now: Date): string => new Date(now.getTime() + LEASE_MS).toISOString();
