import { linkEntriesJob } from "../accounts/audit/link-entries.ts";
import { closeOrganizationsJob } from "../accounts/organization-deletion.ts";
import { cancelWaitingHandler } from "../batches/cancel-waiting.ts";
import { tidyBatchesJob } from "../batches/tidy-batches.ts";
import { recordingJob } from "../calls/fetch-recording.ts";
import { settleCallsJob } from "../calls/settle-calls.ts";
import { hangUpRingingHandler } from "../dialing/hang-up-ringing.ts";
import { textJobs } from "../dialogues/text-dialogue.ts";
import { erasureJobs } from "../erasure/routes.ts";
import { testJobs } from "../evaluations/run-job.ts";
import { insightJobs } from "../executions/executor.ts";
import { experimentJobs } from "../experiments/guard-job.ts";
import { removeRecordingJobs } from "../folders/remove-recording.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import { embeddingJobs } from "../knowledge/source-embedding.ts";
import { replayJobs } from "../replays/replay-job.ts";
import { takeoutJobs } from "../reports/make-takeout.ts";
import { tellSetAsideJob } from "../reports/set-aside-routes.ts";
import type { Engine } from "../sessions/engine.ts";
import { storageJob } from "../sessions/storage-job.ts";
import { endToolJob } from "../turns/end-tool.ts";
import { idleSessionsJob } from "../turns/idle-sessions.ts";
import { purgeDeliveriesJob } from "../webhooks/delivery-purge.ts";
import { mailDisabledJob } from "../webhooks/webhook-disabled.ts";
import { type Ground, runnerOf } from "./ground.ts";
import { mailerOf, type OutreachParts } from "./outreach.ts";

/** What is worked off in the background, room by room. */
export function jobsOf(ground: Ground, engine: Engine, outreach: OutreachParts): JobHandler[] {
  const { config } = ground;
  const sendMail = mailerOf(ground);
  const runner = runnerOf(engine, ground);
  return [
    ...outreach.mailing.jobs,
    ...textJobs({ engine, carriers: ground.carriers }),
    idleSessionsJob(engine),
    settleCallsJob(outreach.voiceCalls),
    recordingJob({ engine, carriers: ground.carriers, dataDir: ground.dataDir }),
    storageJob(ground),
    endToolJob(engine),
    ...testJobs({ engine, catalogue: ground.catalogue }),
    ...replayJobs({ engine, catalogue: ground.catalogue }),
    ...insightJobs({ ...ground, runner, owner: engine.owner, concurrency: config.insight_concurrency }),
    ...experimentJobs(ground),
    ...embeddingJobs({ ...ground, embedderOf: engine.embedderOf, choice: config.embedding_model }),
    ...removeRecordingJobs(ground),
    ...takeoutJobs(ground),
    tidyBatchesJob(ground),
    cancelWaitingHandler(ground),
    hangUpRingingHandler({ ...ground, senders: outreach.senders }),
    purgeDeliveriesJob(ground),
    closeOrganizationsJob(ground),
    linkEntriesJob(ground),
    tellSetAsideJob(ground),
    ...erasureJobs(ground),
    mailDisabledJob({ ...ground, sendMail }),
  ];
}
