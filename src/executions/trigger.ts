import type { Tx } from "../db/database.ts";
import { inSpan, meets } from "../insights/conditions.ts";
import { shareSessionWorkflows, type WorkflowRule } from "../insights/workflow-rule.ts";
import { enqueue } from "../jobs/define-job.ts";
import type { EndedSession } from "../sessions/engine.ts";
import { queueExecutions } from "./queue.ts";
import { runInsights } from "./run-insights.ts";

/** Queues a session that ends for the active workflows it matches, in the transaction that ends it. */
export async function queueEndedSession(tx: Tx, session: EndedSession, at: Date): Promise<void> {
  if (session.is_test) return;
  const candidates = await shareSessionWorkflows(tx, session.sub_organization_id);
  const wanting = candidates.filter((workflow) => wants(workflow, session));
  const queued = await queueExecutions(tx, wanting, [session.id], { cause: "session", at });
  if (queued > 0) await enqueue(tx, runInsights, {});
}

/**
 * A workflow without a start takes every session that ends while it is active, also one that began before; with a start,
 * those that began from then on. Pure.
 */
function wants(workflow: Omit<WorkflowRule, "backfill_rate_per_minute">, session: EndedSession): boolean {
  if (workflow.status !== "ACTIVE") return false;
  if (workflow.source === "transfer" && session.end_reason !== "transfer") return false;
  return inSpan(workflow, new Date(session.timestamp)) && meets(workflow, subjectOf(session));
}

/** Reads the same fields from the row as `matching.ts`. */
const subjectOf = (session: EndedSession) => ({
  id: session.id,
  duration_s: session.duration ?? (Date.parse(session.ended_at) - Date.parse(session.timestamp)) / 1000,
  agents: [String(session.agent_id), session.agent_name],
  prompts: [String(session.prompt_id), session.prompt_name],
  folder_id: null,
});
