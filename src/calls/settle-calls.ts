import { z } from "zod";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { RunningCalls } from "./telephone.ts";

const settleCalls: Job<object> = {
  name: "settle-calls",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Ends abandoned calls every minute: their process died, their line never opened, or their transfer's result never came. */
export const settleCallsJob = (calls: Pick<RunningCalls, "settleAbandoned">): JobHandler =>
  handle(settleCalls, async () => {
    await calls.settleAbandoned();
  });
