import { apiTokenRoutes } from "./accounts/api-token.ts";
import { createAudit } from "./accounts/audit.ts";
import { auditEntryRoutes } from "./accounts/audit-entry.ts";
import { createAuthenticate } from "./accounts/authenticate.ts";
import { homePageRoutes } from "./accounts/home-page.ts";
import { llmProviderRoutes, providerSettings } from "./accounts/llm-provider.ts";
import { organizationRoutes } from "./accounts/organization.ts";
import { permissionRoutes } from "./accounts/permission.ts";
import { roleRoutes } from "./accounts/role.ts";
import { signInRoutes } from "./accounts/sign-in.ts";
import { sipIpRangeRoutes } from "./accounts/sip-ip-range.ts";
import { userRoutes } from "./accounts/user.ts";
import type { SendMail } from "./accounts/welcome-mail.ts";
import { agentRoutes } from "./agents/agent.ts";
import { bridgePhrasesRoutes } from "./agents/bridge-phrases.ts";
import { conversationBridgesRoutes } from "./agents/conversation-bridges.ts";
import { customMessageRoutes } from "./agents/custom-message.ts";
import { dataSourceRoutes } from "./agents/data-source.ts";
import { directoryRoutes } from "./agents/directory-member.ts";
import { incidentRoutes } from "./agents/incident.ts";
import { languageGroupRoutes } from "./agents/language-group.ts";
import { promptRoutes } from "./agents/prompt.ts";
import { pronunciationRoutes } from "./agents/pronunciation.ts";
import { serviceRoutes } from "./agents/service.ts";
import { ensureSystemTools } from "./agents/system-tools.ts";
import { toolRoutes } from "./agents/tool.ts";
import { voiceSampleRoutes } from "./agents/voice-sample.ts";
import { voiceRoutes } from "./agents/voices.ts";
import { healthRoutes } from "./api/health.ts";
import { type Api, createServer } from "./api/server.ts";
import type { Clock } from "./base/clock.ts";
import type { Vault } from "./base/crypto.ts";
import type { Egress } from "./base/egress.ts";
import { randomId } from "./base/ids.ts";
import type { Log } from "./base/log.ts";
import { VERSION } from "./base/version.ts";
import type { Carriers } from "./channels/adapter.ts";
import { channelRoutes } from "./channels/channel.ts";
import { channelTargetRoutes } from "./channels/channel-target.ts";
import { releaseTargets } from "./channels/release-targets.ts";
import { twilioChannelRoutes } from "./channels/twilio-channel.ts";
import { twilioNumberRoutes } from "./channels/twilio-number.ts";
import type { Config } from "./config.ts";
import type { Db } from "./db/database.ts";
import { demoApiRoutes } from "./demo/demo-api.ts";
import { eventRoutes } from "./events/event.ts";
import { insightRoutes } from "./insights/routes.ts";
import type { JobHandler } from "./jobs/define-job.ts";
import { catalogueOf, operatorLlm } from "./llm/catalogue.ts";
import { modelFor } from "./llm/model-for.ts";
import type { ProviderSettings } from "./llm/providers.ts";
import { batchRoutes } from "./outbound/batch.ts";
import { batchRequestRoutes } from "./outbound/batch-requests.ts";
import { campaignRoutes } from "./outbound/campaign.ts";
import { cancelBatches } from "./outbound/cancel-batches.ts";
import { tidyBatchesJob } from "./outbound/tidy-batches.ts";
import { dashboardRoutes } from "./reports/dashboard.ts";
import { dashboardPageRoutes } from "./reports/dashboard-page.ts";
import { takeoutJobs } from "./reports/make-takeout.ts";
import { takeoutRoutes } from "./reports/takeout.ts";
import { chatPageRoutes } from "./sessions/chat-page.ts";
import { conversationRoutes } from "./sessions/conversation.ts";
import { sessionDebugRoutes } from "./sessions/debug.ts";
import type { Engine } from "./sessions/engine.ts";
import { fullSummaryRoutes } from "./sessions/full-summary.ts";
import { idleSessionsJob } from "./sessions/idle-sessions.ts";
import { recordingRoutes } from "./sessions/recording.ts";
import { createServiceAuthenticator } from "./sessions/service-auth.ts";
import { sessionRoutes } from "./sessions/session.ts";
import { sessionLabelRoutes } from "./sessions/session-label.ts";
import { testAgentRoutes } from "./sessions/test-agent.ts";
import { timelineRoutes } from "./sessions/timeline.ts";
import { transcriptRoutes } from "./sessions/transcript.ts";
import { webChatRoutes } from "./sessions/web-chat.ts";

export type Parts = {
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
  egress: Egress;
  config: Config;
  /** Keys from the environment, by provider. */
  llmProviders: ProviderSettings;
  /** Sends plain mail; left out where no way to is configured. */
  sendMail?: SendMail;
  /** The carriers this installation can talk with. */
  carriers?: Carriers;
};

export type App = { api: Api; engine: Engine; jobs: JobHandler[] };

/** The composition root: the only place that knows everything there is. */
export async function createApp(parts: Parts): Promise<App> {
  const { db, clock, log, vault, config, sendMail = null, carriers = {} } = parts;
  const { public_url: publicUrl, data_dir: dataDir } = config;
  const api = await createServer({
    log,
    authenticate: createAuthenticate({ db, clock, vault, apiKeyHeaders: config.api_key_headers }),
    audit: createAudit(clock),
    apiKeyHeaders: config.api_key_headers,
    trustProxy: config.trust_proxy,
    version: VERSION,
  });
  const engine = createEngine(parts);
  const catalogue = catalogueOf(config.llm_models.map(operatorLlm));

  homePageRoutes(api);
  healthRoutes(api, { db, version: VERSION });
  permissionRoutes(api);
  roleRoutes(api, parts);
  apiTokenRoutes(api, parts);
  signInRoutes(api, { db, clock, publicUrl });
  userRoutes(api, { db, clock, log, publicUrl, sendMail });
  organizationRoutes(api, {
    db,
    clock,
    publicUrl,
    onCreate: (tx, administrator) => ensureSystemTools(tx, administrator, clock.now()),
    async onDelete(tx, { organization_id }) {
      await releaseTargets(tx, organization_id);
      await cancelBatches(tx, clock, organization_id);
    },
  });
  sipIpRangeRoutes(api, parts);
  auditEntryRoutes(api, parts);
  llmProviderRoutes(api, { db, clock, vault, environment: parts.llmProviders });

  serviceRoutes(api, parts);
  toolRoutes(api, parts);
  promptRoutes(api, { db, clock, catalogue });
  customMessageRoutes(api, parts);
  languageGroupRoutes(api, parts);
  voiceRoutes(api);
  voiceSampleRoutes(api);
  bridgePhrasesRoutes(api, parts);
  conversationBridgesRoutes(api, parts);
  dataSourceRoutes(api, parts);
  pronunciationRoutes(api, parts);
  directoryRoutes(api, parts);
  incidentRoutes(api, parts);
  agentRoutes(api, { db, clock, catalogue });

  channelRoutes(api, parts);
  twilioChannelRoutes(api, parts);
  twilioNumberRoutes(api, { db, clock, vault, carriers });
  channelTargetRoutes(api, { db, clock, catalogue });
  eventRoutes(api, parts);

  sessionRoutes(api, parts);
  recordingRoutes(api, { db, clock, vault, publicUrl, dataDir });
  fullSummaryRoutes(api, parts);
  sessionLabelRoutes(api, parts);
  conversationRoutes(api, parts);
  transcriptRoutes(api, parts);
  timelineRoutes(api, parts);
  sessionDebugRoutes(api, parts);
  testAgentRoutes(api, engine);
  webChatRoutes(api, engine);
  chatPageRoutes(api, parts);

  campaignRoutes(api, parts);
  batchRoutes(api, parts);
  batchRequestRoutes(api, parts);
  insightRoutes(api, { db, clock, catalogue, runner: engine, data_dir: config.data_dir });

  takeoutRoutes(api, { db, clock, dataDir });
  dashboardRoutes(api, { db, clock, vault, publicUrl });
  dashboardPageRoutes(api, parts);

  demoApiRoutes(api);
  return {
    api,
    engine,
    jobs: [idleSessionsJob(engine), ...takeoutJobs({ db, clock, dataDir }), tidyBatchesJob(parts)],
  };
}

function createEngine(parts: Parts): Engine {
  const { db, clock, log, vault, egress, llmProviders: environment } = parts;
  return {
    db,
    clock,
    log,
    egress,
    auth: createServiceAuthenticator({ db, vault, egress, clock }),
    resolveModel: async (sub_organization_id, llm) =>
      modelFor(llm, await providerSettings({ db, vault, environment }, sub_organization_id), clock.now()),
    owner: randomId(),
    held: new Set(),
  };
}
