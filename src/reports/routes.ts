import type { Api } from "../api/server.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { dashboardPageRoutes } from "./dashboard-page.ts";
import { queueRoutes } from "./queues.ts";
import { setAsideRoutes } from "./set-aside-routes.ts";
import { takeoutRoutes } from "./takeout.ts";

type Deps = Parameters<typeof takeoutRoutes>[1] &
  Parameters<typeof dashboardRoutes>[1] &
  Parameters<typeof setAsideRoutes>[1];

/** Figures, exports, and the work that waits. */
export function addReports(api: Api, deps: Deps): void {
  takeoutRoutes(api, deps);
  queueRoutes(api, deps);
  setAsideRoutes(api, deps);
  dashboardRoutes(api, deps);
  dashboardPageRoutes(api, deps);
}
