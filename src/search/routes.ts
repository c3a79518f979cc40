import type { Api } from "../api/server.ts";
import { exportFoundRoutes } from "./export-found.ts";
import { searchRoutes } from "./search.ts";
import { sessionViewRoutes } from "./session-view.ts";

/** Sessions as search: what is found, saved views of it, and its export. */
export function addSearch(api: Api, deps: Parameters<typeof sessionViewRoutes>[1]): void {
  searchRoutes(api, deps);
  exportFoundRoutes(api, deps);
  sessionViewRoutes(api, deps);
}
