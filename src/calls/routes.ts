import type { Api } from "../api/server.ts";
import { browserCallRoutes } from "./browser-calls.ts";
import { asteriskCallbackRoutes } from "./callbacks/asterisk-callbacks.ts";
import { telnyxCallbackRoutes } from "./callbacks/telnyx-callbacks.ts";
import { telnyxTextCallbackRoutes } from "./callbacks/telnyx-text-callbacks.ts";
import { twilioCallbackRoutes } from "./callbacks/twilio-callbacks.ts";
import { draftCallRoutes } from "./draft-calls.ts";
import { endConversationRoutes } from "./end-conversation.ts";

type Deps = Parameters<typeof endConversationRoutes>[1] &
  Parameters<typeof twilioCallbackRoutes>[1] &
  Parameters<typeof browserCallRoutes>[1];

/** Calls as they come: over a carrier, or from a page. */
export function addCalls(api: Api, deps: Deps): void {
  twilioCallbackRoutes(api, deps);
  telnyxCallbackRoutes(api, deps);
  telnyxTextCallbackRoutes(api, deps);
  asteriskCallbackRoutes(api, deps);
  browserCallRoutes(api, deps);
  draftCallRoutes(api, deps);
  endConversationRoutes(api, deps);
}
