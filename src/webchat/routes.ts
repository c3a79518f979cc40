import type { Api } from "../api/server.ts";
import type { Notices } from "../db/notices.ts";
import type { VoiceEngines } from "../media/voice-engines.ts";
import type { Engine } from "../sessions/engine.ts";
import { chatPageRoutes } from "./chat-page.ts";
import { clientCallRoutes } from "./client-call-routes.ts";
import { allowForeignPages } from "./embedding-site.ts";
import { webChatRoutes } from "./web-chat.ts";

/** The page a visitor opens, and its conversation. */
export function addWebChat(
  api: Api,
  engine: Engine,
  { engines, notices }: { engines: VoiceEngines | null; notices: Notices },
): void {
  allowForeignPages(api.server);
  webChatRoutes(api, engine, notices);
  clientCallRoutes(api, engine);
  chatPageRoutes(api, { db: engine.db, engines });
}
