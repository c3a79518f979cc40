import { z } from "zod";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { Engine } from "../sessions/engine.ts";
import { endIdleSessions } from "./end-session.ts";

const endIdle: Job<object> = {
  name: "end-idle-sessions",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Closes chats that people have left, every minute. */
export const idleSessionsJob = (engine: Engine): JobHandler =>
  handle(endIdle, async () => {
    await endIdleSessions(engine);
  });
