import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { purposeOf } from "../campaigns/reach-rules.ts";
import { CarrierFault } from "../channels/carrier.ts";
import type { MayGo, Outreach, Senders } from "../channels/outreach.ts";
import { reachIssueText, readReachIssues } from "../consent/reach-check.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import {
  beginTest,
  endAbandonedTests,
  isUnderWay,
  testFailed,
  testSent,
  testUnknown,
} from "./test-outreach.ts";

export const sendTestJob: Job<{ key: string }> = {
  name: "send-test-outreach",
  payload: z.object({ key: z.string() }),
  max_attempts: 5,
};

const NOT_TAKEN = "The test did not reach the carrier. Start another one.";

/**
 * Hands a test to its carrier, in its first run only. A run that comes after it may come after one that died over the
 * answer, so it asks the carrier and sends nothing: nobody is contacted twice. Carriers show what they took within seconds
 * (`SHOWN_AFTER_ms`), and the last run comes more than a minute after the first.
 */
export const sendTestHandler = ({ db, senders }: { db: Db; senders: Senders }): JobHandler =>
  handle(sendTestJob, async ({ key }, { job }) => {
    const test = await beginTest(db, key);
    if (test === null) return;
    const { outreach, was_begun, started_at } = test;
    const sender = senders[outreach.mode];
    const isLast = job.attempts >= sendTestJob.max_attempts;
    try {
      const sent = was_begun
        ? await sender.find(outreach, new Date(started_at))
        : await sender.send(outreach, stillMay(db, outreach));
      if (sent) return void (await testSent(db, key, sent));
      if (!isLast) throw new CarrierFault("not shown by the carrier yet", "unknown");
      await testFailed(db, key, { status: "FAILED", problem: NOT_TAKEN });
    } catch (error) {
      const isUnknown = !(error instanceof CarrierFault) || error.fate === "unknown";
      // The next run of this job asks the carrier; after the last one nobody asks again.
      if (isUnknown && !isLast) throw error;
      if (isUnknown) await testUnknown(db, key);
      else await testFailed(db, key, { status: error.status ?? "FAILED", problem: error.message });
    }
  });

const endTestsJob: Job<object> = {
  name: "end-test-outreach",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "*/10 * * * *",
};
/** All runs of a test's job, with the waits between them, take a few minutes. */
const ABANDONED_AFTER_ms = 30 * 60_000;

/** Ends tests whose process died in the last run, so that none is under way for ever. */
export const endTestsHandler = ({ db, clock }: { db: Db; clock: Clock }): JobHandler =>
  handle(endTestsJob, async () => {
    await endAbandonedTests(db, new Date(clock.now().getTime() - ABANDONED_AFTER_ms));
  });

/**
 * Asked at the last moment: outreach may have been stopped, and the person put on a list, since it was asked for; and a
 * process that was held up finds that the test was given up meanwhile.
 */
const stillMay =
  (db: Db, outreach: Outreach): MayGo =>
  async () => {
    if (!(await isUnderWay(db, outreach.key))) return false;
    const why = await refusalOfTest(db, outreach);
    if (why !== null) throw new CarrierFault(why, "refused", { status: "CANCELED" });
    return true;
  };

/** Why nobody may be contacted at this address now, in the words of the campaign's own rules; null: they may. */
export async function refusalOfTest(db: Db, outreach: Outreach): Promise<string | null> {
  const { rows } = await sql<{ is_stopped: boolean; rules: Parameters<typeof purposeOf>[0] }>`
    select g.outreach_stopped_at is not null as is_stopped, c.reach_rules as rules
    from campaigns c join sub_organizations o on o.id = c.sub_organization_id join organizations g on g.id = o.organization_id
    where c.id = ${outreach.campaign_id} and c.deleted_at is null`.execute(db);
  const [found] = rows;
  if (!found) return "The campaign was deleted.";
  if (found.is_stopped) return "All outreach of the organization is stopped. Resume it first.";
  const { sub_organization_id, mode, target: address } = outreach;
  const [issue] = await readReachIssues(db, [
    { sub_organization_id, mode, purpose: purposeOf(found.rules), address },
  ]);
  return issue ? reachIssueText(address, issue).replace(/^Skipped/, "Not contacted") : null;
}
