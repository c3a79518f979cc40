import { homePageRoutes } from "./accounts/home-page.ts";
import { addAccounts } from "./accounts/routes.ts";
import { addAgentFiles } from "./agent-files/routes.ts";
import { addAgents } from "./agents/routes.ts";
import { consoleRoutes } from "./api/console-files.ts";
import { healthRoutes } from "./api/health.ts";
import { createEngine } from "./app/engine.ts";
import { groundOf, runnerOf } from "./app/ground.ts";
import { jobsOf } from "./app/jobs.ts";
import { organizationChanges } from "./app/organizations.ts";
import { createOutreach, mailerOf } from "./app/outreach.ts";
import type { App, AppParts } from "./app/parts.ts";
import { openApi } from "./app/server.ts";
import { usedBy } from "./app/used-by.ts";
import { voiceParts } from "./app/voice.ts";
import { VERSION } from "./base/version.ts";
import { removeBatchesOf } from "./batches/batch-store.ts";
import { addBatches } from "./batches/routes.ts";
import { wakeBatchesOf } from "./batches/wake-batch.ts";
import { addBoard } from "./board/routes.ts";
import { addCalls } from "./calls/routes.ts";
import { campaignRoutes } from "./campaigns/campaign.ts";
import { outreachRulesRoutes } from "./campaigns/outreach-rules.ts";
import { reachRulesRoutes } from "./campaigns/reach-rules.ts";
import { addCarriers } from "./carriers/routes.ts";
import { addChannels } from "./channels/routes.ts";
import { addConsent } from "./consent/routes.ts";
import { addDebugger } from "./debugger/routes.ts";
import { demoApiRoutes } from "./demo/demo-api.ts";
import { agentTemplates } from "./demo/templates.ts";
import { stopRoutes } from "./dialing/stop-routes.ts";
import { heldMessageRoutes } from "./dialogues/held-message-routes.ts";
import { directoryRoutes } from "./directory/directory-member.ts";
import { addErasure } from "./erasure/routes.ts";
import { addEvaluations } from "./evaluations/routes.ts";
import { eventRoutes } from "./events/event.ts";
import { addExecutions } from "./executions/routes.ts";
import { addExperiments } from "./experiments/routes.ts";
import { addFolders } from "./folders/routes.ts";
import { addInsights } from "./insights/routes.ts";
import { dataSourceRoutes } from "./knowledge/data-source.ts";
import { addReplays } from "./replays/routes.ts";
import { addReports } from "./reports/routes.ts";
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
  const api = await openApi(parts);
  if (door) api.server.addHook("onClose", async () => door.close());
  const engine = createEngine(parts);
  const outreach = createOutreach(api, parts, engine);
  const ground = groundOf(parts, engine, outreach);
  const { carriers, engines, publicUrl, transcriptionKeys } = ground;

  homePageRoutes(api);
  consoleRoutes(api, parts.consoleBuild);
  healthRoutes(api, { ...ground, version: VERSION });
  addAccounts(api, {
    ...ground,
    sendMail: mailerOf(parts),
    environment: parts.llmProviders,
    anyoneCreates: config.everyone_creates_organizations,
    ...organizationChanges(clock),
  });
  const tools = addTools(api, { ...ground, ...usedBy });
  const agents = addAgents(api, { ...ground, ...usedBy });
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
  dataSourceRoutes(api, { ...ground, embeds: config.embedding_model !== null });
  directoryRoutes(api, ground);
  addChannels(api, ground);
  simulatedContactRoutes(api, { ...ground, simulator: outreach.simulator, mail: outreach.mailing.simulator });
  addCarriers(api, { ...ground, tenantsBuy: config.tenants_buy_numbers });
  addConsent(api, ground);
  eventRoutes(api, ground);
  addSessions(api, ground);
  heldMessageRoutes(api, ground);
  addTryout(api, engine);
  addEvaluations(api, engine);
  addReplays(api, engine);
  addDebugger(api, engine);
  addVersions(api, engine);
  addWebChat(api, engine, engines);
  campaignRoutes(api, {
    ...ground,
    egress_allow: config.egress_allow,
    wakeBatches: wakeBatchesOf,
    removeBatches: (tx, caller, campaign_id) => removeBatchesOf(tx, clock, caller, campaign_id),
  });
  reachRulesRoutes(api, { ...ground, wakeBatches: wakeBatchesOf });
  addBatches(api, ground);
  outreachRulesRoutes(api, ground);
  stopRoutes(api, ground);
  addBoard(api, { ...ground, limits: config.lines, per_person: config.lines.per_person });
  webhookRoutes(api, ground);
  addInsights(api, ground);
  addExecutions(api, { ...ground, runner: runnerOf(engine, ground) });
  addFolders(api, ground);
  addExperiments(api, ground);
  transcriptionProviderRoutes(api, { ...ground, environment: transcriptionKeys });
  addReports(api, { ...ground, ...engine });
  addErasure(api, ground);
  demoApiRoutes(api);
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
