import type {
  OutboundCampaign,
  OutboundCampaignResponse,
  OutboundCampaignWebhook,
  ScheduleOverride,
  VoicemailDetectionConfig,
} from "../api-types.ts";
import { ApiError } from "../server/api.ts";
import { type FieldLabels, worded } from "../server/field-labels.ts";
import { authValues, type SecretChange } from "../webhooks/webhook-secret.ts";
import {
  DAY_NAMES,
  DETECTION_METHODS,
  FILTER_OPS,
  LINE_TYPES,
  MATCHES,
  MODES,
  UNKNOWN_VALUES,
} from "./campaign-words.ts";

/** The form's values: everything that the API takes, so that every error has a field. */
export type CampaignValues = Required<
  Omit<OutboundCampaign, "label" | "outreach_override_rules" | "webhooks">
> & {
  outreach_override_rules: {
    days: Record<string, ScheduleOverride>;
    dates: Record<string, ScheduleOverride>;
  };
  webhooks: WebhookValues[];
  /** The change to each webhook's secret. Kept apart from the webhooks, so that the review can hide it. */
  secrets: SecretChange[];
};
export type WebhookValues = Omit<OutboundCampaignWebhook, "auth_values">;

export const NEW_CAMPAIGN: CampaignValues = {
  campaign_name: "",
  description: "",
  mode: "voice",
  sms_session_ttl: null,
  labels: [],
  campaign_variables: {},
  daily_start_time: "09:00:00",
  daily_end_time: "17:00:00",
  source: "",
  caller_id: "",
  hourly_rate: 60,
  max_daily_calls: null,
  retry_count: 2,
  retry_interval: "4h",
  active_days: ["mon", "tue", "wed", "thu", "fri"],
  outreach_override_rules: { days: {}, dates: {} },
  voicemail_detection: null,
  allowed_line_types: null,
  include_unknown_line_types: true,
  target_filters: null,
  webhooks: [],
  secrets: [],
};

/** The times of voicemail detection, in seconds. */
export const VOICEMAIL_TIMEOUTS: [
  field: keyof VoicemailDetectionConfig,
  label: string,
  description: string,
][] = [
  ["voicemail_detection_overall_timeout", "Detection timeout", "Latest time for a decision."],
  [
    "voicemail_detection_pre_speech_timeout",
    "Initial silence",
    "Silence of this length before any speech rules out voicemail.",
  ],
  [
    "voicemail_detection_post_speech_timeout",
    "Silence after speech",
    "A pause of this length ends the greeting.",
  ],
  ["voicemail_detection_speech_threshold", "Speech length", "Longer speech means voicemail."],
  ["voicemail_detection_v2_pre_speech_timeout", "Initial silence, version 2", "The same for version 2."],
];

export const CAMPAIGN_LABELS: FieldLabels = {
  campaign_name: "Name",
  mode: worded("Contact people by", MODES),
  source: "From",
  caller_id: "Caller ID",
  sms_session_ttl: "Reply window (min)",
  campaign_variables: "Variables",
  active_days: worded("Days", DAY_NAMES),
  daily_start_time: "Hours, from",
  daily_end_time: "Hours, until",
  outreach_override_rules: "Exceptions",
  ...Object.fromEntries(
    Object.entries(DAY_NAMES).map(([day, name]) => [
      `outreach_override_rules.days.${day}`,
      `Exceptions, ${name}s`,
    ]),
  ),
  "outreach_override_rules.dates": "Exceptions",
  "outreach_override_rules.*.*.active": worded("Open or closed", { true: "open", false: "closed" }),
  "outreach_override_rules.*.*.daily_start_time": "From",
  "outreach_override_rules.*.*.daily_end_time": "Until",
  "outreach_override_rules.*.*.max_daily_calls": "New people, limit",
  hourly_rate: "Attempts per hour",
  max_daily_calls: "New people per day",
  retry_count: "Retries",
  retry_interval: "Wait before a retry",
  allowed_line_types: worded("Line types", LINE_TYPES),
  include_unknown_line_types: "Include unknown types",
  target_filters: "Number rules",
  "target_filters.match": worded("Match", MATCHES),
  "target_filters.on_unknown": worded("Unknown values", UNKNOWN_VALUES),
  "target_filters.rules": "Number rules",
  "target_filters.rules.*.op": worded("Comparison", FILTER_OPS),
  voicemail_detection: "Detect voicemail",
  "voicemail_detection.mode": worded("Detection method", DETECTION_METHODS),
  ...Object.fromEntries(
    VOICEMAIL_TIMEOUTS.map(([field, label]) => [`voicemail_detection.${field}`, `${label} (s)`]),
  ),
  "webhooks.*.url": "URL",
  "webhooks.*.request_method": "Method",
  webhooks: "Webhooks",
  "webhooks.*.trigger_statuses": "Notify on status",
  secrets: "Secrets of webhooks",
};

export function valuesOf(campaign: OutboundCampaignResponse): CampaignValues {
  const own = Object.keys(NEW_CAMPAIGN).map((name) => [
    name,
    campaign[name as keyof OutboundCampaignResponse] ?? null,
  ]);
  return {
    ...(Object.fromEntries(own) as CampaignValues),
    description: campaign.description ?? "",
    source: campaign.source ?? "",
    caller_id: campaign.caller_id ?? "",
    labels: campaign.labels ?? [],
    outreach_override_rules: {
      days: campaign.outreach_override_rules?.days ?? {},
      dates: campaign.outreach_override_rules?.dates ?? {},
    },
    webhooks: (campaign.webhooks ?? []).map(({ id, url, request_method, trigger_statuses }) => ({
      id,
      url,
      request_method: request_method as WebhookValues["request_method"],
      trigger_statuses,
    })),
    secrets: (campaign.webhooks ?? []).map(({ auth_value_keys }) => ({
      kind: auth_value_keys?.includes("hmac_secret") ? "keep" : "none",
    })),
  };
}

/** The request body: empty fields are sent as null. */
export function sent({ secrets, ...values }: CampaignValues): OutboundCampaign {
  const { days, dates } = values.outreach_override_rules;
  const hasRules = Object.keys(days).length + Object.keys(dates).length > 0;
  return {
    ...values,
    description: values.description || null,
    source: values.source || null,
    caller_id: values.caller_id || null,
    outreach_override_rules: hasRules ? { days, dates } : null,
    webhooks: values.webhooks.map((webhook, index) => ({
      ...webhook,
      auth_values: authValues(secrets[index] ?? { kind: "none" }),
    })),
  };
}

/** Moves the API's errors about a webhook's secret to the field that the form has for it. */
export function atSecrets(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const issues = error.issues.map((issue) => {
    const [body, list, index, part, ...rest] = issue.loc;
    const isSecret = list === "webhooks" && part === "auth_values";
    return isSecret ? { ...issue, loc: [body as string, "secrets", index as number, ...rest] } : issue;
  });
  return new ApiError(error.status, error.message, issues);
}

/** The errors whose value is unchanged: one whose value was changed, moved or removed is dropped. */
export const remainingErrors = <Finding>(
  findings: Record<string, Finding>,
  before: object,
  after: object,
): Record<string, Finding> =>
  Object.fromEntries(
    Object.entries(findings).filter(
      ([path]) => JSON.stringify(valueAt(before, path)) === JSON.stringify(valueAt(after, path)),
    ),
  );

const valueAt = (values: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], values);

/** Paths of new secrets in the form, which the review hides. */
export const secretPaths = (secrets: SecretChange[]): string[] =>
  secrets.flatMap(({ kind }, index) =>
    kind === "new" ? [`secrets.${index}.hmac_secret`, `secrets.${index}`] : [],
  );
