import { z } from "zod";
import { name, recordId, timestamp } from "../api/schema.ts";
import { JudgeCalibration } from "./calibration.ts";

/** Odd, so that there is a majority. */
const Votes = z.literal([1, 3, 5, 7, 9]);

export const JudgeInput = z
  .strictObject({
    name: name(),
    description: z.string().max(10_000).default(""),
    question: z
      .string()
      .min(1)
      .max(2_000)
      .describe("What a person who labels is asked, to be answered with yes or no."),
    insight_tool_id: recordId().describe("An llm_tool or a regex_tool."),
    output: z.string().min(1).max(64).describe("The key of its result that decides."),
    wanted: z
      .union([z.boolean(), z.number(), z.string().max(1_000)])
      .default(true)
      .describe("The answer is yes when the output has this value."),
    reason_output: z.string().min(1).max(64).nullish().describe("The key of its result that tells why."),
    votes: Votes.default(3).describe("How often it is asked; the majority decides."),
    least_kappa: z
      .number()
      .min(0)
      .max(1)
      .default(0.6)
      .describe("Below this agreement with people it informs, and fails no test."),
  })
  .meta({ id: "JudgeInput" });
export type JudgeInput = z.infer<typeof JudgeInput>;

export const JudgeUpdate = JudgeInput.extend({ id: recordId() }).meta({ id: "JudgeUpdate" });
export type JudgeUpdate = z.infer<typeof JudgeUpdate>;

export const JudgeListed = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    question: z.string(),
    insight_tool_id: z.int(),
    insight_tool: z.string().describe("The configuration's name."),
    output: z.string(),
    wanted: z.union([z.boolean(), z.number(), z.string()]),
    reason_output: z.string().nullable(),
    votes: Votes,
    least_kappa: z.number(),
    label_count: z.int(),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "JudgeListed" });
export type JudgeListed = z.infer<typeof JudgeListed>;

export const JudgeResponse = JudgeListed.extend({ calibration: JudgeCalibration }).meta({
  id: "JudgeResponse",
});
export type JudgeResponse = z.infer<typeof JudgeResponse>;

export const JudgeLabel = z
  .object({
    session_id: z.int(),
    label: z.enum(["yes", "no", "unclear"]),
    labelled_at: timestamp(),
    labelled_by: z.string(),
    answer: z.enum(["yes", "no"]).nullable().describe("The judge's; null: not yet, or it gave none."),
    votes_yes: z.int().nullable(),
    model: z.string().nullable(),
    fault: z.string().nullable().describe("Why it gave no answer."),
    is_current: z.boolean().describe("false: answered by an earlier form of the judge, or not yet."),
  })
  .meta({ id: "JudgeLabel" });
export type JudgeLabel = z.infer<typeof JudgeLabel>;

export const JudgeLabelRequest = z
  .strictObject({ label: z.enum(["yes", "no", "unclear"]) })
  .meta({ id: "JudgeLabelRequest" });
