import { z } from "zod";
import type { Job } from "../jobs/define-job.ts";

/** Executions are due, or will be at the job's `run_at`. What they are says the queue, not the job. */
export const runInsights: Job<object> = { name: "run-insights", payload: z.object({}), max_attempts: 5 };

/** Comes round for what no job was left for: executions whose process died. */
export const resumeInsights: Job<object> = {
  name: "resume-insights",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};
