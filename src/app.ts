import { apiTokenRoutes } from "./accounts/api-token.ts";
import { createAudit } from "./accounts/audit.ts";
import { auditEntryRoutes } from "./accounts/audit-entry.ts";
import { createAuthenticate } from "./accounts/authenticate.ts";
import { homePageRoutes } from "./accounts/home-page.ts";
import { llmProviderRoutes, providerSettings } from "./accounts/llm-provider.ts";
import { createModelAllowance } from "./accounts/model-allowance.ts";
import { organizationRoutes } from "./accounts/organization.ts";
import { closeOrganizationsJob } from "./accounts/organization-deletion.ts";
import { permissionRoutes } from "./accounts/permission.ts";
import { roleRoutes } from "./accounts/role.ts";
import { signInRoutes } from "./accounts/sign-in.ts";
import { sipIpRangeRoutes } from "./accounts/sip-ip-range.ts";
import { createStorage } from "./accounts/storage.ts";
import { storageRoutes } from "./accounts/storage-route.ts";
import { userRoutes } from "./accounts/user.ts";
import { createVisitorAllowance } from "./accounts/visitor-allowance.ts";
import type { SendMail } from "./accounts/welcome-mail.ts";
import { agentRoutes } from "./agents/agent.ts";
import { bridgePhrasesRoutes } from "./agents/bridge-phrases.ts";
import { conversationBridgesRoutes } from "./agents/conversation-bridges.ts";
import { customMessageRoutes } from "./agents/custom-message.ts";
import { incidentRoutes } from "./agents/incident.ts";
import { languageGroupRoutes } from "./agents/language-group.ts";
import { messageCalendarRoutes } from "./agents/message-calendar.ts";
import { promptRoutes } from "./agents/prompt.ts";
import { consoleRoutes } from "./api/console-files.ts";
import { healthRoutes } from "./api/health.ts";
import { type Api, createServer } from "./api/server.ts";
import type { Clock } from "./base/clock.ts";
import type { Vault } from "./base/crypto.ts";
import { createFairGate } from "./base/fair-gate.ts";
import { randomId } from "./base/ids.ts";
import type { Log } from "./base/log.ts";
import { VERSION } from "./base/version.ts";
import { batchRoutes } from "./batches/batch.ts";
import { batchRequestRoutes } from "./batches/batch-requests.ts";
import { removeBatchesOf } from "./batches/batch-store.ts";
import { cancelBatches } from "./batches/cancel-batches.ts";
import { cancelWaitingHandler } from "./batches/cancel-waiting.ts";
import { targetFilterCountRoutes } from "./batches/target-filter-count.ts";
import { tidyBatchesJob } from "./batches/tidy-batches.ts";
import { campaignBoardRoutes } from "./board/campaign-board.ts";
import { campaignForecastRoutes } from "./board/campaign-forecast.ts";
import { requestTraceRoutes } from "./board/request-trace.ts";
import { recordingJob } from "./calls/fetch-recording.ts";
import { settleCallsJob } from "./calls/settle-calls.ts";
import { createVoiceCalls, type RunningCalls } from "./calls/telephone.ts";
import { twilioCallbackRoutes } from "./calls/twilio-callbacks.ts";
import { campaignRoutes } from "./campaigns/campaign.ts";
import { createCarriers, type TwilioAccount } from "./carriers/carriers.ts";
import { mailDomainRoutes } from "./carriers/mail-domain.ts";
import { platformMail } from "./carriers/smtp/smtp-platform-mail.ts";
import { twilioChannelRoutes } from "./carriers/twilio/twilio-channel.ts";
import { twilioNumberRoutes } from "./carriers/twilio/twilio-number.ts";
import { voiceSender } from "./carriers/voice-sender.ts";
import type { Carriers } from "./channels/carrier.ts";
import { channelRoutes } from "./channels/channel.ts";
import { channelCarrierRoutes } from "./channels/channel-carrier.ts";
import { channelTargetRoutes } from "./channels/channel-target.ts";
import { identityKeyRoutes } from "./channels/identity-key.ts";
import { smtpServerOf } from "./channels/mail-credentials.ts";
import { numberOwnerRoutes } from "./channels/number-owner.ts";
import type { Attempts, Senders } from "./channels/outreach.ts";
import { releaseTargets } from "./channels/release-targets.ts";
import type { Config } from "./config.ts";
import { suppressionRoutes } from "./consent/suppression-routes.ts";
import type { Db } from "./db/database.ts";
import type { Notices } from "./db/notices.ts";
import { demoApiRoutes } from "./demo/demo-api.ts";
import { createAttempts } from "./dialing/attempts.ts";
import { createDialer, type Dialer } from "./dialing/dialer.ts";
import { createSettleQueue } from "./dialing/settle-queue.ts";
import { sidsOfOthers } from "./dialing/sids-of-others.ts";
import { createMail, type Mail } from "./dialogues/mail.ts";
import { textJobs } from "./dialogues/text-dialogue.ts";
import { textSender } from "./dialogues/text-sender.ts";
import { directoryRoutes } from "./directory/directory-member.ts";
import type { Egress } from "./egress/egress.ts";
import { eventRoutes } from "./events/event.ts";
import { insightWorkRoutes } from "./executions/execution-routes.ts";
import { insightJobs } from "./executions/executor.ts";
import { queueEndedSession } from "./executions/trigger.ts";
import { folderRoutes } from "./folders/folder.ts";
import { folderFileRoutes } from "./folders/folder-file.ts";
import { removeRecordingJobs } from "./folders/remove-recording.ts";
import { ensureDefaultInsights } from "./insights/default-insights.ts";
import { insightRoutes } from "./insights/routes.ts";
import type { ToolRunner } from "./insights/tool-run.ts";
import type { JobHandler } from "./jobs/define-job.ts";
import { dataSourceRoutes } from "./knowledge/data-source.ts";
import { embedderOf, embeddingJobs } from "./knowledge/source-embedding.ts";
import { catalogueOf, operatorLlm, type Provider } from "./llm/catalogue.ts";
import { guardedStream } from "./llm/guarded-fetch.ts";
import { modelFor } from "./llm/model-for.ts";
import type { ProviderSettings, Transport } from "./llm/providers.ts";
import { type LookUp, systemLookUp } from "./mime/sender-checks.ts";
import { dashboardRoutes } from "./reports/dashboard.ts";
import { dashboardPageRoutes } from "./reports/dashboard-page.ts";
import { takeoutJobs } from "./reports/make-takeout.ts";
import { queueRoutes } from "./reports/queues.ts";
import { setAsideRoutes, tellSetAsideJob } from "./reports/set-aside-routes.ts";
import { takeoutRoutes } from "./reports/takeout.ts";
import { conversationRoutes } from "./sessions/conversation.ts";
import { sessionDebugRoutes } from "./sessions/debug.ts";
import type { Engine } from "./sessions/engine.ts";
import { fullSummaryRoutes } from "./sessions/full-summary.ts";
import { recordingRoutes } from "./sessions/recording.ts";
import { createRecordingStore } from "./sessions/recording-store.ts";
import { sessionRoutes } from "./sessions/session.ts";
import { createSessionEnds } from "./sessions/session-ends.ts";
import { sessionLabelRoutes } from "./sessions/session-label.ts";
import { sessionTraceRoutes } from "./sessions/session-trace.ts";
import { storageJob } from "./sessions/storage-job.ts";
import { timelineRoutes } from "./sessions/timeline.ts";
import { transcriptRoutes } from "./sessions/transcript.ts";
import type { Scenario } from "./simulator/people.ts";
import { platformSimulator, type Simulator } from "./simulator/platform-simulator.ts";
import { pronunciationRoutes } from "./speech/pronunciation.ts";
import { type SpeechSettings, speechAccessOf } from "./speech/speech-access.ts";
import { type SpeechDeps, voiceSampleRoutes } from "./speech/voice-sample.ts";
import { voiceRoutes } from "./speech/voices.ts";
import { waitSoundRoutes } from "./speech/wait-sound.ts";
import { serviceRoutes } from "./tools/service.ts";
import { createServiceAuthenticator } from "./tools/service-auth.ts";
import { ensureSystemTools } from "./tools/system-tools.ts";
import { toolRoutes } from "./tools/tool.ts";
import {
  type TranscriptionSettings,
  transcriptionAccess,
  transcriptionProviderRoutes,
} from "./transcription/transcription-provider.ts";
import { playTaskRoutes } from "./tryout/play-task.ts";
import { testAgentRoutes } from "./tryout/test-agent.ts";
import { tryToolRoutes } from "./tryout/try-tool.ts";
import { endToolJob } from "./turns/end-tool.ts";
import { idleSessionsJob } from "./turns/idle-sessions.ts";
import { chatPageRoutes } from "./webchat/chat-page.ts";
import { webChatRoutes } from "./webchat/web-chat.ts";
import { createDeliverer, type Deliverer } from "./webhooks/delivery-loop.ts";
import { purgeDeliveriesJob } from "./webhooks/delivery-purge.ts";
import { mailDisabledJob } from "./webhooks/webhook-disabled.ts";
import { webhookRoutes } from "./webhooks/webhook-routes.ts";

export type Parts = {
  db: Db;
  /** What other processes tell of this database. */
  notices: Notices;
  clock: Clock;
  log: Log;
  vault: Vault;
  egress: Egress;
  config: Config;
  /** Keys from the environment, by provider. */
  llmProviders: ProviderSettings;
  /** Keys from the environment for services that transcribe, by provider. */
  transcriptionProviders?: TranscriptionSettings;
  /** Keys and addresses from the environment for services that speak, by provider. */
  speechProviders?: SpeechSettings;
  /** Speaks where no provider does (`speech-offline.ts`); left out: nothing does. */
  speakOffline?: SpeechDeps["speakOffline"];
  /** The installation's mail server and the sender of its own mails, from the environment. */
  mailServer?: { smtp_url: string; from: string } | null;
  /** The certificate of the built-in SMTP server, read. */
  mailTls?: { key: string; cert: string } | null;
  /** Who may send mails for whom; left out: by the machine's own name servers. */
  mailLookUp?: LookUp;
  /** Sends plain mail; left out: by the mail server, or where there is none, not at all. */
  sendMail?: SendMail;
  /** The operator's own account with a carrier, from the environment. */
  twilio?: TwilioAccount | null;
  /** The carriers this installation can talk with; left out: those of its settings, or the simulator. */
  carriers?: Carriers;
  /** How the simulated carrier's people behave, and how fast; only tests leave the program's own. */
  simulation?: { scenario: Scenario; speed: number | "moved" };
  /** How people are reached by each mode; left out: by their carriers. */
  senders?: Senders;
  /** The folder of the bundled console, which may take a moment; left out where nobody looks at one. */
  consoleBuild?: Promise<string>;
};

export type App = {
  api: Api;
  engine: Engine;
  jobs: JobHandler[];
  deliverer: Deliverer;
  attempts: Attempts;
  voiceCalls: RunningCalls;
  dialer: Dialer;
  /** The carrier that reaches nobody, where there is no other. */
  simulator: Simulator | null;
  mailing: Mail;
};

/** The composition root: the only place that knows everything there is. */
export async function createApp(parts: Parts): Promise<App> {
  const { db, clock, log, vault, config, mailServer = null, twilio: operator = null } = parts;
  const smtp = mailServer && smtpServerOf(mailServer.smtp_url);
  const sendMail = parts.sendMail ?? (mailServer && smtp ? platformMail(smtp, mailServer.from) : null);
  const { public_url: publicUrl, data_dir: dataDir } = config;
  const api = await createServer({
    log,
    authenticate: createAuthenticate({ db, clock, vault, apiKeyHeaders: config.api_key_headers }),
    audit: createAudit(clock),
    apiKeyHeaders: config.api_key_headers,
    trustProxy: config.trust_proxy,
    internalPages: config.internal_pages,
    callLimits: config.call_limits,
    socketsPerAddress: config.sockets_per_address,
    version: VERSION,
  });
  const carriers =
    parts.carriers ??
    createCarriers({
      db,
      vault,
      egress: parts.egress,
      publicUrl,
      operator,
      baseUrl: config.twilio_base_url,
      mail: (channel_id) => mailing.carriers.of(channel_id),
    });
  const simulator = parts.carriers || operator ? null : platformSimulator(api, parts);
  const engine = createEngine(parts);
  const catalogue = catalogueOf(config.llm_models.map(operatorLlm));
  const settleQueue = createSettleQueue({ db, clock });
  const attempts = createAttempts({ db, queue: settleQueue });
  const voiceCalls = createVoiceCalls({ engine, vault, carriers, attempts, publicUrl });
  const mailing = createMail(api, {
    engine,
    attempts,
    vault,
    publicUrl,
    dataDir,
    egress: parts.egress,
    allow: config.egress_allow,
    settings: {
      server: smtp,
      listener:
        config.mail_port === null
          ? null
          : { host: config.host, port: config.mail_port, tls: parts.mailTls ?? null },
      lookUp: config.mail_checks_senders ? (parts.mailLookUp ?? systemLookUp()) : null,
      simulator_speed: parts.simulation?.speed ?? 1,
    },
  });
  const keys = { transcription: parts.transcriptionProviders ?? {}, llm: parts.llmProviders };
  const toolRunner: ToolRunner = {
    ...engine,
    catalogue,
    recordings: createRecordingStore(dataDir),
    transcriptionAccess: (sub_organization_id, provider) =>
      transcriptionAccess({ db, vault, environment: keys }, sub_organization_id, provider),
  };

  homePageRoutes(api);
  consoleRoutes(api, parts.consoleBuild);
  healthRoutes(api, { db, version: VERSION, dataDir });
  permissionRoutes(api);
  roleRoutes(api, parts);
  apiTokenRoutes(api, parts);
  signInRoutes(api, { db, clock, vault, publicUrl });
  userRoutes(api, { db, clock, log, publicUrl, sendMail });
  organizationRoutes(api, {
    db,
    clock,
    publicUrl,
    anyoneCreates: config.everyone_creates_organizations,
    async onCreate(tx, administrator) {
      await ensureSystemTools(tx, administrator, clock.now());
      await ensureDefaultInsights(tx, administrator, clock.now());
    },
    async onDelete(tx, { organization_id }) {
      await releaseTargets(tx, organization_id);
      await cancelBatches(tx, clock, organization_id);
    },
  });
  storageRoutes(api, { db, storage: engine.storage });
  sipIpRangeRoutes(api, parts);
  auditEntryRoutes(api, parts);
  llmProviderRoutes(api, { db, clock, vault, egress: parts.egress, environment: parts.llmProviders });

  serviceRoutes(api, parts);
  toolRoutes(api, parts);
  promptRoutes(api, { db, clock, catalogue });
  customMessageRoutes(api, parts);
  messageCalendarRoutes(api);
  languageGroupRoutes(api, parts);
  voiceRoutes(api);
  const speechEnvironment = { speech: parts.speechProviders ?? {}, llm: parts.llmProviders };
  const speechAccess = speechAccessOf({ db, vault, environment: speechEnvironment });
  const speakOffline = parts.speakOffline ?? (async () => null);
  voiceSampleRoutes(api, { db, egress: parts.egress, speechAccess, speakOffline });
  bridgePhrasesRoutes(api, parts);
  conversationBridgesRoutes(api, parts);
  dataSourceRoutes(api, { db, clock, storage: engine.storage, embeds: config.embedding_model !== null });
  pronunciationRoutes(api, parts);
  directoryRoutes(api, parts);
  incidentRoutes(api, parts);
  agentRoutes(api, { db, clock, catalogue });

  channelRoutes(api, parts);
  mailDomainRoutes(api, { db, clock, lookUp: parts.mailLookUp ?? systemLookUp() });
  channelCarrierRoutes(api, { db, carriers });
  twilioChannelRoutes(api, parts);
  twilioNumberRoutes(api, { db, clock, carriers, tenantsBuy: config.tenants_buy_numbers });
  identityKeyRoutes(api, { db, clock, vault });
  channelTargetRoutes(api, { db, clock, catalogue, destinations: config.destinations, carriers });
  numberOwnerRoutes(api, { db, clock });
  suppressionRoutes(api, parts);
  eventRoutes(api, parts);

  sessionRoutes(api, parts);
  recordingRoutes(api, { db, clock, vault, publicUrl, dataDir });
  fullSummaryRoutes(api, parts);
  sessionLabelRoutes(api, parts);
  conversationRoutes(api, parts);
  transcriptRoutes(api, parts);
  timelineRoutes(api, parts);
  sessionTraceRoutes(api, parts);
  sessionDebugRoutes(api, parts);
  testAgentRoutes(api, engine);
  tryToolRoutes(api, engine);
  playTaskRoutes(api, { db, clock });
  webChatRoutes(api, engine);
  chatPageRoutes(api, parts);
  waitSoundRoutes(api);

  campaignRoutes(api, {
    ...parts,
    egress_allow: config.egress_allow,
    removeBatches: (tx, caller, campaign_id) => removeBatchesOf(tx, clock, caller, campaign_id),
  });
  batchRoutes(api, parts);
  batchRequestRoutes(api, parts);
  requestTraceRoutes(api, { db, clock, limits: config.lines, destinations: config.destinations });
  campaignForecastRoutes(api, {
    db,
    clock,
    destinations: config.destinations,
    per_person: config.lines.per_person,
  });
  campaignBoardRoutes(api, { db, clock, limits: config.lines });
  targetFilterCountRoutes(api, parts);
  webhookRoutes(api, { db, clock, vault, publicUrl });
  const recordings = createRecordingStore(dataDir);
  insightRoutes(api, { db, clock, catalogue });
  insightWorkRoutes(api, { db, clock, catalogue, runner: toolRunner });
  folderRoutes(api, { db, clock });
  transcriptionProviderRoutes(api, { db, clock, vault, environment: keys });
  folderFileRoutes(api, { db, clock, recordings, storage: engine.storage });

  takeoutRoutes(api, { db, clock, dataDir, storage: engine.storage });
  queueRoutes(api, { db });
  setAsideRoutes(api, engine);
  dashboardRoutes(api, { db, clock, vault, publicUrl });
  dashboardPageRoutes(api, parts);

  demoApiRoutes(api);
  const texts = { engine, carriers };
  const senders: Senders = parts.senders ?? {
    voice: voiceSender({ db, carriers, sidsOfOthers: (...asked) => sidsOfOthers(db, ...asked) }),
    sms: textSender(texts, attempts, "sms"),
    whatsapp: textSender(texts, attempts, "whatsapp"),
    email: mailing.sender,
  };
  twilioCallbackRoutes(api, { ...texts, calls: voiceCalls, attempts, publicUrl, record: true });
  return {
    api,
    engine,
    simulator,
    mailing,
    jobs: [
      ...mailing.jobs,
      ...textJobs(texts),
      idleSessionsJob(engine),
      settleCallsJob(voiceCalls),
      recordingJob({ engine, carriers, dataDir }),
      storageJob({ db, dataDir }),
      endToolJob(engine),
      ...insightJobs({
        db,
        clock,
        log,
        runner: toolRunner,
        owner: engine.owner,
        concurrency: config.insight_concurrency,
      }),
      ...embeddingJobs({ db, embedderOf: engine.embedderOf, choice: config.embedding_model }),
      ...removeRecordingJobs({ db, recordings: createRecordingStore(dataDir) }),
      ...takeoutJobs({ db, clock, log, dataDir }),
      tidyBatchesJob(parts),
      cancelWaitingHandler(parts),
      purgeDeliveriesJob(parts),
      closeOrganizationsJob(parts),
      tellSetAsideJob({ db, clock }),
      mailDisabledJob({ db, log, publicUrl, sendMail }),
    ],
    deliverer: createDeliverer(parts),
    attempts,
    voiceCalls,
    dialer: createDialer({
      db,
      clock,
      log,
      owner: engine.owner,
      senders,
      carriers,
      limits: config.lines,
      destinations: config.destinations,
      queue: settleQueue,
    }),
  };
}

function createEngine(parts: Parts): Engine {
  const { db, clock, log, vault, egress, llmProviders: environment } = parts;
  const guarded = guardedStream(parts.config.egress_allow);
  const { llm_first_token_s, llm_token_s, llm_fallback } = parts.config;
  const policy = {
    first_token_ms: llm_first_token_s * 1000,
    between_tokens_ms: llm_token_s * 1000,
    fallback: llm_fallback,
  };
  const allow = createModelAllowance({ db, clock, log, limits: parts.config.model_limits });
  return {
    db,
    clock,
    log,
    egress,
    vault,
    ends: createSessionEnds(parts),
    auth: createServiceAuthenticator({ db, vault, egress, clock }),
    destinations: parts.config.destinations,
    visitors: createVisitorAllowance({ db, clock, per_minute: parts.config.visitors_per_minute }),
    storage: createStorage(parts.config.storage_gb),
    chatTurns: createFairGate(parts.config.chat_concurrency),
    resolveModel: async (sub_organization_id, llm) => {
      const settings = await providerSettings({ db, vault, environment }, sub_organization_id);
      const transportOf = (provider: Provider): Transport => {
        const access = settings[provider];
        // The installation's own address may be private; one that an organization names goes through the guard.
        const isGuarded = access?.base_url !== undefined && access !== environment[provider];
        return isGuarded ? { fetch: guarded } : {};
      };
      return allow(modelFor(llm, settings, clock, { policy, transportOf }), sub_organization_id);
    },
    embedderOf: embedderOf({ db, clock, vault, egress, environment, choice: parts.config.embedding_model }),
    owner: randomId(),
    held: new Set(),
    onEnd: (tx, session) => queueEndedSession(tx, session, clock.now()),
  };
}
