import { z } from "zod";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { isStatementTimeout } from "../db/database.ts";
import { asReader } from "../db/reading.ts";
import { estimateOf, shownEstimate } from "../insights/estimate.ts";
import {
  type InsightWorkflowEstimate,
  InsightWorkflowInput,
  InsightWorkflowOutput,
} from "../insights/workflow-schema.ts";
import {
  findWorkflow,
  insertWorkflow,
  lockWorkflow,
  pageOfWorkflows,
  removeWorkflow,
  replaceWorkflow,
  type Workflow,
  workflowList,
} from "../insights/workflow-store.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { toValidationIssue } from "../schemas/validation-issue.ts";
import { releaseExecutions } from "./queue.ts";
import { unknownNames } from "./unknown-names.ts";

export type WorkflowDeps = { db: Db; clock: Clock; catalogue: readonly LlmEntry[] };

/** All of a page at once would take every database connection. */
const ESTIMATES_AT_ONCE = 3;

export const WORKFLOWS = "/api/v1/insights/workflows";
export const workflowParams = z.object({ workflow_id: recordId() });

export function workflowRoutes(api: Api, deps: WorkflowDeps): void {
  const { db, clock } = deps;
  const one = `${WORKFLOWS}/:workflow_id`;
  const tag = "insights";
  const noun = "Insight workflow";

  const stamped = (caller: Caller): Stamp => ({ caller, at: clock.now() });

  api.get(
    `${WORKFLOWS}/`,
    {
      summary: "List insight workflows",
      tag,
      permission: "insights_read",
      query: list.listQuery(workflowList),
      response: list.listOf(InsightWorkflowOutput),
    },
    async ({ caller, query }) => {
      const page = await pageOfWorkflows(db, caller, query);
      const items: InsightWorkflowOutput[] = [];
      for (let from = 0; from < page.items.length; from += ESTIMATES_AT_ONCE) {
        const some = page.items.slice(from, from + ESTIMATES_AT_ONCE);
        items.push(...(await Promise.all(some.map((workflow) => withEstimate(db, workflow, deps)))));
      }
      return list.onlyFields({ ...page, items }, query.fields, InsightWorkflowOutput);
    },
  );

  api.get(
    one,
    {
      summary: "Get an insight workflow",
      tag,
      permission: "insights_read",
      params: workflowParams,
      response: InsightWorkflowOutput,
    },
    async ({ caller, params }) => withEstimate(db, await findWorkflow(db, caller, params.workflow_id), deps),
  );

  api.post(
    `${WORKFLOWS}/`,
    {
      summary: "Create an insight workflow",
      description: "It is INACTIVE until it is activated.",
      tag,
      permission: "insights_write",
      body: InsightWorkflowInput,
      response: InsightWorkflowOutput,
    },
    async ({ caller, body }) => {
      const after = await write(db, noun, async (tx) => {
        const id = await insertWorkflow(tx, stamped(caller), body);
        const made = await findWorkflow(tx, caller, id);
        await audit(tx, caller, "create", { after: made });
        return made;
      });
      return withEstimate(db, after, deps);
    },
  );

  api.put(
    one,
    {
      summary: "Update an insight workflow",
      description: "412 while it is ACTIVE.",
      tag,
      permission: "insights_write",
      params: workflowParams,
      body: InsightWorkflowInput,
      response: InsightWorkflowOutput,
    },
    async ({ caller, params, body }) => {
      const after = await write(db, noun, async (tx) => {
        const before = await lockWorkflow(tx, caller, params.workflow_id);
        refuseWhileActive(before, "updated", "blocked");
        await replaceWorkflow(tx, stamped(caller), before.id, body);
        const replaced = await findWorkflow(tx, caller, before.id);
        await audit(tx, caller, "update", { before, after: replaced });
        return replaced;
      });
      return withEstimate(db, after, deps);
    },
  );

  api.delete(
    one,
    {
      summary: "Delete an insight workflow",
      description: "400 while it is ACTIVE. Waiting executions are deleted, results are kept.",
      tag,
      permission: "insights_delete",
      params: workflowParams,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, noun, async (tx) => {
        const before = await lockWorkflow(tx, caller, params.workflow_id);
        refuseWhileActive(before, "deleted", "refused");
        const stamp = stamped(caller);
        await releaseExecutions(tx, before, "PENDING", stamp);
        await removeWorkflow(tx, stamp, before.id);
        await audit(tx, caller, "delete", { before });
        return { success: true };
      }),
  );

  const audit = (
    tx: Tx,
    caller: Caller,
    action: string,
    { before, after }: { before?: Workflow; after?: Workflow },
  ) =>
    api.audit(tx, caller, {
      action,
      resource: "insight_workflows",
      resource_id: ((after ?? before) as Workflow).id,
      before: before && audited(before),
      after: after && audited(after),
    });
}

/**
 * The response: without internal columns, with an estimate of what activation would do now. Never computed under the
 * workflow's lock: comparing millions of sessions takes a second, for which sessions that end would wait.
 */
export async function withEstimate(
  db: Db,
  workflow: Workflow,
  { clock, catalogue }: Pick<WorkflowDeps, "clock" | "catalogue">,
): Promise<InsightWorkflowOutput> {
  const { sub_organization_id, activated_at, covered, agent_ids, prompt_ids, ...own } = workflow;
  const issues = (await unknownNames(db, workflow)).map(toValidationIssue);
  const shown = issues.length === 0 ? own : { ...own, validation_issues: issues };
  try {
    const estimate = await asReader(sub_organization_id, () =>
      estimateOf(db, workflow, { now: clock.now(), catalogue }),
    );
    return { ...shown, estimate: shownEstimate(estimate) };
  } catch (error) {
    const crowded = error instanceof Fault && error.kind === "too-many";
    if (!crowded && !isStatementTimeout(error)) throw error;
    // The workflow is stored by now, so an error here would only make the client send it again.
    return { ...shown, estimate: NO_ESTIMATE, estimate_problem: NO_ESTIMATE_REASON };
  }
}

/** Numbers all the same: the public API promises them, and a strict client would lose the workflow, or a page of them, over null. */
const NO_ESTIMATE: InsightWorkflowEstimate = {
  backfill_count: 0,
  backfill_duration: 0,
  estimated_daily_count: 0,
  estimated_daily_duration: 0,
  estimated_daily_cost: 0,
  estimated_backfill_cost: 0,
};

const NO_ESTIMATE_REASON =
  "The estimate took too long, because there is too much to look through or too many reports are running. The workflow is as shown. Read it again in a while; a later start_datetime or an exact agent makes it faster.";

/** Left out of comparisons: its tools are records of their own, and its counts change by themselves. */
export const audited = (workflow: Workflow) => {
  const { insight_tools, queue_count, failed_count, covered, agent_ids, prompt_ids, ...own } = workflow;
  return own;
};

function refuseWhileActive(workflow: Workflow, what: string, kind: "blocked" | "refused"): void {
  if (workflow.status !== "ACTIVE") return;
  throw new Fault(
    kind,
    `Insight workflow "${workflow.name}" is ACTIVE and can't be ${what}. Inactivate it first.`,
  );
}
