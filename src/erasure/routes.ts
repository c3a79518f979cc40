import type { Api } from "../api/server.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import { agentRetentionRoutes } from "./agent-retention.ts";
import { type ErasureDeps, erasePeopleJob } from "./erase-people.ts";
import { erasureRoutes } from "./erasure-routes.ts";
import { judgeRedactionJob } from "./judge-redaction.ts";
import { leftRecordingsJob } from "./left-recordings.ts";
import { privacySettingsRoutes } from "./privacy-settings.ts";
import { redactedValueRoutes, removeOriginalsJob } from "./redacted-values.ts";
import { redactionPolicyRoutes } from "./redaction-policies.ts";
import { deleteExpiredJob } from "./retention.ts";
import { sessionDeletionRoutes } from "./session-deletion.ts";

/** What deletes what people said: one session, one person, what is older than it is kept. */
export function addErasure(api: Api, deps: ErasureDeps): void {
  sessionDeletionRoutes(api, deps);
  erasureRoutes(api, deps);
  privacySettingsRoutes(api, deps);
  agentRetentionRoutes(api, deps);
  redactionPolicyRoutes(api, deps);
  redactedValueRoutes(api, deps);
}

export const erasureJobs = (
  deps: Parameters<typeof judgeRedactionJob>[0] & Parameters<typeof leftRecordingsJob>[0],
): JobHandler[] => [
  erasePeopleJob(deps),
  deleteExpiredJob(deps),
  leftRecordingsJob(deps),
  removeOriginalsJob(deps),
  judgeRedactionJob(deps),
];
