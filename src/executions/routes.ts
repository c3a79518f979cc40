import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import type { ToolRunner } from "../insights/tool-run.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { backfillRoutes } from "./backfill-routes.ts";
import { executionRoutes } from "./execution.ts";
import { queueWorkRoutes } from "./queue-work.ts";
import { spendingRoutes } from "./spending.ts";
import { toolsTestRoutes } from "./tools-test.ts";
import { workflowRoutes } from "./workflow.ts";
import { workflowActivationRoutes } from "./workflow-activation.ts";

type Deps = { db: Db; clock: Clock; catalogue: readonly LlmEntry[]; runner: ToolRunner };

/** Workflows and the work they make: tests of tools, activation, the queue, older sessions, spending, executions. */
export function addExecutions(api: Api, deps: Deps): void {
  toolsTestRoutes(api, deps);
  workflowRoutes(api, deps);
  workflowActivationRoutes(api, deps);
  queueWorkRoutes(api, deps);
  backfillRoutes(api, deps);
  spendingRoutes(api, deps);
  executionRoutes(api, deps);
}
