import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { matchingSubjects, type Subjects, subjectColumn } from "./matching.ts";
import { type Amount, costOf, estimateTool, type Measured, type ToolEstimate } from "./tool-cost.ts";
import { MAX_CALL_CHARACTERS } from "./transcript-text.ts";
import type { InsightWorkflowEstimate, StoredWorkflow } from "./workflow-schema.ts";

/*
 * What a workflow would do if it were activated now: how much it would take up at once, and how much a day, judged by the
 * days just past. Indexes: sessions_analysable, which covers all conditions, so that a year of sessions is read without
 * their snapshots; insight_files_folder, insight_execution_tools_session. Figures: docs/benchmarks.md.
 */

export const DAYS = 14;
const DAY_MS = 86_400_000;
/** The newest runs of a tool that its mean of tokens is taken from. */
const MEASURED_RUNS = 500;
/** The newest transcripts that their mean length is taken from. */
const SAMPLED_TRANSCRIPTS = 100;
/** Time, speaker and what else stands around the words of a line. */
const LINE_CHARACTERS = 20;

/** What an estimate says, and what it is made of. */
export type Estimate = {
  backfill: Amount;
  /** Of one day. */
  daily: Amount;
  tools: ToolEstimate[];
};

export async function estimateOf(
  db: Db,
  workflow: StoredWorkflow,
  { now, catalogue }: { now: Date; catalogue: readonly LlmEntry[] },
): Promise<Estimate> {
  // One after the other: within a transaction there is one connection.
  const backfill = await amountOf(db, backfillOf(db, workflow, now));
  const recently = { from: new Date(now.getTime() - DAYS * DAY_MS), to: now };
  const recent = await amountOf(db, matchingSubjects(db, workflow, recently));
  const measured = await measuredTokens(db, workflow);
  const unknown = workflow.insight_tools.some(({ id }) => !measured.has(id));
  const transcript_characters = unknown ? await meanTranscript(db, workflow, now) : 0;
  return {
    backfill,
    daily: { count: recent.count / DAYS, duration_s: recent.duration_s / DAYS },
    tools: workflow.insight_tools.map((tool) =>
      estimateTool(tool, { measured: measured.get(tool.id), transcript_characters, catalogue }),
    ),
  };
}

/** As the public API spells it. Pure. */
export const shownEstimate = ({ backfill, daily, tools }: Estimate): InsightWorkflowEstimate => ({
  backfill_count: backfill.count,
  backfill_duration: rounded(backfill.duration_s, 3),
  estimated_daily_count: Math.round(daily.count),
  estimated_daily_duration: rounded(daily.duration_s, 3),
  estimated_daily_cost: rounded(costOf(tools, daily), 6),
  estimated_backfill_cost: rounded(costOf(tools, backfill), 6),
});

/**
 * What activation queues: from start_datetime on, whatever at least one tool has not analysed at its present version. null
 * when there is no start: then only what comes after the activation counts.
 */
export function backfillOf(db: Db, workflow: StoredWorkflow, now: Date): Subjects | null {
  const { start_datetime, end_datetime, insight_tools } = workflow;
  if (start_datetime === null || insight_tools.length === 0) return null;
  const from = latest(start_datetime, queuedUntil(workflow));
  const to = end_datetime !== null && Date.parse(end_datetime) < now.getTime() ? end_datetime : now;
  const matching = matchingSubjects(db, workflow, { from, to });
  if (!matching) return null;
  const subject = sql.ref(workflow.source === "upload" ? "f.id" : "s.id");
  // One test a tool with its version written out, so that PostgreSQL may hash each instead of probing an index per session.
  const open = insight_tools.map(
    (tool) => sql`not exists (
      select from insight_execution_tools x
      where x.workflow_id = ${workflow.id} and x.insight_tool_id = ${tool.id}
        and x.insight_tool_version = ${tool.version}
        and x.${sql.ref(subjectColumn(workflow))} = ${subject})`,
  );
  return matching.where(sql<boolean>`(${sql.join(open, sql` or `)})`);
}

/**
 * Up to when nothing can be left to queue: what an active workflow was fed so far, unless one of its tools was changed since.
 * Saves a list of active workflows from searching all of history for what is not there.
 */
function queuedUntil({ status, activated_at, queued_until, insight_tools }: StoredWorkflow): string | null {
  if (status !== "ACTIVE" || activated_at === null) return null;
  const changed = insight_tools.some(
    ({ updated_at }) => !updated_at || Date.parse(updated_at) >= Date.parse(activated_at),
  );
  return changed ? null : queued_until;
}

const latest = (a: string, b: string | null): string => (b !== null && Date.parse(b) > Date.parse(a) ? b : a);

async function amountOf(db: Db, subjects: Subjects | null): Promise<Amount> {
  if (!subjects) return { count: 0, duration_s: 0 };
  const counted = db
    .selectFrom(subjects.as("subject"))
    .select([
      sql<number>`count(*)`.as("count"),
      sql<number>`coalesce(sum(subject.duration_s), 0)::float8`.as("duration_s"),
    ]);
  return forManyRows(db, (tx) =>
    tx.executeQuery<Amount>(counted.compile()).then(({ rows }) => rows[0] as Amount),
  );
}

/**
 * Planned for the very values and without nested loops. A plan for any values takes a span of years for a few rows and looks
 * the claims up session by session: 3 s for 100,000 sessions of which 1,000 are claimed, where hashing takes 35 ms.
 */
async function forManyRows<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return db.transaction().execute((tx) => forManyRows(tx, read));
  const tx = db as Tx;
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_nestloop', 'off', true),
    set_config('random_page_cost', '1.1', true), set_config('work_mem', '64MB', true)`.execute(tx);
  const result = await read(tx);
  // What follows in the caller's transaction is planned as ever.
  await sql`
    select set_config(name, reset_val, true) from pg_settings
    where name in ('plan_cache_mode', 'enable_nestloop', 'random_page_cost', 'work_mem')`.execute(tx);
  return result;
}

/** By tool id; without those that nothing was counted of. Index: insight_execution_tools_measured. */
async function measuredTokens(db: Db, { insight_tools }: StoredWorkflow): Promise<Map<number, Measured>> {
  if (insight_tools.length === 0) return new Map();
  const ids = insight_tools.map(({ id }) => id);
  const { rows } = await sql<Measured & { id: number }>`
    select tool.id, mean.runs, mean.input_tokens, mean.output_tokens
    from unnest(${ids}::bigint[]) as tool (id)
    cross join lateral (
      select count(*) as runs, avg(run.input_tokens)::float8 as input_tokens,
        avg(coalesce(run.output_tokens, 0))::float8 as output_tokens
      from (
        select x.input_tokens, x.output_tokens from insight_execution_tools x
        where x.insight_tool_id = tool.id and x.input_tokens is not null and x.finished_at is not null
        order by x.finished_at desc limit ${MEASURED_RUNS}) as run) as mean
    where mean.runs > 0
  `.execute(db);
  return new Map(rows.map(({ id, ...measured }) => [id, measured]));
}

/**
 * The mean length of the newest transcripts, in characters as a model would read them, for tools that never ran. 0 for
 * recordings: how much is said in them is not known before. Indexes: sessions_timestamp and the keys of what was said.
 */
async function meanTranscript(db: Db, workflow: StoredWorkflow, now: Date): Promise<number> {
  if (workflow.source === "upload") return 0;
  const recently = { from: new Date(now.getTime() - DAYS * DAY_MS), to: now };
  const matching = matchingSubjects(db, workflow, recently);
  if (!matching) return 0;
  const newest = matching.orderBy("s.timestamp", "desc").limit(SAMPLED_TRANSCRIPTS);
  const { rows } = await sql<{ characters: number | null }>`
    select avg(said.characters + done.characters)::float8 as characters
    from (${newest}) as subject
    cross join lateral (
      select coalesce(sum(length(m.text) + ${LINE_CHARACTERS}::int), 0) as characters
      from session_messages m where m.session_id = subject.id and not m.aside) as said
    cross join lateral (
      select coalesce(sum(least(length(c.arguments::text), ${MAX_CALL_CHARACTERS}::int)
        + least(coalesce(length(c.result::text), 0), ${MAX_CALL_CHARACTERS}::int) + ${LINE_CHARACTERS}::int), 0) as characters
      from session_tool_calls c where c.session_id = subject.id) as done
  `.execute(db);
  return rows[0]?.characters ?? 0;
}

function rounded(value: number, places: number): number {
  const scale = 10 ** places;
  return Math.round(value * scale) / scale;
}
