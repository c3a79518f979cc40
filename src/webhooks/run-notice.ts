import type { Clock } from "../base/clock.ts";
import { sha256, type Vault } from "../base/crypto.ts";
import { type Db, json } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { tellTestRun } from "../evaluations/run-done.ts";
import { countedResults } from "../evaluations/run-store.ts";
import { summarize } from "../evaluations/summary.ts";
import { enqueue, handle, type JobHandler } from "../jobs/define-job.ts";
import { deliveryHeaders, TIMEOUT_ms } from "./delivery-send.ts";
import { judgeTry } from "./delivery-verdict.ts";

/*
 * The message that a run of a suite is finished: signed and retried like a campaign's webhooks. Each try is a job, which
 * stores its result together with the next try. A process that dies between sending and storing sends the message twice,
 * under one webhook-id.
 */

type Parts = { db: Db; clock: Clock; vault: Vault; egress: Egress };

const MAX_RESPONSE_bytes = 64 * 1024;

export const runNoticeJob = (parts: Parts): JobHandler =>
  handle(tellTestRun, ({ run_id, tries }) => tell(parts, run_id, tries));

async function tell({ db, clock, vault, egress }: Parts, run_id: number, tries: number): Promise<void> {
  const run = await loadRun(db, run_id);
  // Told already, or there is no webhook any more.
  if (!run || run.webhook_url === null || isTold(run.notice, tries)) return;
  const body = JSON.stringify(await messageOf(db, run));
  const id = messageId(run_id);
  const { sealed_hmac_secret, sub_organization_id } = run;
  const signed = { id, body, sealed_hmac_secret, sealed_previous_hmac_secret: null };
  const headers = deliveryHeaders(vault, signed, clock.now());
  const outcome =
    headers === null
      ? ({ kind: "refused", reason: "the webhook's secret was stored under another SECRET_KEY" } as const)
      : await egress.send({
          url: run.webhook_url,
          method: "POST" as const,
          headers,
          body,
          httpsOnly: true,
          timeout_ms: TIMEOUT_ms,
          max_response_bytes: MAX_RESPONSE_bytes,
        });
  const now = clock.now();
  const verdict = judgeTry(outcome, tries, now, Math.random);
  await db.transaction().execute(async (tx) => {
    const notice = {
      state: verdict.kind === "delivered" ? "DELIVERED" : verdict.kind === "retry" ? "WAITING" : "FAILED",
      tries: tries + 1,
      at: now.toISOString(),
      reason: "failure" in verdict ? verdict.failure : null,
    };
    await tx
      .updateTable("test_runs")
      .set({ notice: json(notice) })
      .where("id", "=", run_id)
      .execute();
    if (verdict.kind === "retry")
      await enqueue(
        tx,
        tellTestRun,
        { run_id, tries: tries + 1 },
        { run_at: verdict.at, tenant: sub_organization_id },
      );
  });
}

const isTold = (notice: unknown, tries: number): boolean =>
  notice !== null && (notice as { tries: number }).tries > tries;

const messageId = (run_id: number): string => `msg_${sha256(`test run ${run_id}`).slice(0, 32)}`;

const loadRun = (db: Db, run_id: number) =>
  db
    .selectFrom("test_runs as r")
    .innerJoin("test_suites as s", "s.id", "r.suite_id")
    .innerJoin("test_schedules as t", "t.suite_id", "s.id")
    .where("r.id", "=", run_id)
    .select([
      "r.id",
      "r.sub_organization_id",
      "r.suite_id",
      "s.name as suite",
      "r.agent_name",
      "r.version_number",
      "r.is_scheduled",
      "r.status",
      "r.created_at",
      "r.created_by",
      "r.finished_at",
      "r.notice",
      "t.webhook_url",
      "t.sealed_hmac_secret",
    ])
    .executeTakeFirst();

type ToldRun = NonNullable<Awaited<ReturnType<typeof loadRun>>>;

async function messageOf(db: Db, run: ToldRun) {
  const { cases, results, cost_usd } = summarize(await countedResults(db, run.id));
  return {
    type: "tests.run.finished",
    id: messageId(run.id),
    timestamp: run.finished_at,
    data: {
      run_id: run.id,
      suite_id: run.suite_id,
      suite: run.suite,
      agent: run.agent_name,
      version: run.version_number,
      is_scheduled: run.is_scheduled,
      status: run.status,
      created_at: run.created_at,
      created_by: run.created_by,
      cases,
      results,
      cost_usd,
    },
  };
}
