import type { Api } from "../api/server.ts";
import { mailDomainRoutes } from "./mail-domain.ts";
import { twilioChannelRoutes } from "./twilio/twilio-channel.ts";
import { twilioNumberRoutes } from "./twilio/twilio-number.ts";

type Deps = Parameters<typeof mailDomainRoutes>[1] &
  Parameters<typeof twilioChannelRoutes>[1] &
  Parameters<typeof twilioNumberRoutes>[1];

/** What only one carrier knows: its channels, its numbers, domains of mail. */
export function addCarriers(api: Api, deps: Deps): void {
  mailDomainRoutes(api, deps);
  twilioChannelRoutes(api, deps);
  twilioNumberRoutes(api, deps);
}
