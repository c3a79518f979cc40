import type { Api } from "../api/server.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import { type ErasureDeps, erasePeopleJob } from "./erase-people.ts";
import { erasureRoutes } from "./erasure-routes.ts";
import { sessionDeletionRoutes } from "./session-deletion.ts";

/** What deletes what people said: one session, one person. */
export function addErasure(api: Api, deps: ErasureDeps): void {
  sessionDeletionRoutes(api, deps);
  erasureRoutes(api, deps);
}

export const erasureJobs = (deps: ErasureDeps): JobHandler[] => [erasePeopleJob(deps)];
