import { z } from "zod";
import type { Job } from "../jobs/define-job.ts";

/** Runs executions that are due by the job's `run_at`. The queue, not the job, says which. */
export const runInsights: Job<object> = { name: "run-insights", payload: z.object({}), max_attempts: 5 };

/** Runs every minute for executions whose process died, since those have no job. */
export const resumeInsights: Job<object> = {
  name: "resume-insights",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};
