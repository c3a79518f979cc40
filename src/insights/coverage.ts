import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import type { Conditions } from "./conditions.ts";

/*
 * How much of the past a workflow has behind it, so that an estimate doesn't search years for what is not there: from the
 * start of its newest backfill up to some time, whatever its rule takes of sessions is claimed.
 */
export type Coverage = {
  from: string;
  /** As it was when the backfill was opened; with another one nothing is known. null: from before rules were kept. */
  rule: string | null;
  /** As far as its sessions were queued. */
  cursor: string | null;
  is_fed: boolean;
  /** Once its workflow is inactive; null: not known. */
  until: string | null;
};

type Ruled = {
  source: string;
  conditions: Conditions;
  agent_ids: number[];
  prompt_ids: number[];
  end_datetime: string | null;
  insight_tools: { id: number; version: number }[];
};

type Covered = Ruled & { status: string; start_datetime: string | null; covered: Coverage | null };

/** What decides whether something is left to analyse, as a text to compare. Pure. */
export const ruleOf = (workflow: Ruled): string => {
  const { source, conditions, agent_ids, prompt_ids, end_datetime, insight_tools } = workflow;
  return JSON.stringify({
    source,
    conditions,
    ...(agent_ids.length > 0 && { agent_ids }),
    ...(prompt_ids.length > 0 && { prompt_ids }),
    end_datetime,
    tools: insight_tools.map(({ id, version }) => `${id} v${version}`).toSorted(),
  });
};

/**
 * Up to when nothing is left; null where that is not known. An active workflow claims what ends as it ends, so once its
 * backfill is fed, that is now. Recordings move from folder to folder, so of them it is never known. Pure.
 */
export function coveredUntil(workflow: Covered, now: Date): string | null {
  const { source, status, covered, start_datetime } = workflow;
  if (source === "upload" || covered === null || start_datetime === null) return null;
  if (covered.rule !== ruleOf(workflow) || Date.parse(covered.from) > Date.parse(start_datetime)) return null;
  if (status !== "ACTIVE") return covered.until;
  return covered.is_fed ? now.toISOString() : covered.cursor;
}

/** The coverage of a workflow row `w`. Index: insight_backfills_workflow. */
export const selectCoverage = sql<Coverage | null>`(
  select json_build_object('from', b.from_datetime, 'rule', b.rule, 'cursor', b.cursor_datetime,
    'is_fed', b.fed_at is not null, 'until', b.covered_until)
  from insight_backfills b where b.workflow_id = w.id order by b.id desc limit 1)`;

/**
 * Stores up to which time a workflow that is inactivated has analyzed, under its lock and before waiting executions are
 * dropped: up to the first session that waits or still goes on, because that one is not claimed any more. It never grows
 * afterwards.
 */
export async function noteCoverage(
  tx: Tx,
  workflow: Covered & { id: number; sub_organization_id: number },
  at: Date,
): Promise<void> {
  const reached =
    workflow.status === "ACTIVE" ? coveredUntil(workflow, at) : (workflow.covered?.until ?? null);
  if (reached === null) return;
  await sql`
    update insight_backfills
    set covered_until = least(
      ${reached}::timestamptz,
      (select min(s.timestamp) from insight_executions e join sessions s on s.id = e.session_id
       where e.workflow_id = ${workflow.id} and e.status = 'PENDING'),
      (select min(timestamp) from sessions
       where sub_organization_id = ${workflow.sub_organization_id} and ended_at is null))
    where id = (select max(id) from insight_backfills where workflow_id = ${workflow.id})`.execute(tx);
}
