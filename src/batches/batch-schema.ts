import { z } from "zod";
import { inputTimestamp, integer, recordId, textMap, timestamp } from "../api/schema.ts";
import { REQUEST_STATUSES } from "../channels/request-status.ts";
import { BATCH_STATUSES } from "../planning/batch-state.ts";

const BatchStatus = z.enum(BATCH_STATUSES).meta({ id: "BatchStatus" });
export const RequestStatus = z.enum(REQUEST_STATUSES).meta({ id: "RequestStatus" });

/** How far the analysis of a request's session is. */
export const INSIGHTS_STATUSES = ["PENDING", "PROCESSING", "COMPLETED", "FAILED"] as const;

/** Clients remove such a segment from a URL, percent-encoded or not, so no URL would lead to a record of this name. */
export const isDotSegment = (name: string): boolean => name === "." || name === "..";
export const DOT_SEGMENT = "Input should be something other than '.' and '..', which no path can name";

/** Percent-encoded, the longest still fits the path of a URL. */
const batchId = () =>
  z
    .string()
    .min(1)
    .max(100)
    .refine((id) => id === id.trim() && !/\p{Cc}/u.test(id) && !isDotSegment(id), {
      error: "Input should be free of control characters and outer spaces, and not '.' or '..'",
      params: { type: "value_error" },
    })
    .describe("Chosen by the caller, such as 20260822.9; also names the batch in paths.");

const expiresOn = () => inputTimestamp().nullish().describe("No one is contacted from this time on.");
const paused = () => z.boolean().nullish().describe("On hold: no attempt starts.");
const callRate = () =>
  integer({ min: 1, max: 3600 })
    .nullish()
    .describe("Attempts per hour in place of the campaign's hourly_rate.");

export const CommunicationBatchInput = z
  .object({
    batch_id: batchId(),
    campaign_id: recordId(),
    expires_on: expiresOn(),
    paused: paused(),
    call_rate: callRate(),
    auto_call_rate: z
      .boolean()
      .default(false)
      .meta({ default: false })
      .describe("Spreads the remaining requests over the hours until expires_on; needs expires_on."),
  })
  .meta({ id: "CommunicationBatchCreate" });
export type BatchInput = z.output<typeof CommunicationBatchInput>;

export const CommunicationBatchUpdate = z
  .object({
    paused: paused(),
    expires_on: expiresOn(),
    call_rate: callRate(),
    auto_call_rate: z
      .boolean()
      .nullish()
      .describe("Spreads what is left over the hours until expires_on, stored or sent along."),
  })
  .meta({ id: "CommunicationBatchUpdate" });
export type BatchUpdate = z.output<typeof CommunicationBatchUpdate>;

export const CommunicationBatch = z
  .object({
    batch_id: z.string(),
    campaign_id: z.int(),
    expires_on: timestamp().nullish(),
    paused: z.boolean().nullish(),
    call_rate: z.int().min(1).max(3600).nullish(),
    auto_call_rate: z.boolean(),
    status: BatchStatus,
    auto_call_rate_baseline: z.number().nullish(),
    upload_filename: z.string().nullish(),
    dispatch_id: z.string().nullish().describe("Names the upload that runs or filled the batch."),
    created_at: timestamp(),
    deleted_at: timestamp().nullish(),
    deleted_reason: z.string().nullish(),
    last_updated_at: timestamp().nullish(),
    last_updated_by: z.string(),
    error_message: z.string().nullish().describe("Why the last upload failed."),
  })
  .meta({ id: "CommunicationBatch" });
export type Batch = z.output<typeof CommunicationBatch>;

export const RequestStatusBreakdown = z
  .object({ total_count: z.int(), counts: z.record(z.string(), z.int()).nullish() })
  .meta({ id: "RequestStatusBreakdown", description: "counts is by channel status." });

/** Outcomes of requests, as the people who run a campaign count them. */
export const OutcomeCounts = z
  .object({
    reached: z.int().describe("A person answered, or the message was delivered."),
    voicemail_left: z.int().describe("A machine answered and a message was left."),
    not_reached: z
      .int()
      .describe(
        "Failed, canceled or skipped after an attempt, or a machine answered and no message was left.",
      ),
    not_tried: z.int().describe("Skipped, canceled, invalid or a duplicate, without an attempt."),
    open: z.int().describe("Waiting or in progress."),
  })
  .meta({ id: "OutcomeCounts" });
export type OutcomeCounts = z.output<typeof OutcomeCounts>;

export const BatchDetails = CommunicationBatch.extend({
  outcome_counts: OutcomeCounts.nullish(),
  status_counts: z
    .record(z.string(), z.int())
    .nullish()
    .describe("By request status. While a file is read, PENDING also counts the rows read so far."),
  detailed_status_counts: z.record(z.string(), RequestStatusBreakdown).nullish(),
}).meta({ id: "BatchDetails" });
export type BatchDetails = z.output<typeof BatchDetails>;

/** An id as long as this is no index's problem. */
export const MAX_REFERENCE = 255;

export const CommunicationRequest = z
  .object({
    reference_id: z
      .string()
      .min(1)
      .max(MAX_REFERENCE)
      .refine((id) => !isDotSegment(id), { error: DOT_SEGMENT, params: { type: "value_error" } }),
    target: z
      .string()
      .max(320)
      .describe("A telephone number or, where the campaign sends e-mail, an address."),
    request_variables: textMap(),
  })
  .meta({ id: "CommunicationRequest" });
export type RequestInput = z.output<typeof CommunicationRequest>;

export const CommunicationRequestResult = z
  .object({
    reference_id: z.string(),
    target: z.string(),
    request_variables: textMap(),
    channel_manager_sid: z.string().nullish(),
    created_at: timestamp(),
    sent_at: timestamp().nullish(),
    attempt_count: z.int(),
    session_id: z.int().nullish(),
    conversation_id: z.int().nullish(),
    request_status: RequestStatus,
    channel_manager_status: z.string().nullish(),
    insights_status: z.string().nullish(),
    insights: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .nullish()
      .describe("Needs insights_read."),
    insights_scripted: z
      .boolean()
      .nullish()
      .describe("The scripted offline model made up at least one of `insights`; null without insights."),
    answered_by: z
      .string()
      .nullish()
      .describe(
        "Of the last call: HUMAN, MACHINE, or UNKNOWN where nobody listened for it; null: nobody answered, a text or mail arrived after it, or it was not recorded.",
      ),
    duration_s: z
      .number()
      .nullish()
      .describe(
        "Of the last call, from its answer to its end, in seconds; null: nobody answered, it goes on, or it was not recorded.",
      ),
    voicemail_left: z
      .boolean()
      .nullish()
      .describe(
        "A message was left on the machine that answered; null: nobody answered, the call goes on, or it was not recorded.",
      ),
    reached: z
      .boolean()
      .nullish()
      .describe("A person answered, or the message was delivered; null: not decided yet."),
    line_type: z.string().nullish(),
    enrichment: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: "CommunicationRequestResult" });
export type RequestResult = z.output<typeof CommunicationRequestResult>;

/** The result of adding requests. */
export const Added = z
  .object({ batch_id: z.string(), accepted: z.int(), duplicates: z.int(), invalid: z.int() })
  .meta({ id: "RequestsAdded" });
export type Added = z.output<typeof Added>;
