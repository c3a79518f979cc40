import type { InsightValue } from "../insights/check-answer.ts";
import type { Used } from "../insights/tool-run.ts";
import type { ClaimedExecution, ClaimedTool } from "./claim.ts";

/** The result of one tool of an execution claimed by this process. */
export type Result = {
  execution: ClaimedExecution;
  tool: ClaimedTool;
  at: Date;
  duration_ms: number;
  used: Used;
  outcome: /** `last`: with this tool the execution is complete. */
    | { kind: "done"; values: InsightValue[]; last: boolean }
    | { kind: "retry"; message: string; run_at: Date }
    | { kind: "failed"; message: string };
};
