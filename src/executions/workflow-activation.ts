import type { Stamp } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { asReader } from "../db/reading.ts";
import { publish } from "../events/event.ts";
import { noteCoverage, ruleOf } from "../insights/coverage.ts";
import { estimateOf, shownEstimate } from "../insights/estimate.ts";
import { shareTools } from "../insights/tool-configuration-store.ts";
import {
  InsightWorkflowActivate,
  type InsightWorkflowEstimate,
  InsightWorkflowOutput,
} from "../insights/workflow-schema.ts";
import {
  findWorkflow,
  lockWorkflow,
  setStatus,
  shareFolders,
  type Workflow,
} from "../insights/workflow-store.ts";
import { enqueue } from "../jobs/define-job.ts";
import { cancelBackfill, feedBackfill, openBackfill, uncountWaiting } from "./backfill.ts";
import { releaseExecutions } from "./queue.ts";
import { runInsights } from "./run-insights.ts";
import { audited, WORKFLOWS, type WorkflowDeps, withEstimate, workflowParams } from "./workflow.ts";

/** An estimate that changed by more than both of these since it was shown must be confirmed again. */
const TOLERANCE = { share: 0.1, count: 5 };

export function workflowActivationRoutes(api: Api, deps: WorkflowDeps): void {
  const { db, clock } = deps;
  const tag = "insights";
  const noun = "Insight workflow";

  api.put(
    `${WORKFLOWS}/:workflow_id/activate`,
    {
      summary: "Activate an insight workflow",
      description:
        "Queues what the estimate calls backfill, oldest first and piece by piece; what comes after is analysed as it comes. Activated again, an active workflow takes up what is left, at the versions its tools have now. 400 when the estimate is not acknowledged or there is nothing to run, 412 when backfill_count has moved by more than 10 %, and by more than 5, since it was read.",
      tag,
      permission: "insights_write",
      params: workflowParams,
      body: InsightWorkflowActivate,
      response: InsightWorkflowOutput,
    },
    async ({ caller, params, body }) => {
      const read = await findWorkflow(db, caller, params.workflow_id);
      if (!body.is_acknowledged) {
        throw new Fault("refused", "Read the estimate and send is_acknowledged as true to activate.");
      }
      refuseIdle(read);
      // Estimated before anything is locked, because sessions that end wait for an activation's lock.
      const foreseen = await asReader(caller.sub_organization_id, () =>
        estimateOf(db, read, { now: clock.now(), catalogue: deps.catalogue }),
      );
      const after = await write(db, noun, async (tx) => {
        const before = await lockWorkflow(tx, caller, params.workflow_id);
        // Sessions that end from here on wait for this lock and then belong to the trigger.
        const at = clock.now();
        refuseIdle(before);
        await shareTools(tx, caller, before.insight_tool_ids);
        await shareFolders(tx, caller, before.conditions.folder_list ?? []);
        // Read again, now that the lock keeps its tools from changing.
        const workflow = await findWorkflow(tx, caller, before.id);
        const estimate = looksAtTheSame(read, workflow)
          ? foreseen
          : await estimateOf(tx, workflow, { now: at, catalogue: deps.catalogue });
        refuseMoved(workflow.source, body.estimate, shownEstimate(estimate));

        await setStatus(tx, { caller, at }, before.id, "ACTIVE");
        const backfill_id = await openBackfill(tx, { caller, at }, workflow, estimate);
        if (backfill_id !== null) {
          // Feeds the first batch at once, so that a small backfill is queued before the response.
          await feedBackfill(tx, { id: backfill_id, workflow_id: workflow.id }, at);
          await enqueue(tx, runInsights, {});
        }
        return changed(tx, { caller, at }, before, "activate", { queued: estimate.backfill.count });
      });
      return withEstimate(db, after, deps);
    },
  );

  api.put(
    `${WORKFLOWS}/:workflow_id/inactivate`,
    {
      summary: "Inactivate an insight workflow",
      description: "Waiting executions are deleted; running ones finish.",
      tag,
      permission: "insights_write",
      params: workflowParams,
      response: InsightWorkflowOutput,
    },
    async ({ caller, params }) => {
      const after = await write(db, noun, async (tx) => {
        const before = await lockWorkflow(tx, caller, params.workflow_id);
        const at = clock.now();
        await noteCoverage(tx, before, at);
        const canceled = await cancelBackfill(tx, before.id, at);
        if (canceled !== null) await uncountWaiting(tx, canceled);
        await releaseExecutions(tx, before, "PENDING", { at });
        await setStatus(tx, { caller, at }, before.id, "INACTIVE");
        return changed(tx, { caller, at }, before, "inactivate", {});
      });
      return withEstimate(db, after, deps);
    },
  );

  /** Writes the audit entry and the event of a change in its transaction; returns the changed workflow. */
  async function changed(
    tx: Tx,
    { caller, at }: Stamp,
    before: Workflow,
    action: keyof typeof DONE,
    numbers: { queued?: number },
  ): Promise<Workflow> {
    const after = await findWorkflow(tx, caller, before.id);
    await api.audit(tx, caller, {
      action,
      resource: "insight_workflows",
      resource_id: after.id,
      before: audited(before),
      after: { ...audited(after), ...numbers },
    });
    await publish(tx, caller.sub_organization_id, [
      {
        at,
        source: "api",
        source_id: after.id,
        category: "insights",
        type: `insight-workflow-${DONE[action]}`,
        description: `Insight workflow "${after.name}" was ${DONE[action]} by ${caller.email}`,
        attributes: { workflow_id: after.id, workflow_name: after.name, ...numbers },
      },
    ]);
    return after;
  }
}

const DONE = { activate: "activated", inactivate: "inactivated" } as const;

/** Whether everything that the estimate depends on is unchanged. */
const looksAtTheSame = (a: Workflow, b: Workflow): boolean =>
  ruleOf(a) === ruleOf(b) && a.start_datetime === b.start_datetime && a.status === b.status;

/** Refuses to activate a workflow that could never run, or not on this installation. */
function refuseIdle({ name, source, conditions, insight_tool_ids }: Workflow): void {
  if (insight_tool_ids.length === 0) {
    throw new Fault(
      "refused",
      `Insight workflow "${name}" has no tools to run. Add one to insight_tool_ids.`,
    );
  }
  if (source === "upload" && !conditions.folder_list?.length) {
    throw new Fault(
      "refused",
      `Insight workflow "${name}" runs over uploads but names no folder. Add one to conditions.folder_list.`,
    );
  }
  if (source === "sheet") {
    throw new Fault("unsupported", "No spreadsheet service is connected here, so sheets can't be analysed.");
  }
}

function refuseMoved(source: string, read: InsightWorkflowEstimate, now: InsightWorkflowEstimate): void {
  const allowed = Math.max(TOLERANCE.count, TOLERANCE.share * now.backfill_count);
  if (Math.abs(read.backfill_count - now.backfill_count) <= allowed) return;
  const what = source === "upload" ? "recordings" : "sessions";
  throw new Fault(
    "blocked",
    `Activation would analyse ${now.backfill_count} ${what} now, not the ${read.backfill_count} you acknowledged (estimate.backfill_count). Read the workflow again and acknowledge what it says now.`,
  );
}
