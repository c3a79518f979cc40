import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import { webhookDeliveryRoutes } from "./webhook-delivery.ts";
import { webhookInboxRoutes } from "./webhook-inbox.ts";
import { webhookInboxReceiver } from "./webhook-inbox-receive.ts";
import { webhookReplayRoutes } from "./webhook-replay.ts";
import { webhookStateRoutes } from "./webhook-state.ts";

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string };

/** All operations of webhooks except their configuration, which is part of a campaign. */
export function webhookRoutes(api: Api, deps: Deps): void {
  webhookStateRoutes(api, deps);
  webhookDeliveryRoutes(api, deps);
  webhookReplayRoutes(api, deps);
  webhookInboxRoutes(api, deps);
  webhookInboxReceiver(api, deps);
}
