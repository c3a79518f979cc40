import { z } from "zod";
import { inputTimestamp, integer, name, recordId, timestamp, ValidationIssue } from "../api/schema.ts";
import type { Conditions } from "./conditions.ts";
import type { Coverage } from "./coverage.ts";
import { InsightToolOutput } from "./tool-configuration-schema.ts";

/** What a workflow runs over; `sheet` and `manual` find nothing by themselves. */
const WORKFLOW_SOURCES = ["agent", "transfer", "upload", "sheet", "manual"] as const;
type WorkflowSource = (typeof WORKFLOW_SOURCES)[number];

const WORKFLOW_STATUSES = ["ACTIVE", "INACTIVE"] as const;
type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

/** More than anybody has listed; keeps the statements that hold these lists small. */
const MAX_LIST = 1000;
const MAX_TOOLS = 50;

const ConditionFields = {
  min_duration: integer({ min: 0 }).nullish().describe("In seconds."),
  max_duration: integer({ min: 0 }).nullish().describe("In seconds."),
  sample_rate: z
    .number()
    .min(0)
    .max(100)
    .nullish()
    .describe("Percent: 10 takes one in ten, 0.1 one in a thousand."),
  agent_list: z
    .union([z.array(z.int()).max(MAX_LIST), z.array(z.string()).max(MAX_LIST)])
    .nullish()
    .describe("Ids or names of agents; for recordings, agent numbers. Empty: all."),
  prompt_list: z.array(z.string()).max(MAX_LIST).nullish().describe("Names or ids of prompts. Empty: all."),
  folder_list: z.array(recordId()).max(MAX_LIST).nullish().describe("Where recordings are taken from."),
  sheet_info: z.record(z.string(), z.string()).nullish(),
};

// Strict, unlike the rest of the API: a misspelt condition that is passed over would analyse, and pay for, everything.
const InsightWorkflowConditionInput = z
  .strictObject(ConditionFields)
  .superRefine(({ min_duration, max_duration }, context) => {
    if (min_duration == null || max_duration == null || min_duration <= max_duration) return;
    const message = "Input should not be less than min_duration";
    context.addIssue({ code: "custom", path: ["max_duration"], message });
  })
  .transform(
    (given): Conditions => ({
      min_duration: given.min_duration ?? null,
      max_duration: given.max_duration ?? null,
      sample_rate: given.sample_rate ?? null,
      agent_list: given.agent_list ?? null,
      prompt_list: given.prompt_list ?? null,
      folder_list: given.folder_list ?? null,
      sheet_info: given.sheet_info ?? null,
    }),
  )
  .meta({ id: "InsightWorkflowCondition" });

export const InsightWorkflowEstimate = z
  .object({
    backfill_count: z
      .int()
      .min(0)
      .describe(
        "Sessions or recordings that activation would queue now. Where more than 100,000 sessions lie in the span it is estimated from one in sixteen, which is off by 2 % at 30,000.",
      ),
    backfill_duration: z.number().describe("Of those, in seconds."),
    estimated_daily_count: z.int().describe("Mean of the last 14 days."),
    estimated_daily_duration: z.number().describe("In seconds."),
    estimated_daily_cost: z
      .number()
      .describe("US dollars: list prices times the tokens these tools have used so far; 0 where unknown."),
    estimated_backfill_cost: z.number(),
  })
  .meta({ id: "InsightWorkflowEstimate" });
export type InsightWorkflowEstimate = z.infer<typeof InsightWorkflowEstimate>;

export const InsightWorkflowInput = z
  .object({
    name: name(),
    source: z.enum(WORKFLOW_SOURCES),
    description: z.string(),
    insight_tool_ids: z.array(recordId()).max(MAX_TOOLS).describe("In the order they run."),
    conditions: InsightWorkflowConditionInput,
    start_datetime: inputTimestamp()
      .nullish()
      .describe("The first session to analyse; null: those after activation."),
    end_datetime: inputTimestamp().nullish().describe("The last session to analyse; null: no end."),
  })
  .superRefine(({ insight_tool_ids, start_datetime, end_datetime }, context) => {
    for (const [index, id] of insight_tool_ids.entries()) {
      if (insight_tool_ids.indexOf(id) === index) continue;
      const message = `Insight tool ${id} is given twice`;
      context.addIssue({ code: "custom", path: ["insight_tool_ids", index], message });
    }
    if (start_datetime == null || end_datetime == null || start_datetime <= end_datetime) return;
    const message = "Input should not be before start_datetime";
    context.addIssue({ code: "custom", path: ["end_datetime"], message });
  })
  .meta({ id: "InsightWorkflowInput" });
export type InsightWorkflowInput = z.output<typeof InsightWorkflowInput>;

export const InsightWorkflowOutput = z
  .object({
    name: z.string(),
    source: z.string(),
    description: z.string(),
    insight_tool_ids: z.array(z.int()),
    conditions: z.object(ConditionFields).meta({ id: "InsightWorkflowConditionOutput" }),
    start_datetime: timestamp().nullish(),
    end_datetime: timestamp().nullish(),
    id: z.int(),
    insight_tools: z.array(InsightToolOutput),
    status: z.string(),
    estimate: InsightWorkflowEstimate.describe("All numbers are 0 where it took too long: estimate_problem."),
    validation_issues: z
      .array(ValidationIssue)
      .optional()
      .describe("Names of agents and prompts that there are not."),
    estimate_problem: z.string().optional().describe("Why there is no estimate."),
    queue_count: z.int().nullish().describe("Executions that wait or run."),
    failed_count: z.int().nullish(),
    created_at: timestamp().optional(),
    updated_at: timestamp().optional(),
    last_updated_by: z.string(),
    last_folder_upload_at: timestamp().nullish(),
  })
  .meta({ id: "InsightWorkflowOutput" });
export type InsightWorkflowOutput = z.infer<typeof InsightWorkflowOutput>;

export const InsightWorkflowActivate = z
  .object({
    is_acknowledged: z.boolean().describe("Has to be true: the estimate was read and is agreed to."),
    estimate: InsightWorkflowEstimate.describe("As it was read from the workflow."),
  })
  .meta({ id: "InsightWorkflowActivate" });

/** A workflow as the program works with it: what is stored, and the tools at their present versions. */
export type StoredWorkflow = {
  id: number;
  sub_organization_id: number;
  name: string;
  source: WorkflowSource;
  conditions: Conditions;
  /** Whom the names in agent_list and prompt_list belong to. */
  agent_ids: number[];
  prompt_ids: number[];
  start_datetime: string | null;
  end_datetime: string | null;
  status: WorkflowStatus;
  /** The last time. */
  activated_at: string | null;
  /** What its newest backfill has left behind; null: it never had one. */
  covered: Coverage | null;
  insight_tools: InsightToolOutput[];
};
