import { beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_STATUSES } from "../../../src/channels/channel-status.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CAMPAIGNS, hook, NUMBER } from "../../harness/campaigns.ts";
import { serverDocument } from "../../harness/operations.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await createSender(app, app.admin, { target: NUMBER });
});

const least = { campaign_name: "Input", campaign_variables: {}, caller_id: NUMBER, active_days: ["mon"] };
const secret = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");
const without = (key: keyof typeof least) => ({ ...least, [key]: undefined });
const rules = (outreach_override_rules: object) => ({ ...least, outreach_override_rules });
const hooks = (...webhooks: object[]) => ({ ...least, webhooks });
const filters = (target_filters: object) => ({ ...least, target_filters });

test("openapi.json tells what a field that is left out becomes, unless that is null", async () => {
  await app.api.server.ready();
  const { properties } = serverDocument(app.api.server).components.schemas.OutboundCampaign ?? {};
  const told = Object.entries<object>(properties).flatMap(([name, schema]) =>
    "default" in schema ? [[name, schema.default]] : [],
  );
  expect(Object.fromEntries(told)).toEqual({
    hourly_rate: 1,
    retry_count: 0,
    include_unknown_line_types: true,
    webhooks: [],
  });
});

describe("a body that breaks the contract is refused at its place", () => {
  test("all there is to mend is named at once, of shapes and of rules", async () => {
    const body = {
      ...without("campaign_name"),
      outreach_override_rules: { days: { mon: {}, monday: {}, someday: {} } },
      webhooks: [
        "none",
        { ...hook(), url: "http://example.com/hook", trigger_statuses: ["NEVER"] },
        { ...hook(), url: 7, auth_values: { hmac_secret: secret(31) }, id: 1 },
        { ...hook(), auth_values: "none", id: 1 },
      ],
    };
    const { status, body: answer } = await app.send("POST", CAMPAIGNS, body);
    expect(status).toBe(422);
    const at = (place: string, type: string) => [["body", ...place.split(".")].join("."), type];
    expect(
      answer.detail
        .map(({ loc, type }: { loc: unknown[]; type: string }) => [loc.join("."), type])
        .toSorted(),
    ).toEqual(
      [
        at("campaign_name", "missing"),
        at("outreach_override_rules.days.someday", "extra_forbidden"),
        at("outreach_override_rules.days.monday", "value_error"),
        at("webhooks.0", "dict_type"),
        at("webhooks.1.trigger_statuses.0", "enum"),
        at("webhooks.1.url", "url_parsing"),
        at("webhooks.2.url", "string_type"),
        at("webhooks.2.auth_values.hmac_secret", "value_error"),
        at("webhooks.3.auth_values", "dict_type"),
        at("webhooks.3.id", "value_error"),
      ].toSorted(),
    );
  });

  test.each([
    [without("campaign_name"), "campaign_name", "missing"],
    [without("campaign_variables"), "campaign_variables", "missing"],
    [without("caller_id"), "caller_id", "missing"],
    [without("active_days"), "active_days", "missing"],
    [{ ...least, campaign_name: "" }, "campaign_name", "string_too_short"],
    [{ ...least, campaign_name: null }, "campaign_name", "string_type"],
    [{ ...least, description: 7 }, "description", "string_type"],
    [{ ...least, mode: "pigeon" }, "mode", "enum"],
    [{ ...least, sms_session_ttl: -1 }, "sms_session_ttl", "greater_than_equal"],
    [{ ...least, label: ["a"] }, "label", "string_type"],
    [{ ...least, labels: "a" }, "labels", "list_type"],
    [{ ...least, labels: ["a", null] }, "labels.1", "string_type"],
    [{ ...least, campaign_variables: null }, "campaign_variables", "dict_type"],
    [{ ...least, campaign_variables: [] }, "campaign_variables", "dict_type"],
    [{ ...least, campaign_variables: { n: 7 } }, "campaign_variables.n", "string_type"],
    [{ ...least, campaign_variables: { n: { deep: "x" } } }, "campaign_variables.n", "string_type"],
    [{ ...least, daily_start_time: "9:00" }, "daily_start_time", "string_pattern_mismatch"],
    [{ ...least, daily_start_time: "24:00" }, "daily_start_time", "string_pattern_mismatch"],
    [{ ...least, daily_end_time: "12:60" }, "daily_end_time", "string_pattern_mismatch"],
    [{ ...least, daily_end_time: "12:00:60" }, "daily_end_time", "string_pattern_mismatch"],
    [{ ...least, daily_end_time: "5pm" }, "daily_end_time", "string_pattern_mismatch"],
    [{ ...least, source: "" }, "source", "string_too_short"],
    [{ ...least, caller_id: 19032900844 }, "caller_id", "string_type"],
    [{ ...least, hourly_rate: 0 }, "hourly_rate", "greater_than_equal"],
    [{ ...least, hourly_rate: 3601 }, "hourly_rate", "less_than_equal"],
    [{ ...least, hourly_rate: 1.5 }, "hourly_rate", "int_from_float"],
    [{ ...least, hourly_rate: null }, "hourly_rate", "int_type"],
    [{ ...least, max_daily_calls: -1 }, "max_daily_calls", "greater_than_equal"],
    [{ ...least, retry_count: -1 }, "retry_count", "greater_than_equal"],
    [{ ...least, retry_count: "twice" }, "retry_count", "int_parsing"],
    [{ ...least, retry_interval: "0m" }, "retry_interval", "string_pattern_mismatch"],
    [{ ...least, retry_interval: "30" }, "retry_interval", "string_pattern_mismatch"],
    [{ ...least, retry_interval: "1.5h" }, "retry_interval", "string_pattern_mismatch"],
    [{ ...least, retry_interval: "12345m" }, "retry_interval", "string_pattern_mismatch"],
    [{ ...least, active_days: null }, "active_days", "list_type"],
    [{ ...least, active_days: ["mon", "monday"] }, "active_days.1", "enum"],
    [rules({ days: { funday: {} } }), "outreach_override_rules.days.funday", "extra_forbidden"],
    [rules({ days: { Mon: {} } }), "outreach_override_rules.days.Mon", "extra_forbidden"],
    [rules({ days: { mon: {}, tue: {}, monday: {} } }), "outreach_override_rules.days.monday", "value_error"],
    [rules({ day: {} }), "outreach_override_rules.day", "extra_forbidden"],
    [rules({ days: { mon: { activ: false } } }), "outreach_override_rules.days.mon.activ", "extra_forbidden"],
    [rules({ days: { mon: { active: 0 } } }), "outreach_override_rules.days.mon.active", "bool_type"],
    [
      rules({ days: { mon: { max_daily_calls: -1 } } }),
      "outreach_override_rules.days.mon.max_daily_calls",
      "greater_than_equal",
    ],
    [
      rules({ dates: { "2026-12-24": { daily_end_time: "noon" } } }),
      "outreach_override_rules.dates.2026-12-24.daily_end_time",
      "string_pattern_mismatch",
    ],
    [rules({ dates: { "2026-02-29": {} } }), "outreach_override_rules.dates.2026-02-29", "date_parsing"],
    [rules({ dates: { "2026-2-3": {} } }), "outreach_override_rules.dates.2026-2-3", "date_parsing"],
    [rules({ dates: { tomorrow: {} } }), "outreach_override_rules.dates.tomorrow", "date_parsing"],
    [rules({ dates: [] }), "outreach_override_rules.dates", "dict_type"],
    [{ ...least, voicemail_detection: { mode: "v3" } }, "voicemail_detection.mode", "enum"],
    [
      { ...least, voicemail_detection: { voicemail_detection_overall_timeout: "30" } },
      "voicemail_detection.voicemail_detection_overall_timeout",
      "float_parsing",
    ],
    [{ ...least, allowed_line_types: ["fax"] }, "allowed_line_types.0", "enum"],
    [{ ...least, include_unknown_line_types: null }, "include_unknown_line_types", "bool_type"],
    [filters({ match: "some" }), "target_filters.match", "enum"],
    [filters({ on_unknown: "skip" }), "target_filters.on_unknown", "enum"],
    [filters({ rules: [{ op: "in" }] }), "target_filters.rules.0.field", "missing"],
    [filters({ rules: [{ field: "x" }] }), "target_filters.rules.0.op", "missing"],
    [filters({ rules: [{ field: "x", op: "like" }] }), "target_filters.rules.0.op", "enum"],
    [
      filters({ rules: [{ field: "x", op: "in", values: "y" }] }),
      "target_filters.rules.0.values",
      "list_type",
    ],
    [{ ...least, webhooks: null }, "webhooks", "list_type"],
    [hooks(hook({ trigger_statuses: undefined })), "webhooks.0.trigger_statuses", "missing"],
    [hooks(hook({ trigger_statuses: [] })), "webhooks.0.trigger_statuses", "too_short"],
    [hooks(hook({ trigger_statuses: ["DONE"] })), "webhooks.0.trigger_statuses.0", "enum"],
    [hooks(hook({ trigger_statuses: ["CONNECTED"] })), "webhooks.0.trigger_statuses.0", "enum"],
    [hooks(hook({ url: undefined })), "webhooks.0.url", "missing"],
    [hooks(hook(), hook({ url: "http://example.com" })), "webhooks.1.url", "url_parsing"],
    [hooks(hook({ url: "https://user@example.com" })), "webhooks.0.url", "url_parsing"],
    [hooks(hook({ url: `https://example.com/${"a".repeat(2029)}` })), "webhooks.0.url", "string_too_long"],
    [hooks(hook({ request_method: undefined })), "webhooks.0.request_method", "missing"],
    [hooks(hook({ request_method: "GET" })), "webhooks.0.request_method", "enum"],
    [hooks(hook({ id: "x" })), "webhooks.0.id", "int_parsing"],
    [hooks(hook({ auth_values: { token: "x" } })), "webhooks.0.auth_values.token", "extra_forbidden"],
    [hooks(hook({ auth_values: { hmac_secret: 7 } })), "webhooks.0.auth_values.hmac_secret", "string_type"],
    [
      hooks(hook({ auth_values: { hmac_secret: secret(31) } })),
      "webhooks.0.auth_values.hmac_secret",
      "value_error",
    ],
    [
      hooks(hook({ auth_values: { hmac_secret: secret(513) } })),
      "webhooks.0.auth_values.hmac_secret",
      "value_error",
    ],
  ])("%j: %s, %s", async (body, place, type) => {
    const answer = await app.send("POST", CAMPAIGNS, body);
    expect(answer.status).toBe(422);
    expect(
      answer.body.detail.map((issue: { loc: unknown[] }) => ({ ...issue, loc: issue.loc.join(".") })),
    ).toEqual([{ loc: `body.${place}`, msg: expect.any(String), type }]);
  });

  test("every refusal left nothing behind", async () => {
    expect((await app.send("GET", CAMPAIGNS)).body.total_count).toBe(0);
  });
});

test.each([
  ["hourly_rate", 1],
  ["hourly_rate", 3600],
  ["hourly_rate", "60"],
  ["max_daily_calls", 0],
  ["retry_interval", "9999w"],
  ["active_days", []],
  ["allowed_line_types", []],
  ["webhooks", [hook({ url: `https://example.com/${"a".repeat(2028)}` })]],
  ["webhooks", [hook({ trigger_statuses: CHANNEL_STATUSES, auth_values: { hmac_secret: secret(512) } })]],
  ["outreach_override_rules", { dates: { "2028-02-29": { max_daily_calls: 0 } } }],
])("the edge of a rule is accepted: %s %j", async (field, value) => {
  const { status, body } = await app.send("POST", CAMPAIGNS, {
    ...least,
    campaign_name: `Edge ${field} ${JSON.stringify(value).slice(0, 90)}`,
    [field]: value,
  });
  expect(status, JSON.stringify(body)).toBe(200);
});
