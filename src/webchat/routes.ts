import type { Api } from "../api/server.ts";
import { chatPageRoutes } from "./chat-page.ts";
import { webChatRoutes } from "./web-chat.ts";

type Deps = Parameters<typeof webChatRoutes>[1] & Parameters<typeof chatPageRoutes>[1];

/** The page a visitor opens, and its conversation. */
export function addWebChat(api: Api, deps: Deps): void {
  webChatRoutes(api, deps);
  chatPageRoutes(api, deps);
}
