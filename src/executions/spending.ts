import { sql } from "kysely";
import { z } from "zod";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { DAYS, type Estimate, estimateOf } from "../insights/estimate.ts";
import { costOf } from "../insights/tool-cost.ts";
import { findWorkflow } from "../insights/workflow-store.ts";
import { WORKFLOWS, type WorkflowDeps, workflowParams } from "./workflow.ts";

const ToolSpending = z
  .object({
    insight_tool_id: z.int(),
    name: z.string(),
    basis: z
      .enum(["measured", "transcripts", "none"])
      .describe(
        "Where the estimate's tokens come from: runs of this tool, the length of recent transcripts, or nowhere.",
      ),
    measured_runs: z.int(),
    input_tokens: z.number().describe("Of one run, as estimated."),
    output_tokens: z.number(),
    cost_usd: z.number().describe("Of one run, as estimated."),
    price: z
      .object({
        input_usd: z.number(),
        output_usd: z.number(),
        cached_input_usd: z.number().nullable(),
        source: z.string(),
        as_of: z.string(),
      })
      .nullable()
      .describe("US dollars for a million tokens, list price; null: not known, or no model is asked."),
    minute_price: z
      .object({ minute_usd: z.number(), source: z.string(), as_of: z.string() })
      .nullable()
      .describe("US dollars for a minute of sound; null for all but transcription."),
  })
  .meta({ id: "InsightToolSpending" });

const SpendingRecord = z
  .object({
    runs: z.int(),
    failed_runs: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cached_input_tokens: z.int(),
    cost_usd: z.number(),
  })
  .meta({ id: "InsightUsage" });

const InsightSpending = z
  .object({
    tools: z.array(ToolSpending).describe("What the estimate is made of."),
    estimated_daily_cost: z.number(),
    backfill_is_exact: z
      .boolean()
      .describe("false: backfill_count is estimated from one session in sixteen, because there are so many."),
    actual_daily: z
      .array(SpendingRecord.extend({ day: z.string().describe("UTC") }))
      .describe(`Of the last ${DAYS} days that had runs.`),
    actual_total: SpendingRecord.describe("Since the workflow was made."),
  })
  .meta({ id: "InsightSpending" });
type SpendingRecord = z.infer<typeof SpendingRecord>;

export function spendingRoutes(api: Api, { db, clock, catalogue }: WorkflowDeps): void {
  api.get(
    `${WORKFLOWS}/:workflow_id/spending`,
    {
      summary: "Get the estimated and actual cost of an insight workflow",
      tag: "insights",
      permission: "insights_read",
      params: workflowParams,
      response: InsightSpending,
    },
    async ({ caller, params }) => {
      const workflow = await findWorkflow(db, caller, params.workflow_id);
      const now = clock.now();
      const estimate = await estimateOf(db, workflow, { now, catalogue });
      return { ...shown(estimate), ...(await usedBy(db, workflow.id, now)) };
    },
  );
}

const shown = ({ tools, daily, backfill }: Estimate) => ({
  tools,
  estimated_daily_cost: costOf(tools, daily),
  backfill_is_exact: backfill.is_exact,
});

const SUMS = sql`coalesce(sum(runs), 0) as runs, coalesce(sum(failed_runs), 0) as failed_runs,
  coalesce(sum(input_tokens), 0) as input_tokens, coalesce(sum(output_tokens), 0) as output_tokens,
  coalesce(sum(cached_input_tokens), 0) as cached_input_tokens, coalesce(sum(cost_usd), 0) as cost_usd`;

async function usedBy(db: Db, workflow_id: number, now: Date) {
  // Today is one of the days.
  const since = new Date(now.getTime() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
  const daily = await sql<SpendingRecord & { day: string }>`
    select to_char(day, 'YYYY-MM-DD') as day, ${SUMS} from insight_usage
    where workflow_id = ${workflow_id} and day >= ${since}::date group by 1 order by 1`.execute(db);
  const total = await sql<SpendingRecord>`
    select ${SUMS} from insight_usage where workflow_id = ${workflow_id}`.execute(db);
  return { actual_daily: daily.rows, actual_total: total.rows[0] as SpendingRecord };
}
