import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { fullSummaryRoutes } from "./full-summary.ts";
import { outputRoutes } from "./output.ts";
import { toolConfigurationRoutes } from "./tool-configuration.ts";
import type { JudgesOfTool } from "./tool-configuration-store.ts";
import { toolDefinitionRoutes } from "./tool-definition.ts";

/** What is looked for and what was found: definition → configuration, and outputs. */
export function addInsights(
  api: Api,
  deps: { db: Db; clock: Clock; catalogue: readonly LlmEntry[]; insightToolJudges: JudgesOfTool },
): void {
  outputRoutes(api, deps);
  fullSummaryRoutes(api, deps);
  toolDefinitionRoutes(api);
  toolConfigurationRoutes(api, deps);
}
