import type { Api } from "../api/server.ts";
import { crawlRoutes } from "./crawl/crawl-route.ts";
import { dataSourceRoutes } from "./data-source.ts";
import { searchRoutes } from "./data-source-search-route.ts";
import { documentRoutes } from "./documents/document.ts";

type Deps = Parameters<typeof dataSourceRoutes>[1] &
  Parameters<typeof documentRoutes>[1] &
  Parameters<typeof searchRoutes>[1];

/** Data sources, what files and web sites add to them, and a question asked of one. */
export function addKnowledge(api: Api, deps: Deps): void {
  api.server.addHook("onClose", deps.documents.close);
  dataSourceRoutes(api, deps);
  documentRoutes(api, deps);
  crawlRoutes(api, deps);
  searchRoutes(api, deps);
}
