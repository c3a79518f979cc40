import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { folderRoutes } from "./folder.ts";
import { folderFileRoutes } from "./folder-file.ts";
import { outputRoutes } from "./output.ts";
import { queueWorkRoutes } from "./queue-work.ts";
import { createRecordingStore } from "./recording-store.ts";
import type { ToolRunner } from "./run-insight-tool.ts";
import { toolConfigurationRoutes } from "./tool-configuration.ts";
import { toolDefinitionRoutes } from "./tool-definition.ts";
import { toolsTestRoutes } from "./tools-test.ts";
import { workflowRoutes } from "./workflow.ts";
import { workflowActivationRoutes } from "./workflow-activation.ts";

type Deps = {
  db: Db;
  clock: Clock;
  catalogue: readonly LlmEntry[];
  runner: ToolRunner;
  data_dir: string;
};

/** Everything under /api/v1/insights: definition → configuration → workflow → execution → output. */
export function insightRoutes(api: Api, deps: Deps): void {
  outputRoutes(api, deps);
  toolDefinitionRoutes(api);
  toolConfigurationRoutes(api, deps);
  toolsTestRoutes(api, deps);
  workflowRoutes(api, deps);
  workflowActivationRoutes(api, deps);
  queueWorkRoutes(api, deps);
  folderRoutes(api, deps);
  folderFileRoutes(api, { ...deps, recordings: createRecordingStore(deps.data_dir) });
}
