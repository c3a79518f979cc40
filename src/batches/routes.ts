import type { Api } from "../api/server.ts";
import { batchRoutes } from "./batch.ts";
import { batchRequestRoutes } from "./batch-requests.ts";
import { campaignRequestRoutes } from "./campaign-requests.ts";
import { copyRequestsRoutes } from "./copy-requests.ts";
import { holdCampaignRoutes } from "./hold-campaign.ts";
import { startConfirmationRoutes } from "./start-confirmation.ts";
import { targetFilterCountRoutes } from "./target-filter-count.ts";

type Deps = Parameters<typeof batchRequestRoutes>[1];

/** Batches and the people in them. */
export function addBatches(api: Api, deps: Deps): void {
  batchRoutes(api, deps);
  batchRequestRoutes(api, deps);
  copyRequestsRoutes(api, deps);
  holdCampaignRoutes(api, deps);
  campaignRequestRoutes(api, deps);
  targetFilterCountRoutes(api, deps);
  startConfirmationRoutes(api, deps);
}
