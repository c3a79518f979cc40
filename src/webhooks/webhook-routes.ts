import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import type { EgressRules } from "../egress/egress-address.ts";
import { subscriptionRoutes } from "./subscription.ts";
import { subscriptionDeliveryRoutes } from "./subscription-deliveries.ts";
import { subscriptionStateRoutes } from "./subscription-state.ts";
import { webhookDeliveryRoutes } from "./webhook-delivery.ts";
import { webhookInboxRoutes } from "./webhook-inbox.ts";
import { webhookInboxReceiver } from "./webhook-inbox-receive.ts";
import { webhookReplayRoutes } from "./webhook-replay.ts";
import { webhookStateRoutes } from "./webhook-state.ts";

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string; egress_allow: EgressRules };

/** All operations of webhooks except the configuration of those of a campaign, which is part of it. */
export function webhookRoutes(api: Api, deps: Deps): void {
  subscriptionDeliveryRoutes(api, deps);
  subscriptionStateRoutes(api, deps);
  subscriptionRoutes(api, deps);
  webhookStateRoutes(api, deps);
  webhookDeliveryRoutes(api, deps);
  webhookReplayRoutes(api, deps);
  webhookInboxRoutes(api, deps);
  webhookInboxReceiver(api, deps);
}
