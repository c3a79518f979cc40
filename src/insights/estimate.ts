import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { countSubjects, NOTHING, type SubjectCount } from "./count-subjects.ts";
import { coveredUntil } from "./coverage.ts";
import { matchingSubjects, type Span } from "./matching.ts";
import { type Amount, costOf, estimateTool, type Measured, type ToolEstimate } from "./tool-cost.ts";
import { MAX_CALL_CHARACTERS } from "./transcript-text.ts";
import type { InsightWorkflowEstimate, StoredWorkflow } from "./workflow-schema.ts";

/*
 * What a workflow would do if it were activated now: how much it would take up at once, and how much a day, judged by the
 * days just past. Figures: docs/benchmarks.md.
 */

export const DAYS = 14;
const DAY_MS = 86_400_000;
/** The most sessions of recent days that are counted one by one; a forecast of future days is no more exact than a sample. */
const EXACT_RECENT = 10_000;
/** The newest runs of a tool that its mean of tokens is taken from. */
const MEASURED_RUNS = 500;
/** The newest transcripts that their mean length is taken from. */
const SAMPLED_TRANSCRIPTS = 100;
/** Characters of a transcript's line beside its words: time, speaker, punctuation. */
const LINE_CHARACTERS = 20;

/** What an estimate says, and what it is made of. */
export type Estimate = {
  backfill: SubjectCount;
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
  const span = backfillSpan(workflow, now);
  const backfill = span ? await countSubjects(db, workflow, span, { open: true }) : NOTHING;
  const recently = { from: new Date(now.getTime() - DAYS * DAY_MS), to: now };
  const recent = await countSubjects(db, workflow, recently, { open: false, exact_up_to: EXACT_RECENT });
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
 * The span of what an activation queues: from start_datetime on, without what is known to be done. null when there is no
 * start_datetime: then only what comes after the activation counts.
 */
function backfillSpan(workflow: StoredWorkflow, now: Date): Span | null {
  const { start_datetime, end_datetime, insight_tools } = workflow;
  if (start_datetime === null || insight_tools.length === 0) return null;
  const to = end_datetime !== null && Date.parse(end_datetime) < now.getTime() ? end_datetime : now;
  return { from: latest(start_datetime, coveredUntil(workflow, now)), to };
}

const latest = (a: string, b: string | null): string => (b !== null && Date.parse(b) > Date.parse(a) ? b : a);

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
  // Those that a sample leaves out are as long.
  const conditions = { ...workflow.conditions, sample_rate: null };
  const matching = matchingSubjects(db, { ...workflow, conditions }, recently);
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
