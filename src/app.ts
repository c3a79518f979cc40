import { homePageRoutes } from "./accounts/home-page.ts";
import { addAccounts } from "./accounts/routes.ts";
import { addAgentFiles } from "./agent-files/routes.ts";
import { addAgents } from "./agents/routes.ts";
import { addAnalytics } from "./analytics/routes.ts";
import { consoleRoutes } from "./api/console-files.ts";
import { healthRoutes } from "./api/health.ts";
import { createEngine } from "./app/engine.ts";
import { groundOf, runnerOf } from "./app/ground.ts";
import { jobsOf } from "./app/jobs.ts";
import { organizationChanges } from "./app/organizations.ts";
import { createOutreach, mailerOf } from "./app/outreach.ts";
import type { App, AppParts } from "./app/parts.ts";
import { openApi } from "./app/server.ts";
import { voiceParts } from "./app/voice.ts";
import { VERSION } from "./base/version.ts";
import { removeBatchesOf } from "./batches/batch-store.ts";
import { addBatches } from "./batches/routes.ts";
import { campaignWakes } from "./batches/wake-batch.ts";
import { addBoard } from "./board/routes.ts";
import { addCalls } from "./calls/routes.ts";
import { addCampaigns } from "./campaigns/routes.ts";
import { addCarriers } from "./carriers/routes.ts";
import { addChannels } from "./channels/routes.ts";
import { addConsent } from "./consent/routes.ts";
import { addContacts } from "./contacts/routes.ts";
import { addDebugger } from "./debugger/routes.ts";
import { demoApiRoutes } from "./demo/demo-api.ts";
import { agentTemplates } from "./demo/templates.ts";
import { heldMessageRoutes } from "./dialogues/held/held-message-routes.ts";
import { takeoverWordsRoutes } from "./dialogues/takeover-words.ts";
import { directoryRoutes } from "./directory/directory-member.ts";
import { addErasure } from "./erasure/routes.ts";
import { addEvaluations } from "./evaluations/routes.ts";
import { eventRoutes } from "./events/event.ts";
import { addExecutions } from "./executions/routes.ts";
import { addExperiments } from "./experiments/routes.ts";
import { addFolders } from "./folders/routes.ts";
import { addInsights } from "./insights/routes.ts";
import { addJudges } from "./judges/routes.ts";
import { sessionJudges } from "./judges/session-judges.ts";
import { addKnowledge } from "./knowledge/routes.ts";
import { mcpRoutes } from "./mcp/mcp-route.ts";
import { capacityFigures } from "./media/call-capacity.ts";
import { addReplays } from "./replays/routes.ts";
import { addReports } from "./reports/routes.ts";
import { addSearch } from "./search/routes.ts";
import { addSessions } from "./sessions/routes.ts";
import { simulatedContactRoutes } from "./simulator/contact-routes.ts";
import { addSpeech } from "./speech/routes.ts";
import { speechAccessOf } from "./speech/speech-access.ts";
import { speechProviderRoutes } from "./speech/speech-provider.ts";
import { addTools } from "./tools/routes.ts";
import { transcriptionProviderRoutes } from "./transcription/transcription-provider.ts";
import { addTryout } from "./tryout/routes.ts";
import { addVersions } from "./versions/routes.ts";
import { addWebChat } from "./webchat/routes.ts";
import { createDeliverer } from "./webhooks/delivery-loop.ts";
import { webhookRoutes } from "./webhooks/webhook-routes.ts";

/** The composition root: the only place that knows everything there is, room by room. */
export async function createApp(given: AppParts): Promise<App> {
  const { parts, door } = voiceParts(given);
  const { db, clock, vault, config } = parts;
  const { api, ownLimits } = await openApi(parts);
  if (door) api.server.addHook("onClose", async () => door.close());
  const engine = createEngine(parts, ownLimits);
  const outreach = createOutreach(api, parts, engine);
  const ground = groundOf(parts, engine, outreach);
  const { carriers, engines, publicUrl, transcriptionKeys, bucket } = ground;
  if (bucket) api.server.addHook("onClose", async () => bucket.close());

  homePageRoutes(api, config.internal_pages);
  consoleRoutes(api, parts.consoleBuild, config.internal_pages);
  healthRoutes(api, { ...ground, version: VERSION, figures: capacityFigures(outreach.capacity) });
  addAccounts(api, {
    ...ground,
    sendMail: mailerOf(parts),
    environment: parts.llmProviders,
    anyoneCreates: config.everyone_creates_organizations,
    ...organizationChanges(clock),
  });
  const tools = addTools(api, { ...ground, listings: engine.mcp.listings });
  const agents = addAgents(api, ground);
  addAgentFiles(api, { db, creates: { ...tools, ...agents }, templates: agentTemplates });
  addSpeech(api, {
    ...ground,
    speechAccess: speechAccessOf({
      db,
      vault,
      environment: { speech: parts.speechProviders ?? {}, llm: parts.llmProviders },
    }),
    speakOffline: parts.speakOffline ?? (async () => null),
  });
  speechProviderRoutes(api, { ...ground, callSpeech: parts.callSpeech ?? {} });
  addKnowledge(api, { ...ground, ...engine, embeds: config.embedding_model !== null });
  directoryRoutes(api, ground);
  addChannels(api, ground);
  simulatedContactRoutes(api, { ...ground, simulator: outreach.simulator, mail: outreach.mailing.simulator });
  addCarriers(api, { ...ground, tenantsBuy: config.tenants_buy_numbers });
  addConsent(api, ground);
  eventRoutes(api, ground);
  addSessions(api, ground);
  heldMessageRoutes(api, ground);
  takeoverWordsRoutes(api, ground);
  addTryout(api, engine);
  const runner = runnerOf(engine, ground);
  addEvaluations(api, { ...engine, judges: sessionJudges(db, runner) });
  addReplays(api, engine);
  addDebugger(api, engine);
  addVersions(api, ground);
  addWebChat(api, engine, { engines, notices: parts.notices });
  addCampaigns(api, {
    ...ground,
    egress_allow: config.egress_allow,
    ...campaignWakes,
    removeBatches: (tx, caller, campaign_id) => removeBatchesOf(tx, clock, caller, campaign_id),
  });
  addBatches(api, ground);
  addBoard(api, { ...ground, ...engine, limits: config.lines, per_person: config.lines.per_person });
  webhookRoutes(api, { ...ground, egress_allow: config.egress_allow });
  addInsights(api, ground);
  addExecutions(api, { ...ground, runner });
  addJudges(api, ground);
  addFolders(api, ground);
  addExperiments(api, ground);
  transcriptionProviderRoutes(api, { ...ground, environment: transcriptionKeys });
  addSearch(api, ground);
  addAnalytics(api, ground);
  addReports(api, { ...ground, ...engine });
  addErasure(api, ground);
  addContacts(api, ground);
  demoApiRoutes(api);
  mcpRoutes(api, { ...ground, version: VERSION, apiKeyHeaders: config.api_key_headers });
  addCalls(api, {
    engine,
    carriers,
    calls: outreach.voiceCalls,
    attempts: outreach.attempts,
    publicUrl,
    record: true,
    engines,
  });

  const jobs = jobsOf(ground, engine, outreach);
  return { ...outreach, api, engine, jobs, deliverer: createDeliverer(ground) };
}
