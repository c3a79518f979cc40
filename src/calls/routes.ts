import type { Api } from "../api/server.ts";
import { browserCallRoutes } from "./browser-calls.ts";
import { twilioCallbackRoutes } from "./twilio-callbacks.ts";

type Deps = Parameters<typeof twilioCallbackRoutes>[1] & Parameters<typeof browserCallRoutes>[1];

/** Calls as they come: over a carrier, or from a page. */
export function addCalls(api: Api, deps: Deps): void {
  twilioCallbackRoutes(api, deps);
  browserCallRoutes(api, deps);
}
