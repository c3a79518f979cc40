import type { Api } from "../api/server.ts";
import { browserCallsRoutes } from "./browser-calls.ts";
import { channelRoutes } from "./channel.ts";
import { channelCarrierRoutes } from "./channel-carrier.ts";
import { channelTargetRoutes } from "./channel-target.ts";
import { identityKeyRoutes } from "./identity-key.ts";
import { numberOwnerRoutes } from "./number-owner.ts";

type Deps = Parameters<typeof channelRoutes>[1] & Parameters<typeof channelTargetRoutes>[1];

/** Channels, their targets, and whose a number is. */
export function addChannels(api: Api, deps: Deps): void {
  channelRoutes(api, deps);
  channelCarrierRoutes(api, deps);
  identityKeyRoutes(api, deps);
  browserCallsRoutes(api, deps);
  channelTargetRoutes(api, deps);
  numberOwnerRoutes(api, deps);
}
