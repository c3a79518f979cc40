import { z } from "zod";
import {
  boundedList,
  integer,
  isCalendarDate,
  name,
  recordId,
  textMap,
  timestamp,
  ValidationIssue,
} from "../api/schema.ts";
import { ChannelManagerStatus } from "../channels/channel-status.ts";
import { RETRY_INTERVAL } from "../planning/retry-interval.ts";
import { WEEKDAY_NAMES, WEEKDAYS } from "../planning/weekday.ts";

/** How a campaign reaches people; null stands for voice. */
const CAMPAIGN_MODES = ["voice", "sms", "email"] as const;

/** More than anybody has needed; keeps one PUT a short transaction. */
export const MAX_WEBHOOKS = 100;
/** Ten years of days: what "when does it open next" may have to look through. */
const MAX_DATE_RULES = 3_660;

const DaysOfWeek = z.enum(WEEKDAYS).meta({ id: "DaysOfWeek" });
const LineTypeBucket = z.enum(["mobile", "landline", "voip"]).meta({ id: "LineTypeBucket" });

const dailyTime = () =>
  z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/)
    .nullish()
    .describe(
      "HH:MM or HH:MM:SS in the time zone of the campaign's agent; an end that is not after its start lies on the next day.",
    );

// Strict, unlike the rest of the API: a misspelt key that is passed over would leave a day open that was to be closed.
const ScheduleOverride = z
  .strictObject({
    active: z.boolean().nullish(),
    daily_start_time: dailyTime(),
    daily_end_time: dailyTime(),
    max_daily_calls: integer({ min: 0 }).nullish(),
  })
  .meta({ id: "ScheduleOverride" });

const calendarDate = () =>
  z
    .string()
    .refine(isCalendarDate, {
      error: "Input should be a date that exists, as YYYY-MM-DD",
      params: { type: "date_parsing" },
    })
    .meta({ format: "date" });

const OutreachOverrideRules = z
  .strictObject({
    days: z
      .partialRecord(z.enum(WEEKDAY_NAMES), ScheduleOverride)
      .optional()
      .describe("By weekday, full or short names; stored by short name."),
    dates: z
      .record(calendarDate(), ScheduleOverride)
      .refine((dates) => Object.keys(dates).length <= MAX_DATE_RULES, {
        error: `Dictionary should have at most ${MAX_DATE_RULES} items`,
        params: { type: "too_long" },
      })
      .optional()
      .describe("By calendar date, YYYY-MM-DD; wins over the weekday's rule, field by field."),
  })
  .meta({ id: "OutreachOverrideRules" });

const seconds = () => z.number().min(0).nullish();

const VoicemailDetectionConfig = z
  .looseObject({
    mode: z.enum(["v1", "v2"]).nullish(),
    voicemail_detection_overall_timeout: seconds(),
    voicemail_detection_pre_speech_timeout: seconds(),
    voicemail_detection_post_speech_timeout: seconds(),
    voicemail_detection_speech_threshold: seconds(),
    voicemail_detection_v2_pre_speech_timeout: seconds(),
  })
  .meta({
    id: "VoicemailDetectionConfig",
    description: "In seconds; at most 59, 10, 5, 6 and 10 count, as at Twilio. Unknown keys are kept.",
  });

const TargetFilterRule = z
  .object({
    field: z.string().min(1).describe("A key of the request's enrichment, such as line_type"),
    op: z.enum(["in", "not_in", "eq", "neq", "exists", "not_exists"]).meta({ id: "FilterOp" }),
    values: boundedList(z.string()).default([]),
  })
  .meta({ id: "TargetFilterRule" });

export const TargetFilters = z
  .object({
    match: z.enum(["all", "any"]).default("all"),
    on_unknown: z.enum(["include", "exclude"]).default("include"),
    rules: boundedList(TargetFilterRule).default([]),
  })
  .meta({ id: "TargetFilters" });

const upperCase = (value: unknown): unknown => (typeof value === "string" ? value.toUpperCase() : value);

const OutboundCampaignWebhookInput = z
  .object({
    trigger_statuses: boundedList(ChannelManagerStatus).min(1),
    url: z.string().max(2048),
    request_method: z.preprocess(upperCase, z.enum(["POST", "PUT", "PATCH"])),
    id: recordId().nullish().describe("Set to keep and update an existing webhook."),
    auth_values: z
      .strictObject({ hmac_secret: z.string().nullable().optional() })
      .nullish()
      .describe(
        "Write-only: a Base64 key of 32 to 512 bytes. On update null keeps the stored one, an omitted key removes it.",
      ),
  })
  .meta({ id: "OutboundCampaignWebhook" });
export type WebhookInput = z.output<typeof OutboundCampaignWebhookInput>;

const OutboundCampaignWebhookResponse = z
  .object({
    trigger_statuses: boundedList(ChannelManagerStatus),
    url: z.string(),
    request_method: z.string(),
    id: z.int(),
    auth_value_keys: boundedList(z.string()).nullish(),
  })
  .meta({ id: "OutboundCampaignWebhookResponse" });

/** A number or an e-mail address of ours. */
const address = () => z.string().min(1).max(320);

/** Other keys are passed over, so that a client may PUT back what it got. */
export const OutboundCampaignInput = z
  .object({
    campaign_name: name(),
    description: z.string().nullish(),
    mode: z.enum(CAMPAIGN_MODES).nullish(),
    sms_session_ttl: integer({ min: 0 }).nullish().describe("In minutes."),
    label: z.string().nullish().meta({ deprecated: true, description: "Use labels." }),
    labels: boundedList(z.string()).nullish(),
    campaign_variables: textMap(),
    daily_start_time: dailyTime(),
    daily_end_time: dailyTime(),
    source: address().nullish(),
    caller_id: address().nullable(),
    hourly_rate: integer({ min: 1, max: 3600 }).prefault(1),
    max_daily_calls: integer({ min: 0 }).nullish(),
    retry_count: integer({ min: 0 }).prefault(0),
    retry_interval: z
      .string()
      .regex(RETRY_INTERVAL)
      .nullish()
      .describe("Such as 30m, 12h or 7d; null: one hour."),
    active_days: boundedList(DaysOfWeek),
    outreach_override_rules: OutreachOverrideRules.nullish(),
    voicemail_detection: VoicemailDetectionConfig.nullish(),
    allowed_line_types: boundedList(LineTypeBucket).nullish(),
    include_unknown_line_types: z.boolean().default(true),
    target_filters: TargetFilters.nullish(),
    webhooks: z.array(OutboundCampaignWebhookInput).max(MAX_WEBHOOKS).prefault([]),
  })
  .meta({ id: "OutboundCampaign" });
export type CampaignInput = z.output<typeof OutboundCampaignInput>;

export const OutboundCampaign = OutboundCampaignInput.omit({ webhooks: true })
  .extend({
    // What an answer never leaves out; the input leaves these to their defaults, or names the values it takes.
    mode: z.string().nullish(),
    hourly_rate: z.int(),
    retry_count: z.int(),
    include_unknown_line_types: z.boolean(),
    webhooks: z.array(OutboundCampaignWebhookResponse).nullish(),
    id: z.int(),
    agent_id: z.int().nullish(),
    validation_issues: z.array(ValidationIssue).optional().describe("Where there is something to mend."),
    created_at: timestamp().optional(),
    updated_at: timestamp().optional(),
    last_updated_by: z.string(),
  })
  .meta({ id: "OutboundCampaignResponse" });
export type OutboundCampaign = z.output<typeof OutboundCampaign>;
