import { z } from "zod";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { RunningCalls } from "./telephone.ts";

const settleCalls: Job<object> = {
  name: "settle-calls",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Ends, every minute, the calls whose process died, whose line was never opened, or whose transfer never ended. */
export const settleCallsJob = (calls: Pick<RunningCalls, "settleAbandoned">): JobHandler =>
  handle(settleCalls, async () => {
    await calls.settleAbandoned();
  });
