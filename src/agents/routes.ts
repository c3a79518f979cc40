import type { Api } from "../api/server.ts";
import { agentRoutes } from "./agent.ts";
import { bridgePhrasesRoutes } from "./bridge-phrases.ts";
import { conversationBridgesRoutes } from "./conversation-bridges.ts";
import { customMessageRoutes } from "./custom-message.ts";
import { incidentRoutes } from "./incident.ts";
import { languageGroupRoutes } from "./language-group.ts";
import { messageCalendarRoutes } from "./message-calendar.ts";
import { promptRoutes } from "./prompt.ts";

type Deps = Parameters<typeof agentRoutes>[1];

/** Agents and what they are made of. */
export function addAgents(api: Api, deps: Deps): void {
  promptRoutes(api, deps);
  customMessageRoutes(api, deps);
  messageCalendarRoutes(api);
  languageGroupRoutes(api, deps);
  bridgePhrasesRoutes(api, deps);
  conversationBridgesRoutes(api, deps);
  incidentRoutes(api, deps);
  agentRoutes(api, deps);
}
