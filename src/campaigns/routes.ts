import type { Api } from "../api/server.ts";
import { numberGroupRoutes } from "../number-groups/number-group.ts";
import { numberRestRoutes } from "../number-groups/number-rest.ts";
import { cadenceRoutes } from "./cadence-routes.ts";
import { campaignRoutes } from "./campaign.ts";
import {
  campaignNamesOfGroup,
  campaignNumberGroupRoutes,
  campaignsOfNumberGroup,
} from "./campaign-number-group.ts";
import { outreachRulesRoutes } from "./outreach-rules.ts";
import { reachRulesRoutes } from "./reach-rules.ts";
import { retryRulesRoutes } from "./retry-rules.ts";
import { spendingRoutes } from "./spending.ts";

type Parts = Parameters<typeof campaignRoutes>[1] &
  Omit<Parameters<typeof numberGroupRoutes>[1], "campaigns">;

/** The room's operations. */
export function addCampaigns(api: Api, parts: Parts): void {
  campaignRoutes(api, parts);
  reachRulesRoutes(api, parts);
  retryRulesRoutes(api, parts);
  cadenceRoutes(api, parts);
  spendingRoutes(api, parts);
  campaignNumberGroupRoutes(api, parts);
  const campaigns = { names: campaignNamesOfGroup, of: campaignsOfNumberGroup };
  numberGroupRoutes(api, { ...parts, campaigns });
  numberRestRoutes(api, parts);
  outreachRulesRoutes(api, parts);
}
