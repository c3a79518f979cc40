import { type RawBuilder, sql } from "kysely";
import { type Db, isStatementTimeout, type Tx } from "../db/database.ts";
import { MANY_ROWS, planned } from "../db/plans.ts";
import { NO_CONDITIONS } from "./conditions.ts";
import { matchingSubjects, type Span, type Subjects, subjectColumn } from "./matching.ts";
import { inSample, SAMPLED_SHARE } from "./sampling.ts";
import type { Amount } from "./tool-cost.ts";
import type { StoredWorkflow } from "./workflow-schema.ts";

/*
 * How many subjects a workflow has in a span, and how long they are together. Up to EXACT_UP_TO sessions in the span each is
 * looked at. Of more, a sample is (sampling.ts); where so few of it match that the error would show, each is looked at
 * after all, if that takes no more than a moment. Looking at each of 1,000,000 takes 30 times as long as at the sample, and
 * hashing each for a sample 100 times (docs/benchmarks.md). Indexes:
 * sessions_analysable and sessions_sixteenth, which cover all conditions, so that sessions are read without their snapshots;
 * insight_execution_tools_session and _sixteenth; insight_files_folder.
 */
export type SubjectCount = Amount & {
  /** false: estimated from a sample of the sessions. */
  is_exact: boolean;
};

/** Sessions of the span, whether they match or not. */
const EXACT_UP_TO = 100_000;
/** Fewer in the sample say too little: a hundred are within a tenth two times out of three, a thousand within 3 %. */
const LEAST_FOUND = 100;
/** Nobody waits longer for a few hundred of a million: with what else is asked it stays below 200 ms. */
const EXACT_WITHIN_ms = 100;
/** Claims that are taken off one by one. */
const FEW_CLAIMS = 5_000;

export const NOTHING: SubjectCount = { count: 0, duration_s: 0, is_exact: true };

/** `open`: without those that all tools of the workflow have analysed at their present versions, or are about to. */
export function countSubjects(
  db: Db,
  workflow: StoredWorkflow,
  span: Span,
  {
    open,
    exact_up_to = EXACT_UP_TO,
    exact_within_ms = EXACT_WITHIN_ms,
  }: { open: boolean; exact_up_to?: number; exact_within_ms?: number },
): Promise<SubjectCount> {
  return planned(db, MANY_ROWS, async (tx) => {
    const all = matchingSubjects(tx, workflow, span);
    if (!all) return NOTHING;
    const eachOne = async () => ({
      ...(await sumOf(tx, open ? unclaimed(all, workflow) : all)),
      is_exact: true,
    });
    if (workflow.source === "upload" || !(await isLong(tx, workflow, span, exact_up_to))) return eachOne();
    const began_ms = performance.now();
    const { isEnough, ...amount } = await inPart(tx, workflow, span, open);
    const found = { ...amount, is_exact: false };
    // What would hardly end in time is not begun: the sample has shown how long it takes, half of it spent on other things.
    const likely_ms = ((performance.now() - began_ms) * SAMPLED_SHARE) / 2;
    if (isEnough || likely_ms > exact_within_ms) return found;
    return (await within(tx, exact_within_ms, eachOne)) ?? found;
  });
}

async function isLong(tx: Tx, workflow: StoredWorkflow, span: Span, exact_up_to: number): Promise<boolean> {
  const sessions = matchingSubjects(tx, { ...workflow, source: "agent", conditions: NO_CONDITIONS }, span);
  const most = exact_up_to / SAMPLED_SHARE;
  const part = (sessions as Subjects).where(inSample("s.id")).limit(most + 1);
  return (await sumOf(tx, part)).count > most;
}

/** By the sample; `isEnough` where it says enough. */
async function inPart(
  tx: Tx,
  workflow: StoredWorkflow,
  span: Span,
  open: boolean,
): Promise<Amount & { isEnough: boolean }> {
  const claimed = open ? await fewClaimed(tx, workflow) : [];
  if (claimed === null) {
    const left = (matchingSubjects(tx, workflow, span) as Subjects).where(inSample("s.id"));
    const found = await sumOf(tx, unclaimed(left, workflow, inSample("x.session_id")));
    return { ...times(found, SAMPLED_SHARE), isEnough: found.count >= LEAST_FOUND };
  }
  // The draw takes its share of any number: no hash has to be made to know it.
  const { sample_rate } = workflow.conditions;
  const undrawn = { ...workflow, conditions: { ...workflow.conditions, sample_rate: null } };
  const found = await sumOf(tx, (matchingSubjects(tx, undrawn, span) as Subjects).where(inSample("s.id")));
  const expected = times(found, (SAMPLED_SHARE * (sample_rate ?? 100)) / 100);
  const isEnough = found.count >= LEAST_FOUND;
  if (claimed.length === 0) return { ...expected, isEnough };
  const done = await sumOf(
    tx,
    (matchingSubjects(tx, workflow, span) as Subjects).where(sql<boolean>`s.id = any(${claimed}::bigint[])`),
  );
  return {
    count: Math.max(0, expected.count - done.count),
    duration_s: Math.max(0, expected.duration_s - done.duration_s),
    // The less is left, the more of it would be the error of the whole.
    isEnough: isEnough && done.count <= expected.count / 2,
  };
}

const times = ({ count, duration_s }: Amount, factor: number): Amount => ({
  count: Math.round(count * factor),
  duration_s: duration_s * factor,
});

/** The sessions that all tools have claimed; null where they are too many to list. Index: insight_execution_tools_session. */
async function fewClaimed(tx: Tx, { id, insight_tools }: StoredWorkflow): Promise<number[] | null> {
  const versions = insight_tools.map((tool) => sql`(${tool.id}::bigint, ${tool.version}::bigint)`);
  const claims = sql`
    select x.session_id from insight_execution_tools x
    where x.workflow_id = ${id} and x.session_id is not null
      and (x.insight_tool_id, x.insight_tool_version) in (${sql.join(versions)})`;
  const most = FEW_CLAIMS * insight_tools.length;
  const counted = await sql<{ claims: number }>`
    select count(*) as claims from (${claims} limit ${most}) as claim`.execute(tx);
  if (counted.rows[0]?.claims === most) return null;
  const { rows } = await sql<{ session_id: number }>`
    select session_id from (${claims}) as claim group by 1 having count(*) = ${insight_tools.length}`.execute(
    tx,
  );
  return rows.map(({ session_id }) => session_id);
}

/** Those that at least one tool has not claimed at its present version; `among` narrows which claims are looked at. */
function unclaimed(
  subjects: Subjects,
  workflow: StoredWorkflow,
  among: RawBuilder<boolean> = sql`true`,
): Subjects {
  const subject = sql.ref(workflow.source === "upload" ? "f.id" : "s.id");
  // One test a tool with its version written out, so that PostgreSQL may hash each instead of probing an index per session.
  const open = workflow.insight_tools.map(
    (tool) => sql`not exists (
      select from insight_execution_tools x
      where x.workflow_id = ${workflow.id} and x.insight_tool_id = ${tool.id}
        and x.insight_tool_version = ${tool.version} and ${among}
        and x.${sql.ref(subjectColumn(workflow))} = ${subject})`,
  );
  return subjects.where(sql<boolean>`(${sql.join(open, sql` or `)})`);
}

/** Null where it takes longer. */
async function within<T>(tx: Tx, ms: number, read: () => Promise<T>): Promise<T | null> {
  await sql`savepoint bounded`.execute(tx);
  await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(tx);
  const result = await read().catch((error: unknown) => {
    if (isStatementTimeout(error)) return null;
    throw error;
  });
  // The bound goes with it.
  await sql`rollback to savepoint bounded`.execute(tx);
  return result;
}

async function sumOf(tx: Tx, subjects: Subjects): Promise<Amount> {
  const counted = tx
    .selectFrom(subjects.as("subject"))
    .select([
      sql<number>`count(*)`.as("count"),
      sql<number>`coalesce(sum(subject.duration_s), 0)::float8`.as("duration_s"),
    ]);
  const { rows } = await tx.executeQuery<Amount>(counted.compile());
  return rows[0] as Amount;
}
