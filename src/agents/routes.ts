import type { Api } from "../api/server.ts";
import { agentRoutes, type CreatesAgent } from "./agent.ts";
import { bridgePhrasesRoutes, type CreatesBridgePhrases } from "./bridge-phrases.ts";
import { conversationBridgesRoutes } from "./conversation-bridges.ts";
import { type CreatesMessage, customMessageRoutes } from "./custom-message.ts";
import { incidentRoutes } from "./incident.ts";
import { type CreatesLanguageGroup, languageGroupRoutes } from "./language-group.ts";
import { messageCalendarRoutes } from "./message-calendar.ts";
import { type CreatesPrompt, promptRoutes } from "./prompt.ts";

type Deps = Parameters<typeof agentRoutes>[1];

/** Creates agents and their parts inside another room's transaction. */
export type CreatesAgents = {
  prompt: CreatesPrompt;
  message: CreatesMessage;
  languages: CreatesLanguageGroup;
  bridges: CreatesBridgePhrases;
  agent: CreatesAgent;
};

/** Agents and what they are made of. */
export function addAgents(api: Api, deps: Deps): CreatesAgents {
  const creates = {
    prompt: promptRoutes(api, deps).create,
    message: customMessageRoutes(api, deps).create,
    languages: languageGroupRoutes(api, deps).create,
    bridges: bridgePhrasesRoutes(api, deps).create,
    agent: agentRoutes(api, deps).create,
  };
  messageCalendarRoutes(api);
  conversationBridgesRoutes(api, deps);
  incidentRoutes(api, deps);
  return creates;
}
