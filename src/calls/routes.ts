import type { Api } from "../api/server.ts";
import { asteriskCallbackRoutes } from "./asterisk-callbacks.ts";
import { browserCallRoutes } from "./browser-calls.ts";
import { telnyxCallbackRoutes } from "./telnyx-callbacks.ts";
import { twilioCallbackRoutes } from "./twilio-callbacks.ts";

type Deps = Parameters<typeof twilioCallbackRoutes>[1] & Parameters<typeof browserCallRoutes>[1];

/** Calls as they come: over a carrier, or from a page. */
export function addCalls(api: Api, deps: Deps): void {
  twilioCallbackRoutes(api, deps);
  telnyxCallbackRoutes(api, deps);
  asteriskCallbackRoutes(api, deps);
  browserCallRoutes(api, deps);
}
