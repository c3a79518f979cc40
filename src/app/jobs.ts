import { linkEntriesJob } from "../accounts/audit/link-entries.ts";
import { closeOrganizationsJob } from "../accounts/organization-deletion.ts";
import { passwordResetJob } from "../accounts/sign-in/password-reset.ts";
import { mailAlertJob } from "../analytics/alert-mail.ts";
import { checkAlertsJob } from "../analytics/check-alerts.ts";
import { cancelWaitingHandler } from "../batches/cancel-waiting.ts";
import { tidyBatchesJob } from "../batches/tidy-batches.ts";
import { noteConversationsHandler, recountGoalHandler } from "../board/conversations.ts";
import { learnHoursJob } from "../board/learn-hours.ts";
import { earlyEndJob } from "../calls/early-end.ts";
import { testLines } from "../calls/lines/test-lines.ts";
import { createCallRecordings } from "../calls/recordings/call-recording.ts";
import { recordingJob } from "../calls/recordings/fetch-recording.ts";
import { settleCallsJob } from "../calls/settle-calls.ts";
import { takeCallersJob } from "../contacts/contact-intake.ts";
import { hangUpRingingHandler } from "../dialing/hang-up-ringing.ts";
import { restNumbersJob } from "../dialing/numbers/rest-numbers.ts";
import { textJobs } from "../dialogues/text-dialogue.ts";
import { erasureJobs } from "../erasure/routes.ts";
import { testJobs } from "../evaluations/run-job.ts";
import { scheduleJob } from "../evaluations/schedule-job.ts";
import { insightJobs } from "../executions/executor.ts";
import { listEntriesJob } from "../executions/list-entries.ts";
import { experimentJobs } from "../experiments/guard-job.ts";
import { removeRecordingJobs } from "../folders/remove-recording.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import { judgeJobs } from "../judges/answer-label.ts";
import { sessionJudges } from "../judges/session-judges.ts";
import { crawlJobs } from "../knowledge/crawl/crawl-job.ts";
import { embeddingJobs } from "../knowledge/source-embedding.ts";
import { replayJobs } from "../replays/replay-job.ts";
import { takeoutJobs } from "../reports/make-takeout.ts";
import { tellSetAsideJob } from "../reports/set-aside-routes.ts";
import { searchJobs } from "../search/index-jobs.ts";
import { moveRecordingsJob } from "../sessions/bucket/move-recordings.ts";
import type { Engine } from "../sessions/engine.ts";
import { storageJob } from "../sessions/storage-job.ts";
import { endTestsHandler, sendTestHandler } from "../test-outreach/send-test.ts";
import { endToolJob } from "../turns/end-tool.ts";
import { idleSessionsJob } from "../turns/idle-sessions.ts";
import { purgeDeliveriesJob } from "../webhooks/delivery-purge.ts";
import { runNoticeJob } from "../webhooks/run-notice.ts";
import { mailDisabledJob } from "../webhooks/webhook-disabled.ts";
import { capLeasesJob } from "./cap-leases.ts";
import { type Ground, runnerOf } from "./ground.ts";
import { mailerOf, type OutreachParts } from "./outreach.ts";

/** What is worked off in the background, room by room. */
export function jobsOf(ground: Ground, engine: Engine, outreach: OutreachParts): JobHandler[] {
  const { config } = ground;
  const sendMail = mailerOf(ground);
  const runner = runnerOf(engine, ground);
  const judges = sessionJudges(ground.db, runner);
  return [
    ...outreach.mailing.jobs,
    ...textJobs({ engine, carriers: ground.carriers }),
    idleSessionsJob(engine),
    capLeasesJob(ground.db),
    settleCallsJob(outreach.voiceCalls),
    earlyEndJob(engine, outreach.voiceCalls),
    recordingJob({ engine, carriers: ground.carriers, dataDir: ground.dataDir }),
    storageJob(ground),
    moveRecordingsJob(ground),
    endToolJob(engine),
    ...testJobs({
      engine,
      catalogue: ground.catalogue,
      judges,
      openLine: ground.openTestLine ?? testLines(),
    }),
    scheduleJob({ ...ground, judges }),
    ...replayJobs({ engine, catalogue: ground.catalogue }),
    ...insightJobs({ ...ground, runner, owner: engine.owner, concurrency: config.insight_concurrency }),
    ...judgeJobs({ ...ground, runner }),
    ...experimentJobs(ground),
    listEntriesJob(ground.db),
    ...searchJobs({ ...ground, carrier_prices: config.carrier_prices }),
    ...crawlJobs({ ...ground, embeds: config.embedding_model !== null, pause_ms: config.crawl_pause_ms }),
    ...embeddingJobs({ ...ground, embedderOf: engine.embedderOf, choice: config.embedding_model }),
    ...removeRecordingJobs(ground),
    ...takeoutJobs(ground),
    tidyBatchesJob(ground),
    cancelWaitingHandler(ground),
    noteConversationsHandler(ground),
    recountGoalHandler(ground),
    restNumbersJob(ground),
    learnHoursJob(ground),
    hangUpRingingHandler({ ...ground, senders: outreach.senders }),
    sendTestHandler({ ...ground, senders: outreach.senders }),
    endTestsHandler(ground),
    checkAlertsJob(ground),
    mailAlertJob({ ...ground, sendMail }),
    purgeDeliveriesJob(ground),
    runNoticeJob(ground),
    takeCallersJob(ground),
    closeOrganizationsJob(ground),
    linkEntriesJob(ground),
    tellSetAsideJob(engine),
    ...erasureJobs({
      ...ground,
      resolveModel: engine.resolveModel,
      recordings: createCallRecordings({ engine, dataDir: ground.dataDir }),
    }),
    mailDisabledJob({ ...ground, sendMail }),
    passwordResetJob({ ...ground, sendMail }),
  ];
}
