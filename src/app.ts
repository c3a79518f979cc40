import { homePageRoutes } from "./accounts/home-page.ts";
import { closeOrganizationsJob } from "./accounts/organization-deletion.ts";
import { addAccounts } from "./accounts/routes.ts";
import { addAgents } from "./agents/routes.ts";
import { consoleRoutes } from "./api/console-files.ts";
import { healthRoutes } from "./api/health.ts";
import { createEngine } from "./app/engine.ts";
import { organizationChanges } from "./app/organizations.ts";
import { createOutreach, mailerOf } from "./app/outreach.ts";
import type { App, AppParts } from "./app/parts.ts";
import { openApi } from "./app/server.ts";
import { usedBy } from "./app/used-by.ts";
import { VERSION } from "./base/version.ts";
import { removeBatchesOf } from "./batches/batch-store.ts";
import { cancelWaitingHandler } from "./batches/cancel-waiting.ts";
import { addBatches } from "./batches/routes.ts";
import { tidyBatchesJob } from "./batches/tidy-batches.ts";
import { wakeBatchesOf } from "./batches/wake-batch.ts";
import { addBoard } from "./board/routes.ts";
import { recordingJob } from "./calls/fetch-recording.ts";
import { addCalls } from "./calls/routes.ts";
import { settleCallsJob } from "./calls/settle-calls.ts";
import { campaignRoutes } from "./campaigns/campaign.ts";
import { outreachRulesRoutes } from "./campaigns/outreach-rules.ts";
import { addCarriers } from "./carriers/routes.ts";
import { addChannels } from "./channels/routes.ts";
import { suppressionRoutes } from "./consent/suppression-routes.ts";
import { demoApiRoutes } from "./demo/demo-api.ts";
import { hangUpRingingHandler } from "./dialing/hang-up-ringing.ts";
import { stopRoutes } from "./dialing/stop-routes.ts";
import { heldMessageRoutes } from "./dialogues/held-message-routes.ts";
import { textJobs } from "./dialogues/text-dialogue.ts";
import { directoryRoutes } from "./directory/directory-member.ts";
import { addErasure, erasureJobs } from "./erasure/routes.ts";
import { addEvaluations } from "./evaluations/routes.ts";
import { testJobs } from "./evaluations/run-job.ts";
import { eventRoutes } from "./events/event.ts";
import { insightJobs } from "./executions/executor.ts";
import { addExecutions } from "./executions/routes.ts";
import { removeRecordingJobs } from "./folders/remove-recording.ts";
import { addFolders } from "./folders/routes.ts";
import { addInsights } from "./insights/routes.ts";
import { dataSourceRoutes } from "./knowledge/data-source.ts";
import { embeddingJobs } from "./knowledge/source-embedding.ts";
import { catalogueOf, operatorLlm } from "./llm/catalogue.ts";
import { NO_ENGINES } from "./media/voice-engines.ts";
import { systemLookUp } from "./mime/sender-checks.ts";
import { takeoutJobs } from "./reports/make-takeout.ts";
import { addReports } from "./reports/routes.ts";
import { tellSetAsideJob } from "./reports/set-aside-routes.ts";
import { createRecordingStore } from "./sessions/recording-store.ts";
import { addSessions } from "./sessions/routes.ts";
import { storageJob } from "./sessions/storage-job.ts";
import { simulatedContactRoutes } from "./simulator/contact-routes.ts";
import { addSpeech } from "./speech/routes.ts";
import { speechAccessOf } from "./speech/speech-access.ts";
import { addTools } from "./tools/routes.ts";
import {
  transcriptionAccessOf,
  transcriptionProviderRoutes,
} from "./transcription/transcription-provider.ts";
import { addTryout } from "./tryout/routes.ts";
import { endToolJob } from "./turns/end-tool.ts";
import { idleSessionsJob } from "./turns/idle-sessions.ts";
import { addWebChat } from "./webchat/routes.ts";
import { createDeliverer } from "./webhooks/delivery-loop.ts";
import { purgeDeliveriesJob } from "./webhooks/delivery-purge.ts";
import { mailDisabledJob } from "./webhooks/webhook-disabled.ts";
import { webhookRoutes } from "./webhooks/webhook-routes.ts";

/** The composition root: the only place that knows everything there is, room by room. */
export async function createApp(parts: AppParts): Promise<App> {
  const { db, clock, vault, config } = parts;
  const { public_url: publicUrl, data_dir: dataDir, destinations } = config;
  const api = await openApi(parts);
  const engine = createEngine(parts);
  const outreach = createOutreach(api, parts, engine);
  const { carriers, attempts, voiceCalls, mailing } = outreach;
  const sendMail = mailerOf(parts);
  const recordings = createRecordingStore(dataDir);
  const catalogue = catalogueOf(config.llm_models.map(operatorLlm));
  const speechKeys = { speech: parts.speechProviders ?? {}, llm: parts.llmProviders };
  const transcriptionKeys = { transcription: parts.transcriptionProviders ?? {}, llm: parts.llmProviders };
  const access = transcriptionAccessOf({ db, vault, environment: transcriptionKeys });
  const runner = { ...engine, catalogue, recordings, transcriptionAccess: access };
  const lookUp = parts.mailLookUp ?? systemLookUp();
  const { storage } = engine;
  const engines = parts.voiceEngines ?? null;
  const voice_missing = engines ? engines.missing : NO_ENGINES;
  const ground = {
    ...parts,
    publicUrl,
    dataDir,
    catalogue,
    storage,
    destinations,
    carriers,
    lookUp,
    voice_missing,
  };

  homePageRoutes(api);
  consoleRoutes(api, parts.consoleBuild);
  healthRoutes(api, { ...ground, version: VERSION });
  addAccounts(api, {
    ...ground,
    sendMail,
    environment: parts.llmProviders,
    anyoneCreates: config.everyone_creates_organizations,
    ...organizationChanges(clock),
  });
  addTools(api, { ...ground, ...usedBy });
  addAgents(api, { ...ground, ...usedBy });
  addSpeech(api, {
    ...ground,
    speechAccess: speechAccessOf({ db, vault, environment: speechKeys }),
    speakOffline: parts.speakOffline ?? (async () => null),
  });
  dataSourceRoutes(api, { ...ground, embeds: config.embedding_model !== null });
  directoryRoutes(api, ground);
  addChannels(api, ground);
  simulatedContactRoutes(api, { ...ground, simulator: outreach.simulator, mail: mailing.simulator });
  addCarriers(api, { ...ground, tenantsBuy: config.tenants_buy_numbers });
  suppressionRoutes(api, ground);
  eventRoutes(api, ground);
  addSessions(api, ground);
  heldMessageRoutes(api, ground);
  addTryout(api, engine);
  addEvaluations(api, engine);
  addWebChat(api, engine, engines);
  campaignRoutes(api, {
    ...ground,
    egress_allow: config.egress_allow,
    wakeBatches: wakeBatchesOf,
    removeBatches: (tx, caller, campaign_id) => removeBatchesOf(tx, clock, caller, campaign_id),
  });
  addBatches(api, ground);
  outreachRulesRoutes(api, ground);
  stopRoutes(api, ground);
  addBoard(api, { ...ground, limits: config.lines, per_person: config.lines.per_person });
  webhookRoutes(api, ground);
  addInsights(api, ground);
  addExecutions(api, { ...ground, runner });
  addFolders(api, { ...ground, recordings });
  transcriptionProviderRoutes(api, { ...ground, environment: transcriptionKeys });
  addReports(api, { ...ground, ...engine });
  addErasure(api, ground);
  demoApiRoutes(api);
  addCalls(api, { engine, carriers, calls: voiceCalls, attempts, publicUrl, record: true, engines });

  const jobs = [
    ...mailing.jobs,
    ...textJobs({ engine, carriers }),
    idleSessionsJob(engine),
    settleCallsJob(voiceCalls),
    recordingJob({ engine, carriers, dataDir }),
    storageJob(ground),
    endToolJob(engine),
    ...testJobs({ engine, catalogue }),
    ...insightJobs({ ...ground, runner, owner: engine.owner, concurrency: config.insight_concurrency }),
    ...embeddingJobs({ ...ground, embedderOf: engine.embedderOf, choice: config.embedding_model }),
    ...removeRecordingJobs({ ...ground, recordings }),
    ...takeoutJobs(ground),
    tidyBatchesJob(ground),
    cancelWaitingHandler(ground),
    hangUpRingingHandler({ ...ground, senders: outreach.senders }),
    purgeDeliveriesJob(ground),
    closeOrganizationsJob(ground),
    tellSetAsideJob(ground),
    ...erasureJobs(ground),
    mailDisabledJob({ ...ground, sendMail }),
  ];
  return { ...outreach, api, engine, jobs, deliverer: createDeliverer(ground) };
}
