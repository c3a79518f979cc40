import { followToolName } from "../agents/follow-tool-name.ts";
import { publishedWithService } from "../agents/published-with.ts";
import type { addAgents } from "../agents/routes.ts";
import { sourceHolders } from "../agents/source-holders.ts";
import { watchingTools } from "../analytics/watching-tool.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { campaignsOfAgent } from "../campaigns/campaigns-of-agent.ts";
import { targetsOfAgent } from "../channels/targets-of-agent.ts";
import { followToolInTests, suitesOfAgent } from "../evaluations/suites-using.ts";
import { followNames } from "../executions/follow-names.ts";
import { experimentsOfAgent } from "../experiments/experiments-of-agent.ts";
import type { addInsights } from "../insights/routes.ts";
import { toolsOfService, urlsOfService } from "../insights/tool-configuration-store.ts";
import { judgesOfTool } from "../judges/judge-store.ts";
import type { addKnowledge } from "../knowledge/routes.ts";
import type { addTools } from "../tools/routes.ts";

type UsedBy = Pick<Parameters<typeof addAgents>[1], "agentHolders" | "followNames"> &
  Pick<
    Parameters<typeof addTools>[1],
    "followToolName" | "watchingTools" | "insightToolUrls" | "serviceHolders"
  > &
  Pick<Parameters<typeof addInsights>[1], "insightToolJudges"> &
  Pick<Parameters<typeof addKnowledge>[1], "sourceHolders">;

/** Who uses a record, and who knows it by its name: asked by its room, answered by rooms to the right of it. */
export const usedBy = (deps: { clock: Clock; vault: Vault }): UsedBy => ({
  agentHolders: async (tx, id) => [
    ...(await targetsOfAgent(tx, id)),
    ...(await campaignsOfAgent(tx, id)),
    ...(await experimentsOfAgent(tx, id)),
    ...(await suitesOfAgent(tx, id)),
  ],
  followNames,
  // Suites are held before their agents, as by who saves one.
  followToolName: async (tx, by, renamed) => {
    await followToolInTests(deps)(tx, by, renamed);
    await followToolName(tx, by, renamed);
  },
  watchingTools,
  insightToolUrls: urlsOfService,
  insightToolJudges: judgesOfTool,
  serviceHolders: async (tx, id) => [
    ...(await toolsOfService(tx, id)),
    ...(await publishedWithService(tx, id)),
  ],
  sourceHolders,
});
