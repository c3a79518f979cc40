import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { findLlm, type LlmEntry, type LlmPrice } from "../llm/catalogue.ts";
import { matchingSubjects, type Subjects, subjectColumn } from "./matching.ts";
import { readToolArguments } from "./tool-arguments.ts";
import type { InsightToolOutput } from "./tool-configuration-schema.ts";
import { definitionById } from "./tool-definition.ts";
import type { InsightWorkflowEstimate, StoredWorkflow } from "./workflow-schema.ts";

/*
 * What a workflow would do if it were activated now: how much it would take up at once, and how much a day, judged by the
 * days just past. Indexes: sessions_timestamp, insight_files_folder, insight_execution_tools_session. The last 14 days of
 * 20,000 sessions take 10 ms, a backfill over 200,000 sessions 120 ms, and 400 ms once all of them are claimed. An index
 * that covers all conditions was tried: it saves less than half of that, and costs every session a write.
 */

const DAYS = 14;
const DAY_MS = 86_400_000;
/** The newest runs of a tool that its mean of tokens is taken from. */
const MEASURED_RUNS = 500;

/** How often, and how long in all. */
type Amount = { count: number; duration_s: number };
/** Of one run of one tool; null where no run has been counted. */
export type Tokens = { input: number; output: number } | null;

export async function estimateOf(
  db: Db,
  workflow: StoredWorkflow,
  { now, catalogue }: { now: Date; catalogue: readonly LlmEntry[] },
): Promise<InsightWorkflowEstimate> {
  // One after the other: within a transaction there is one connection.
  const backfill = await amountOf(db, backfillOf(db, workflow, now));
  const recently = { from: new Date(now.getTime() - DAYS * DAY_MS), to: now };
  const recent = await amountOf(db, matchingSubjects(db, workflow, recently));
  const tokens = await measuredTokens(db, workflow);
  const cost_usd = costOfOne(workflow.insight_tools, tokens, catalogue);
  return {
    backfill_count: backfill.count,
    backfill_duration: rounded(backfill.duration_s, 3),
    estimated_daily_count: Math.round(recent.count / DAYS),
    estimated_daily_duration: rounded(recent.duration_s / DAYS, 3),
    estimated_daily_cost: rounded((recent.count / DAYS) * cost_usd, 6),
    estimated_backfill_cost: rounded(backfill.count * cost_usd, 6),
  };
}

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
 * Up to when nothing can be left to queue: an active workflow queued all there was when it was activated, unless one of its
 * tools was changed since. Saves a list of active workflows from searching all of history for what is not there.
 */
function queuedUntil({ status, activated_at, insight_tools }: StoredWorkflow): string | null {
  if (status !== "ACTIVE" || activated_at === null) return null;
  const changed = insight_tools.some(
    ({ updated_at }) => !updated_at || Date.parse(updated_at) >= Date.parse(activated_at),
  );
  return changed ? null : activated_at;
}

const latest = (a: string, b: string | null): string => (b !== null && Date.parse(b) > Date.parse(a) ? b : a);

async function amountOf(db: Db, subjects: Subjects | null): Promise<Amount> {
  if (!subjects) return { count: 0, duration_s: 0 };
  return db
    .selectFrom(subjects.as("subject"))
    .select([
      sql<number>`count(*)`.as("count"),
      sql<number>`coalesce(sum(subject.duration_s), 0)::float8`.as("duration_s"),
    ])
    .executeTakeFirstOrThrow();
}

/** By tool id. Index: insight_execution_tools_measured. */
async function measuredTokens(db: Db, { insight_tools }: StoredWorkflow): Promise<Map<number, Tokens>> {
  if (insight_tools.length === 0) return new Map();
  const ids = insight_tools.map(({ id }) => id);
  const { rows } = await sql<{ id: number; input: number | null; output: number | null }>`
    select tool.id, mean.input, mean.output
    from unnest(${ids}::bigint[]) as tool (id)
    cross join lateral (
      select avg(run.input_tokens)::float8 as input, avg(coalesce(run.output_tokens, 0))::float8 as output
      from (
        select x.input_tokens, x.output_tokens from insight_execution_tools x
        where x.insight_tool_id = tool.id and x.input_tokens is not null
        order by x.finished_at desc limit ${MEASURED_RUNS}) as run) as mean
  `.execute(db);
  return new Map(
    rows.map(({ id, input, output }) => [id, input === null ? null : { input, output: output ?? 0 }]),
  );
}

/** One session through all tools, in US dollars; a tool whose price or use is unknown adds nothing. Pure. */
export function costOfOne(
  tools: Pick<InsightToolOutput, "id" | "insight_tool_definition_id" | "tool_arguments">[],
  tokens: ReadonlyMap<number, Tokens>,
  catalogue: readonly LlmEntry[],
): number {
  return tools.reduce((sum, tool) => {
    const used = tokens.get(tool.id);
    const price = priceOf(tool, catalogue);
    if (!used || !price) return sum;
    return sum + (used.input * price.input_usd + used.output * price.output_usd) / 1_000_000;
  }, 0);
}

function priceOf(
  tool: Pick<InsightToolOutput, "insight_tool_definition_id" | "tool_arguments">,
  catalogue: readonly LlmEntry[],
): LlmPrice | null {
  const definition = definitionById(tool.insight_tool_definition_id);
  const read = definition && readToolArguments(definition, tool.tool_arguments);
  if (!read?.ok || read.arguments.type !== "llm") return null;
  const { provider, model } = read.arguments.llm_config;
  return findLlm(catalogue, provider, model)?.price ?? null;
}

function rounded(value: number, places: number): number {
  const scale = 10 ** places;
  return Math.round(value * scale) / scale;
}
