import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { publicText, unreachable } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { queueConversations } from "../board/conversations.ts";
import type { Db, Tx } from "../db/database.ts";
import { EACH_BY_KEY, setForTransaction } from "../db/plans.ts";
import { TRANSCRIPT_KEY } from "../insights/transcript.ts";
import { columnsOf } from "./output-columns.ts";
import type { Result } from "./result.ts";
import { sealResults } from "./seal-results.ts";
import { publishEnds, sendFound } from "./tell-results.ts";

/**
 * Stores many results in one transaction and returns the ids of executions whose lease still held; for others nothing is
 * stored. Locks: a share of the sessions' and recordings' rows, so that one that is being deleted is waited for with nothing
 * in hand, the executions' by id, then the recordings', and last the days' rows of insight_usage, since every such
 * transaction needs those.
 */
async function recordResults(
  { db, vault }: { db: Db; vault: Vault },
  owner: string,
  results: Result[],
): Promise<Set<number>> {
  return db.transaction().execute(async (tx) => {
    await setForTransaction(tx, EACH_BY_KEY);
    const deleted = await shareSubjects(tx, results);
    const held = await lockHeld(
      tx,
      owner,
      results.map(({ execution }) => execution.id),
    );
    const ours = results.filter(({ execution }) => held.has(execution.id));
    if (ours.length === 0) return held;
    const kept = await sealResults(
      tx,
      vault,
      ours.map((result) => withoutWords(result, deleted)),
    );
    await insertOutputs(tx, kept);
    await updateTools(tx, kept);
    await updateExecutions(tx, kept);
    await noteFiles(tx, kept);
    await publishEnds(tx, kept);
    await queueConversations(tx, sessionsOf(kept));
    await sendFound(tx, kept);
    await addUsage(tx, kept);
    return held;
  });
}

/** Conversations in which something was found. */
const sessionsOf = (results: Result[]): number[] =>
  results.flatMap(({ execution: { subject }, outcome }) =>
    outcome.kind === "done" && "session_id" in subject ? [subject.session_id] : [],
  );

/** Resolves with the recordings that were deleted since they were read. */
async function shareSubjects(tx: Tx, results: Result[]): Promise<Set<number>> {
  const subjects = results.map(({ execution: { subject } }) => subject);
  const sessions = subjects.flatMap((each) => ("session_id" in each ? [each.session_id] : []));
  const files = subjects.flatMap((each) => ("upload_file_id" in each ? [each.upload_file_id] : []));
  await sql`
    select from sessions where id = any(${sessions}::bigint[]) order by id for key share`.execute(tx);
  if (files.length === 0) return new Set();
  const { rows } = await sql<{ id: number; is_deleted: boolean }>`
    select id, deleted_at is not null as is_deleted from insight_files where id = any(${files}::bigint[])
    order by id for key share`.execute(tx);
  return new Set(rows.flatMap(({ id, is_deleted }) => (is_deleted ? id : [])));
}

/** A recording that is deleted takes its words with it; what else tools find in it is stored. */
function withoutWords(result: Result, deleted: ReadonlySet<number>): Result {
  const { execution, outcome } = result;
  if (outcome.kind !== "done" || !("upload_file_id" in execution.subject)) return result;
  if (!deleted.has(execution.subject.upload_file_id)) return result;
  return {
    ...result,
    outcome: { ...outcome, values: outcome.values.filter(({ key }) => key !== TRANSCRIPT_KEY) },
  };
}

async function lockHeld(tx: Tx, owner: string, ids: number[]): Promise<Set<number>> {
  const rows = await tx
    .selectFrom("insight_executions")
    .select("id")
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .where("lease_owner", "=", owner)
    .where("status", "=", "PROCESSING")
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function insertOutputs(tx: Tx, results: Result[]): Promise<void> {
  const rows = results.flatMap(({ execution, tool, at, used, outcome }) =>
    outcome.kind !== "done"
      ? []
      : outcome.values.map((value) => ({
          sub_organization_id: execution.sub_organization_id,
          execution_id: execution.id,
          workflow_id: execution.workflow_id,
          ...execution.subject,
          insight_tool_id: tool.insight_tool_id,
          insight_tool_version: tool.insight_tool_version,
          model: used.model,
          created_at: at,
          ...columnsOf(value),
        })),
  );
  if (rows.length === 0) return;
  await sql`
    insert into insight_outputs (sub_organization_id, execution_id, workflow_id, session_id, upload_file_id,
      insight_tool_id, insight_tool_version, model, insight_key, string_value, numeric_value, json_value, entries,
      created_at, updated_at)
    select sub_organization_id, execution_id, workflow_id, session_id, upload_file_id, insight_tool_id,
      insight_tool_version, model, insight_key, string_value, numeric_value, json_value, entries, created_at, created_at
    from json_populate_recordset(null::insight_outputs, ${JSON.stringify(rows)}::json)`.execute(tx);
}

/** Failed tries use tokens too, so tokens add up over all tries. */
async function updateTools(tx: Tx, results: Result[]): Promise<void> {
  const rows = results.map(({ execution, tool, at, duration_ms, used, outcome }) => ({
    execution_id: execution.id,
    position: tool.position,
    finished_at: outcome.kind === "done" ? at : null,
    duration_ms,
    model: used.model,
    parts: used.parts,
    cost_usd: used.cost_usd,
    ...used.usage,
  }));
  await sql`
    update insight_execution_tools x
    set finished_at = r.finished_at, duration_ms = r.duration_ms, model = r.model, parts = r.parts,
      input_tokens = coalesce(x.input_tokens + coalesce(r.input_tokens, 0), r.input_tokens),
      output_tokens = coalesce(x.output_tokens + coalesce(r.output_tokens, 0), r.output_tokens),
      cached_input_tokens = coalesce(x.cached_input_tokens + coalesce(r.cached_input_tokens, 0), r.cached_input_tokens),
      cost_usd = coalesce(x.cost_usd + coalesce(r.cost_usd, 0), r.cost_usd)
    from json_populate_recordset(null::insight_execution_tools, ${JSON.stringify(rows)}::json) as r
    where x.execution_id = r.execution_id and x.position = r.position`.execute(tx);
}

async function updateExecutions(tx: Tx, results: Result[]): Promise<void> {
  const rows = results.flatMap(({ execution: { id }, at, outcome }) => {
    switch (outcome.kind) {
      case "done":
        return outcome.last ? { id, status: "COMPLETED", finished_at: at } : [];
      case "retry":
        return { id, status: "PENDING", error_message: outcome.message, run_at: outcome.run_at };
      case "failed":
        return { id, status: "FAILED", error_message: outcome.message, finished_at: at };
      default:
        return unreachable(outcome);
    }
  });
  if (rows.length === 0) return;
  await sql`
    update insight_executions e
    set status = r.status, error_message = r.error_message, finished_at = r.finished_at,
      run_at = coalesce(r.run_at, e.run_at), lease_owner = null, lease_expires_at = null
    from json_populate_recordset(null::insight_executions, ${JSON.stringify(rows)}::json) as r
    where e.id = r.id`.execute(tx);
}

async function addUsage(tx: Tx, results: Result[]): Promise<void> {
  const rows = Map.groupBy(results, ({ execution, tool, at }) =>
    [
      execution.workflow_id,
      tool.insight_tool_id,
      execution.backfill_id ?? 0,
      at.toISOString().slice(0, 10),
    ].join("/"),
  );
  const sums = [...rows]
    // Sorted, so that two processes can't deadlock.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, of]) => {
      const [workflow_id, insight_tool_id, backfill_id, day] = key.split("/");
      const sum = (value: (result: Result) => number | null | undefined) =>
        of.reduce((total, result) => total + (value(result) ?? 0), 0);
      return {
        workflow_id,
        insight_tool_id,
        backfill_id,
        day,
        runs: of.length,
        failed_runs: sum(({ outcome }) => (outcome.kind === "done" ? 0 : 1)),
        input_tokens: sum(({ used }) => used.usage?.input_tokens),
        output_tokens: sum(({ used }) => used.usage?.output_tokens),
        cached_input_tokens: sum(({ used }) => used.usage?.cached_input_tokens),
        cost_usd: sum(({ used }) => used.cost_usd),
      };
    });
  await sql`
    insert into insight_usage as u (workflow_id, insight_tool_id, backfill_id, day, runs, failed_runs, input_tokens,
      output_tokens, cached_input_tokens, cost_usd)
    select workflow_id, insight_tool_id, backfill_id, day, runs, failed_runs, input_tokens, output_tokens,
      cached_input_tokens, cost_usd
    from json_populate_recordset(null::insight_usage, ${JSON.stringify(sums)}::json)
    on conflict (workflow_id, insight_tool_id, backfill_id, day) do update
    set runs = u.runs + excluded.runs, failed_runs = u.failed_runs + excluded.failed_runs,
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
      cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      cost_usd = u.cost_usd + excluded.cost_usd`.execute(tx);
}

/** The last error is stored on the recording as well. */
async function noteFiles(tx: Tx, results: Result[]): Promise<void> {
  const rows = results.flatMap(({ execution: { subject }, outcome }) =>
    "upload_file_id" in subject
      ? { id: subject.upload_file_id, error_message: outcome.kind === "done" ? null : outcome.message }
      : [],
  );
  if (rows.length === 0) return;
  // Sorted, so that two processes with results of the same recordings can't deadlock.
  const ids = rows.map(({ id }) => id);
  await sql`select id from insight_files where id = any(${ids}::bigint[]) order by id for no key update`.execute(
    tx,
  );
  await sql`
    update insight_files f set error_message = r.error_message
    from json_populate_recordset(null::insight_files, ${JSON.stringify(rows)}::json) as r
    where f.id = r.id and f.error_message is distinct from r.error_message`.execute(tx);
}

/** Rejects with a data error (`isOfData`) when one of many can't be stored; stored alone, that one then becomes FAILED. */
export async function recordEach(
  deps: { db: Db; log: Log; vault: Vault },
  owner: string,
  results: Result[],
): Promise<Set<number>> {
  const { log } = deps;
  try {
    return await recordResults(deps, owner, results);
  } catch (error) {
    if (!isOfData(error) || results.length > 1) throw error;
    const message = `The result could not be stored. ${publicText(error, log, "an insight's result could not be stored")}`;
    return recordResults(
      deps,
      owner,
      results.map((result) => ({ ...result, outcome: { kind: "failed", message } })),
    );
  }
}

/** PostgreSQL's error classes 22 (data) and 54 (limits), for which a retry would fail the same way. */
export const isOfData = (error: unknown): boolean =>
  /^(?:22|54)/.test(String((error as { code?: unknown }).code ?? ""));
