import type { InputIssue } from "../base/errors.ts";
import { secretProblem } from "../base/webhook-secret.ts";
import { type EgressRules, isNamed } from "../egress/egress-address.ts";
import { isRecord } from "../expressions/member.ts";
import type { Rule, Schedule } from "../planning/schedule.ts";
import { WEEKDAY_NAMES, type Weekday, type WeekdayName, weekdayNamed } from "../planning/weekday.ts";
import { type CampaignInput, MAX_WEBHOOKS, type WebhookInput } from "./campaign-schema.ts";

/** A campaign as it is stored: everything decided, nothing left out. */
export type Campaign = Schedule & {
  campaign_name: string;
  description: string | null;
  mode: NonNullable<CampaignInput["mode"]> | null;
  sms_session_ttl: number | null;
  label: string | null;
  labels: string[] | null;
  campaign_variables: Record<string, string>;
  source: string | null;
  caller_id: string | null;
  hourly_rate: number;
  retry_count: number;
  retry_interval: string | null;
  voicemail_detection: CampaignInput["voicemail_detection"] | null;
  allowed_line_types: NonNullable<CampaignInput["allowed_line_types"]> | null;
  include_unknown_line_types: boolean;
  target_filters: CampaignInput["target_filters"] | null;
  webhooks: Webhook[];
};
export type Webhook = WebhookInput & { id: number | null };

type CheckedCampaign = { kind: "accepted"; campaign: Campaign } | { kind: "refused"; issues: InputIssue[] };

/** The rules of a campaign that no single field's shape can tell; pure, every broken one is reported. */
export function checkCampaign(
  input: CampaignInput,
  egress_allow: EgressRules = { hosts: [], networks: [] },
): CheckedCampaign {
  const issues = campaignFaults(input, egress_allow);
  return issues.length > 0 ? { kind: "refused", issues } : { kind: "accepted", campaign: normalised(input) };
}

/** Also of a body whose shape is wrong: what can be read of it is checked, so that one answer names all there is to mend. */
export function campaignFaults(given: unknown, egress_allow: EgressRules): InputIssue[] {
  if (!isRecord(given)) return [];
  return [...checkDays(given.outreach_override_rules), ...checkWebhooks(given.webhooks, egress_allow)];
}

/** Omitted becomes null, a list that means a set holds each member once, times and days get their one spelling. */
const normalised = (input: CampaignInput): Campaign => ({
  campaign_name: input.campaign_name,
  description: input.description ?? null,
  mode: input.mode ?? null,
  sms_session_ttl: input.sms_session_ttl ?? null,
  label: input.label ?? null,
  labels: input.labels ?? null,
  campaign_variables: input.campaign_variables,
  daily_start_time: withSeconds(input.daily_start_time) ?? null,
  daily_end_time: withSeconds(input.daily_end_time) ?? null,
  source: input.source ?? null,
  caller_id: input.caller_id,
  hourly_rate: input.hourly_rate,
  max_daily_calls: input.max_daily_calls ?? null,
  retry_count: input.retry_count,
  retry_interval: input.retry_interval ?? null,
  active_days: each(input.active_days),
  outreach_override_rules: normalisedRules(input.outreach_override_rules),
  voicemail_detection: input.voicemail_detection ?? null,
  allowed_line_types: input.allowed_line_types ? each(input.allowed_line_types) : null,
  include_unknown_line_types: input.include_unknown_line_types,
  target_filters: input.target_filters ?? null,
  webhooks: input.webhooks.map((webhook) => ({
    ...webhook,
    id: webhook.id ?? null,
    trigger_statuses: each(webhook.trigger_statuses),
  })),
});

const each = <T>(members: T[]): T[] => [...new Set(members)];

/** An absent time stays absent: in an override it inherits. */
const withSeconds = <T extends string | null | undefined>(time: T): T | string =>
  time?.length === "HH:MM".length ? `${time}:00` : time;

function normalisedRules(
  rules: CampaignInput["outreach_override_rules"],
): Schedule["outreach_override_rules"] {
  if (rules == null) return null;
  const { days, dates } = rules;
  return {
    ...(days && { days: mapEntries(days, (name, rule) => [weekdayNamed(name), normalisedRule(rule)]) }),
    ...(dates && { dates: mapEntries(dates, (date, rule) => [date, normalisedRule(rule)]) }),
  };
}

const normalisedRule = (rule: Rule): Rule => ({
  ...rule,
  ...("daily_start_time" in rule && { daily_start_time: withSeconds(rule.daily_start_time) }),
  ...("daily_end_time" in rule && { daily_end_time: withSeconds(rule.daily_end_time) }),
});

const mapEntries = <K extends string, V, L extends string, W>(
  record: Partial<Record<K, V>>,
  change: (key: K, value: V) => [L, W],
): Partial<Record<L, W>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => change(key as K, value as V))) as Partial<
    Record<L, W>
  >;

const isWeekdayName = (name: string): name is WeekdayName =>
  (WEEKDAY_NAMES as readonly string[]).includes(name);

/** `mon` and `monday` in one body contradict each other; which one was meant is not ours to guess. */
function checkDays(rules: unknown): InputIssue[] {
  const days = isRecord(rules) && isRecord(rules.days) ? rules.days : {};
  const first = new Map<Weekday, WeekdayName>();
  return Object.keys(days)
    .filter(isWeekdayName)
    .flatMap((name) => {
      const day = weekdayNamed(name);
      const earlier = first.get(day);
      if (earlier === undefined) {
        first.set(day, name);
        return [];
      }
      return [
        {
          loc: ["body", "outreach_override_rules", "days", name],
          msg: `'${name}' is the same day as '${earlier}'; give one of them`,
          type: "value_error",
        },
      ];
    });
}

function checkWebhooks(webhooks: unknown, egress_allow: EgressRules): InputIssue[] {
  const ids = new Set<number>();
  if (!Array.isArray(webhooks)) return [];
  return webhooks.slice(0, MAX_WEBHOOKS).flatMap((webhook: unknown, index) => {
    if (!isRecord(webhook)) return [];
    const problems: [(string | number)[], string, string][] = [];
    const { url, id, auth_values } = webhook;
    const wrong = typeof url === "string" ? urlProblem(url, egress_allow) : null;
    if (wrong) problems.push([["url"], wrong, "url_parsing"]);

    const secret = isRecord(auth_values) ? auth_values.hmac_secret : null;
    const weak = typeof secret === "string" ? secretProblem(secret) : null;
    if (weak) problems.push([["auth_values", "hmac_secret"], weak, "value_error"]);

    if (typeof id === "number" && ids.has(id)) {
      problems.push([["id"], `Webhook ${id} is given twice`, "value_error"]);
    } else if (typeof id === "number") ids.add(id);

    return problems.map(([loc, msg, type]) => ({ loc: ["body", "webhooks", index, ...loc], msg, type }));
  });
}

/**
 * `https://`, or `http://` for a receiver that the operator's EGRESS_ALLOW names; then an authority without `@`, `\` and white space: the URL parser would drop, turn or hide those, and
 * the address a person reads would not be the one that is called.
 */
const HTTP_URL = /^https?:\/\/[^\s\p{Cc}\\@/?#]+(?:[/?#][^\s\p{Cc}]*)?$/iu;

/** Why a webhook can't be sent to this address; null: it can. */
export function urlProblem(url: string, egress_allow: EgressRules): string | null {
  if (!/^https?:\/\//i.test(url)) return "Input should be a URL that starts with https://";
  if (!HTTP_URL.test(url) || !URL.canParse(url)) {
    return "Input should be a valid URL with a host and without credentials or white space";
  }
  const parsed = new URL(url);
  if (parsed.protocol === "http:" && !isNamed(parsed, egress_allow))
    return "Input should be a URL that starts with https://; http:// is for receivers that EGRESS_ALLOW names";
  return null;
}
