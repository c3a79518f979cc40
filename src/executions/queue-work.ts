import { sql } from "kysely";
import { z } from "zod";
import type { Caller, Stamp } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { name, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { refuseUnknown } from "../insights/held-rows.ts";
import { shareTools } from "../insights/tool-configuration-store.ts";
import { holdWorkflowNamed, type Workflow } from "../insights/workflow-store.ts";
import { enqueue } from "../jobs/define-job.ts";
import { queueExecutions, releaseExecutions, type SubjectColumn } from "./queue.ts";
import { runInsights } from "./run-insights.ts";
import { WORKFLOWS, type WorkflowDeps } from "./workflow.ts";

/** Keeps the transaction of one request short. */
const MAX_IDS = 10_000;

const ids = () => z.array(recordId()).max(MAX_IDS).nullish();

const InsightsWorkflowQueueSession = z
  .object({
    workflow_name: name(),
    session_id_list: ids(),
    file_id_list: ids().describe("For workflows over uploads, and manual ones."),
  })
  .meta({ id: "InsightsWorkflowQueueSession" });
type QueueWork = z.output<typeof InsightsWorkflowQueueSession>;

const QueuedWork = z
  .object({
    queued: z.int(),
    skipped: z.int().describe("Analysed or queued before at these tool versions, or still going on."),
  })
  .meta({ id: "QueuedInsightWork" });

export function queueWorkRoutes(api: Api, { db, clock }: Pick<WorkflowDeps, "db" | "clock">): void {
  api.post(
    `${WORKFLOWS}/queue-work`,
    {
      summary: "Queue sessions or recordings for an insight workflow",
      description:
        "Works for inactive workflows too, and whatever their conditions; nothing is analyzed twice with the same version of a tool. Failed executions are retried.",
      tag: "insights",
      permission: "insights_write",
      body: InsightsWorkflowQueueSession,
      response: QueuedWork,
    },
    ({ caller, body }) =>
      write(db, "Insight workflow", async (tx) => {
        const workflow = await holdWorkflowNamed(tx, caller, body.workflow_name);
        refuseUnfit(workflow, body);
        await shareTools(tx, caller, workflow.insight_tool_ids);
        const stamp = { caller, at: clock.now() };
        const sessions = [...new Set(body.session_id_list ?? [])];
        const files = [...new Set(body.file_id_list ?? [])];
        const queued =
          (await queueByHand(tx, stamp, workflow, "session_id", await endedSessions(tx, caller, sessions))) +
          (await queueByHand(tx, stamp, workflow, "upload_file_id", await knownFiles(tx, caller, files)));
        if (queued > 0) await enqueue(tx, runInsights, {});
        const work = { queued, skipped: sessions.length + files.length - queued };
        await api.audit(tx, caller, {
          action: "queue-work",
          resource: "insight_workflows",
          resource_id: workflow.id,
          after: { ...body, ...work },
        });
        return work;
      }),
  );
}

function refuseUnfit({ name, source, insight_tool_ids }: Workflow, body: QueueWork): void {
  if (insight_tool_ids.length === 0) {
    throw new Fault(
      "refused",
      `Insight workflow "${name}" has no tools to run. Add one to insight_tool_ids.`,
    );
  }
  const sessions = body.session_id_list?.length ?? 0;
  const files = body.file_id_list?.length ?? 0;
  if (sessions + files === 0) {
    throw invalid(
      ["body", "session_id_list"],
      "Name sessions in session_id_list or recordings in file_id_list",
    );
  }
  if (files > 0 && source !== "upload" && source !== "manual") {
    throw new Fault("refused", `Insight workflow "${name}" runs over sessions; it takes no file_id_list.`);
  }
  if (sessions > 0 && source === "upload") {
    throw new Fault("refused", `Insight workflow "${name}" runs over uploads; it takes no session_id_list.`);
  }
}

/** Those that have finished; an id unknown to this sub-organization is a 404, and so is one that is just being deleted. */
async function endedSessions(tx: Tx, caller: Caller, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom("sessions")
    .select(["id", "ended_at"])
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .orderBy("id")
    .forKeyShare()
    .execute();
  refuseUnknown("Session", ids, rows);
  return rows.filter((row) => row.ended_at !== null).map(({ id }) => id);
}

async function knownFiles(tx: Tx, caller: Caller, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom("insight_files")
    .select("id")
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forKeyShare()
    .execute();
  refuseUnknown("File", ids, rows);
  return ids;
}

async function queueByHand(
  tx: Tx,
  { at }: Stamp,
  workflow: Workflow,
  column: SubjectColumn,
  ids: number[],
): Promise<number> {
  if (ids.length === 0) return 0;
  await releaseExecutions(tx, workflow, "FAILED", { at, only: { column, ids } });
  return queueExecutions(tx, [workflow], ids, { cause: "manual", at, column });
}
