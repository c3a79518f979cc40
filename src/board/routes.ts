import type { Api } from "../api/server.ts";
import { callBackRoutes } from "../call-backs/call-back-routes.ts";
import { campaignGoalRoutes } from "../campaigns/goal.ts";
import { bulkRequestRoutes } from "../dialing/bulk-routes.ts";
import { agentDialingRoutes } from "../dialing/places/agent-dialing.ts";
import { campaignDialingRoutes } from "../dialing/places/campaign-dialing.ts";
import { stopRoutes } from "../dialing/stop-routes.ts";
import { testOutreachRoutes } from "../test-outreach/routes.ts";
import { answerTimesRoutes } from "./answer-times.ts";
import { campaignBoardRoutes } from "./campaign-board.ts";
import { campaignForecastRoutes } from "./campaign-forecast.ts";
import { queueRecount } from "./conversations.ts";
import { numberReportRoutes } from "./number-report.ts";
import { organizationLimitRoutes } from "./organization-limits.ts";
import { preflightRoutes } from "./preflight.ts";
import { requestTraceRoutes } from "./request-trace.ts";
import { retryHoursRoutes } from "./retry-hours.ts";

type Deps = Parameters<typeof requestTraceRoutes>[1] &
  Parameters<typeof campaignForecastRoutes>[1] &
  Parameters<typeof campaignBoardRoutes>[1] &
  Parameters<typeof callBackRoutes>[1] &
  Parameters<typeof testOutreachRoutes>[1] &
  Parameters<typeof organizationLimitRoutes>[1];

/** What campaigns do, would do, and why somebody waits. */
export function addBoard(api: Api, deps: Deps): void {
  requestTraceRoutes(api, deps);
  preflightRoutes(api, deps);
  campaignForecastRoutes(api, deps);
  campaignBoardRoutes(api, deps);
  organizationLimitRoutes(api, deps);
  answerTimesRoutes(api, deps);
  retryHoursRoutes(api, deps);
  numberReportRoutes(api, deps);
  campaignDialingRoutes(api, deps);
  agentDialingRoutes(api, deps);
  stopRoutes(api, deps);
  bulkRequestRoutes(api, deps);
  callBackRoutes(api, deps);
  testOutreachRoutes(api, deps);
  campaignGoalRoutes(api, { ...deps, recount: queueRecount });
}
