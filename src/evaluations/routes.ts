import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import { sessionCaseRoutes } from "./session-case.ts";
import type { SessionJudges } from "./session-judges.ts";
import { runRoutes } from "./test-run.ts";
import { scheduleRoutes } from "./test-schedule.ts";
import { suiteRoutes } from "./test-suite.ts";

/** Tests of agents: suites of cases, and their runs. */
export function addEvaluations(
  api: Api,
  deps: { db: Db; clock: Clock; vault: Vault; judges: SessionJudges },
): void {
  suiteRoutes(api, deps);
  runRoutes(api, deps);
  scheduleRoutes(api, deps);
  sessionCaseRoutes(api, deps);
}
