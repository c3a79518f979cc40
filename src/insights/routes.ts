import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import { backfillRoutes } from "./backfill-routes.ts";
import { executionRoutes } from "./execution.ts";
import { folderRoutes } from "./folder.ts";
import { folderFileRoutes } from "./folder-file.ts";
import { outputRoutes } from "./output.ts";
import { queueWorkRoutes } from "./queue-work.ts";
import { createRecordingStore } from "./recording-store.ts";
import { spendingRoutes } from "./spending.ts";
import { toolConfigurationRoutes } from "./tool-configuration.ts";
import { toolDefinitionRoutes } from "./tool-definition.ts";
import type { ToolRunner } from "./tool-run.ts";
import { toolsTestRoutes } from "./tools-test.ts";
import { type TranscriptionSettings, transcriptionProviderRoutes } from "./transcription-provider.ts";
import { workflowRoutes } from "./workflow.ts";
import { workflowActivationRoutes } from "./workflow-activation.ts";

type Deps = {
  db: Db;
  clock: Clock;
  catalogue: readonly LlmEntry[];
  runner: ToolRunner;
  data_dir: string;
  vault: Vault;
  /** Keys from the environment. */
  environment: { transcription: TranscriptionSettings; llm: ProviderSettings };
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
  backfillRoutes(api, deps);
  spendingRoutes(api, deps);
  executionRoutes(api, deps);
  folderRoutes(api, deps);
  transcriptionProviderRoutes(api, deps);
  folderFileRoutes(api, { ...deps, recordings: createRecordingStore(deps.data_dir) });
}
