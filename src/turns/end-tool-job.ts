import { z } from "zod";
import type { Job } from "../jobs/define-job.ts";

/** Calls the tool that a prompt ends its sessions with; enqueued by the transaction that ends one. */
export const callEndTool: Job<{ session_id: number }> = {
  name: "call-session-end-tool",
  payload: z.object({ session_id: z.int() }),
  max_attempts: 8,
};
