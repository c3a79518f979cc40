import type { Api } from "../api/server.ts";
import { alertHistoryRoutes } from "./alert-history.ts";
import { alertRuleRoutes } from "./alert-rule.ts";
import { boardRoutes } from "./board.ts";

/** Boards of tiles over sessions, and alerts on the same figures. */
export function addAnalytics(api: Api, deps: Parameters<typeof boardRoutes>[1]): void {
  boardRoutes(api, deps);
  alertRuleRoutes(api, deps);
  alertHistoryRoutes(api, deps);
}
