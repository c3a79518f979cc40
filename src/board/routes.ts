import type { Api } from "../api/server.ts";
import { campaignBoardRoutes } from "./campaign-board.ts";
import { campaignForecastRoutes } from "./campaign-forecast.ts";
import { requestTraceRoutes } from "./request-trace.ts";

type Deps = Parameters<typeof requestTraceRoutes>[1] &
  Parameters<typeof campaignForecastRoutes>[1] &
  Parameters<typeof campaignBoardRoutes>[1];

/** What campaigns do, would do, and why somebody waits. */
export function addBoard(api: Api, deps: Deps): void {
  requestTraceRoutes(api, deps);
  campaignForecastRoutes(api, deps);
  campaignBoardRoutes(api, deps);
}
