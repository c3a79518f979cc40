import { describe, expect, test } from "vitest";
import type { EgressRules } from "../egress/egress-address.ts";
import { parseEgressAllow } from "../egress/egress-allow.ts";
import { OutboundCampaignInput } from "./campaign-schema.ts";
import { type Campaign, checkCampaign } from "./check-campaign.ts";

const check = (input: object, egress_allow?: EgressRules) =>
  checkCampaign(
    OutboundCampaignInput.parse({
      campaign_name: "Recall",
      campaign_variables: {},
      caller_id: null,
      active_days: [],
      ...input,
    }),
    egress_allow,
  );

function accepted(input: object): Campaign {
  const checked = check(input);
  if (checked.kind !== "accepted") throw new Error(JSON.stringify(checked.issues));
  return checked.campaign;
}

const issues = (input: object) => {
  const checked = check(input);
  return checked.kind === "refused" ? checked.issues : [];
};

const hook = (more: object = {}) => ({
  trigger_statuses: ["COMPLETED"],
  url: "https://example.com/hook",
  request_method: "POST",
  ...more,
});
const secret = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");

describe("an accepted campaign", () => {
  test("has a value for every field that was left out", () => {
    expect(accepted({})).toEqual({
      campaign_name: "Recall",
      description: null,
      mode: null,
      sms_session_ttl: null,
      label: null,
      labels: null,
      campaign_variables: {},
      daily_start_time: null,
      daily_end_time: null,
      source: null,
      caller_id: null,
      hourly_rate: 1,
      max_daily_calls: null,
      retry_count: 0,
      retry_interval: null,
      active_days: [],
      outreach_override_rules: null,
      voicemail_detection: null,
      allowed_line_types: null,
      include_unknown_line_types: true,
      target_filters: null,
      webhooks: [],
    });
  });

  test.each([
    [{ labels: ["a", "b"], label: "c" }, "c", ["a", "b"]],
    [{ label: "c" }, "c", null],
    [{ labels: ["a"] }, null, ["a"]],
    [{ labels: null, label: null }, null, null],
  ])("label and labels are two fields: %j", (input, label, labels) => {
    expect(accepted(input)).toMatchObject({ label, labels });
  });

  test("times have seconds and days have short names, in overrides too", () => {
    const campaign = accepted({
      daily_start_time: "09:00",
      daily_end_time: "17:30:15",
      outreach_override_rules: {
        days: { monday: { daily_start_time: "10:00" }, sat: { active: true, daily_end_time: null } },
        dates: { "2026-12-24": { daily_end_time: "12:00" } },
      },
    });
    expect(campaign).toMatchObject({ daily_start_time: "09:00:00", daily_end_time: "17:30:15" });
    expect(campaign.outreach_override_rules).toEqual({
      days: { mon: { daily_start_time: "10:00:00" }, sat: { active: true, daily_end_time: null } },
      dates: { "2026-12-24": { daily_end_time: "12:00:00" } },
    });
  });

  test("a list that means a set holds each member once", () => {
    expect(
      accepted({
        active_days: ["tue", "mon", "tue"],
        allowed_line_types: ["voip", "voip"],
        webhooks: [hook({ trigger_statuses: ["BUSY", "BUSY", "HUMAN"] })],
      }),
    ).toMatchObject({
      active_days: ["tue", "mon"],
      allowed_line_types: ["voip"],
      webhooks: [{ trigger_statuses: ["BUSY", "HUMAN"] }],
    });
  });
});

test("two spellings of one day are refused at the second's place, whichever comes first", () => {
  const twice = (days: object) => issues({ outreach_override_rules: { days } }).map(({ loc }) => loc.at(-1));
  expect(twice({ mon: {}, monday: {} })).toEqual(["monday"]);
  expect(twice({ monday: {}, tue: {}, mon: {} })).toEqual(["mon"]);
  expect(twice({ mon: {}, tuesday: {} })).toEqual([]);
});

describe("the URL of a webhook", () => {
  test.each([
    "https://example.com",
    "https://example.com:8443/a/b?c=d#e",
    "HTTPS://Example.COM/",
    "https://[2001:db8::1]/hook",
    "https://bücher.example/",
    "https://example.com/a@b?c=\\d",
  ])("may be %s", (url) => {
    expect(issues({ webhooks: [hook({ url })] })).toEqual([]);
  });

  test.each([
    "",
    "example.com/hook",
    "/hook",
    "http://example.com/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "https:example.com",
    "https:/example.com",
    "https://",
    "https:///hook",
    "https://?x",
    "https://user@example.com/",
    "https://user:pass@example.com/",
    "https://@example.com/",
    "https://example.com\\@other.example/",
    "https://exa mple.com/",
    " https://example.com/",
    "https://example.com/a b",
    "https://example.com/\n",
    "https://exam\tple.com/",
    "https://example.com:99999/",
    "https://[::1/",
    "https://%00/",
  ])("is never %j", (url) => {
    expect(issues({ webhooks: [hook({ url })] })).toEqual([
      { loc: ["body", "webhooks", 0, "url"], msg: expect.any(String), type: "url_parsing" },
    ]);
  });
});

describe("the secret of a webhook", () => {
  const problems = (hmac_secret: string) => issues({ webhooks: [hook({ auth_values: { hmac_secret } })] });

  test.each([32, 33, 34, 100, 511, 512])("may have %i bytes", (bytes) => {
    expect(problems(secret(bytes))).toEqual([]);
  });

  test.each([
    ["too short", secret(31)],
    ["too long", secret(513)],
    ["empty", ""],
    ["without its padding", secret(32).replace("=", "")],
    ["with too much padding", `${secret(33)}=`],
    ["of the URL-safe alphabet", Buffer.alloc(33, 0xfb).toString("base64url")],
    ["with a line end", `${secret(32)}\n`],
    ["with a space in it", secret(66).replace("BwcH", "BwcH ")],
    ["of other letters", `${secret(33)}ü===`],
  ])("is never %s", (_what, text) => {
    expect(problems(text)).toEqual([
      {
        loc: ["body", "webhooks", 0, "auth_values", "hmac_secret"],
        msg: expect.any(String),
        type: "value_error",
      },
    ]);
  });

  test("may be any bytes: a standard letter that the URL-safe alphabet lacks is fine", () => {
    const text = Buffer.alloc(33, 0xfb).toString("base64");
    expect(text).toMatch(/[+/]/);
    expect(problems(text)).toEqual([]);
  });
});

test("every broken rule is reported, each at its place", () => {
  const found = issues({
    outreach_override_rules: { days: { mon: {}, monday: {} } },
    webhooks: [hook(), hook({ id: 7, url: "http://x" }), hook({ id: 7, auth_values: { hmac_secret: "no" } })],
  });
  expect(found.map(({ loc }) => loc.slice(1).join("."))).toEqual([
    "outreach_override_rules.days.monday",
    "webhooks.1.url",
    "webhooks.2.auth_values.hmac_secret",
    "webhooks.2.id",
  ]);
});

test.each([
  ["http://hooks.internal:8080/a", true],
  ["http://hooks.internal/a", false],
  ["http://10.1.2.3/a", true],
  ["http://10.2.2.3/a", false],
  ["http://169.254.169.254/", false],
  ["http://[fd12::5]:9000/", true],
  ["http://elsewhere.example/", false],
  ["ftp://hooks.internal:8080/a", false],
])("a webhook to %s is saved only where EGRESS_ALLOW names its receiver: %s", (url, isSaved) => {
  const allow = parseEgressAllow("hooks.internal:8080, 10.1.0.0/16, [fd12::5]:9000");
  if (!allow.ok) throw new Error(allow.errors.join());
  const webhooks = [{ url, request_method: "POST", trigger_statuses: ["COMPLETED"] }];
  expect(check({ webhooks }, allow.rules).kind).toBe(isSaved ? "accepted" : "refused");
});
