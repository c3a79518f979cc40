import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { filterFindings } from "../../../src/campaigns/filter-findings.ts";
import { CHANNEL_STATUSES } from "../../../src/channels/channel-status.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";
import { createSender } from "../../harness/sender.ts";

const path = "/api/v1/outbound/campaigns";
const NUMBER = "+19032900844";
const MAIL = "desk@clinic.example";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await createSender(app, app.admin, { target: NUMBER });
  await createSender(app, app.admin, { target: NUMBER, mode: "sms" });
  await createSender(app, app.admin, { target: MAIL, mode: "email" });
});

/** Bodies of every shape the contract allows. */
function anyBody(): fc.Arbitrary<Record<string, unknown>> {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\0"));
  const key = text.filter((value) => value !== "__proto__");
  const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
  const whole = (min: number, max: number) => {
    const number = fc.integer({ min, max });
    return fc.oneof(number, number.map(String));
  };
  const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
  const time = nullable(
    fc.oneof(
      fc.tuple(twoDigits(23), twoDigits(59)).map((parts) => parts.join(":")),
      fc.tuple(twoDigits(23), twoDigits(59), twoDigits(59)).map((parts) => parts.join(":")),
    ),
  );
  const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const override = fc.record(
    {
      active: nullable(fc.boolean()),
      daily_start_time: time,
      daily_end_time: time,
      max_daily_calls: nullable(whole(0, Number.MAX_SAFE_INTEGER)),
    },
    { requiredKeys: [] },
  );
  const dayName = fc.constantFrom("mon", "tuesday", "wed", "thursday", "fri", "saturday", "sun");
  const date = fc
    .date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10));
  // Longer ones are answered with a finding (campaign.test.ts).
  const seconds = nullable(fc.double({ min: 0, max: 5, noNaN: true }));
  const voicemail = fc
    .tuple(
      fc.record(
        {
          mode: nullable(fc.constantFrom("v1", "v2")),
          voicemail_detection_overall_timeout: seconds,
          voicemail_detection_pre_speech_timeout: seconds,
          voicemail_detection_post_speech_timeout: seconds,
          voicemail_detection_speech_threshold: seconds,
          voicemail_detection_v2_pre_speech_timeout: seconds,
        },
        { requiredKeys: [] },
      ),
      fc.dictionary(
        key.map((name) => `x${name}`),
        fc.oneof(text, fc.integer(), fc.array(text)),
        { maxKeys: 3 },
      ),
    )
    .map(([known, unknown]) => ({ ...known, ...unknown }));
  const filters = fc.record(
    {
      match: fc.constantFrom("all", "any"),
      on_unknown: fc.constantFrom("include", "exclude"),
      rules: fc.array(
        fc.record(
          {
            field: text.filter((value) => value !== ""),
            op: fc.constantFrom("in", "not_in", "eq", "neq", "exists", "not_exists"),
            values: fc.array(text),
          },
          { requiredKeys: ["field", "op"] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  );
  const webhook = fc.record(
    {
      trigger_statuses: fc.array(fc.constantFrom(...CHANNEL_STATUSES), { minLength: 1, maxLength: 5 }),
      url: fc.webUrl({ validSchemes: ["https"], withFragments: true, withQueryParameters: true }),
      request_method: fc.constantFrom("POST", "put", "Patch"),
      auth_values: nullable(
        fc.record(
          {
            hmac_secret: nullable(
              fc
                .uint8Array({ minLength: 32, maxLength: 512 })
                .map((bytes) => Buffer.from(bytes).toString("base64")),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ["trigger_statuses", "url", "request_method"] },
  );
  const sender = fc.constantFrom(
    { source: NUMBER, caller_id: null },
    { caller_id: NUMBER.slice(1) },
    { mode: null, source: NUMBER.slice(1), caller_id: "15125550000" },
    { mode: "voice", source: null, caller_id: NUMBER },
    { mode: "sms", caller_id: NUMBER },
    { mode: "email", source: MAIL, caller_id: null },
  );
  return fc
    .tuple(
      sender,
      fc.record(
        {
          campaign_name: text.filter((value) => value !== ""),
          description: nullable(text),
          sms_session_ttl: nullable(whole(0, 1e9)),
          label: nullable(text),
          labels: nullable(fc.array(text)),
          campaign_variables: fc.dictionary(key, text),
          daily_start_time: time,
          daily_end_time: time,
          hourly_rate: whole(1, 3600),
          max_daily_calls: nullable(whole(0, Number.MAX_SAFE_INTEGER)),
          retry_count: whole(0, 1e9),
          retry_interval: nullable(
            fc
              .tuple(fc.integer({ min: 1, max: 9999 }), fc.constantFrom("s", "m", "h", "d", "w"))
              .map((parts) => parts.join("")),
          ),
          active_days: fc.array(fc.constantFrom(...days), { maxLength: 9 }),
          outreach_override_rules: nullable(
            fc.record(
              {
                days: fc.dictionary(dayName, override, { maxKeys: 4 }),
                dates: fc.dictionary(date, override, { maxKeys: 4 }),
              },
              { requiredKeys: [] },
            ),
          ),
          voicemail_detection: nullable(voicemail),
          allowed_line_types: nullable(
            fc.array(fc.constantFrom("mobile", "landline", "voip"), { maxLength: 4 }),
          ),
          include_unknown_line_types: fc.boolean(),
          target_filters: nullable(filters),
          webhooks: fc.array(webhook, { maxLength: 3 }),
        },
        { requiredKeys: ["campaign_name", "campaign_variables", "active_days"] },
      ),
    )
    .map(([from, rest]) => ({ ...rest, ...from }));
}

/** What the answer to a body is, by the documented rules and nothing else. */
// biome-ignore lint/suspicious/noExplicitAny: a body is any JSON
function expected(body: any) {
  const set = (list: unknown[] | null | undefined) => (list ? [...new Set(list)] : null);
  const number = (value: unknown) => (value == null ? null : Number(value));
  const time = (value?: string | null) => (value ? `${value}:00`.slice(0, 8) : value);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const override = (rule: any) => ({
    ...rule,
    ...("daily_start_time" in rule && { daily_start_time: time(rule.daily_start_time) }),
    ...("daily_end_time" in rule && { daily_end_time: time(rule.daily_end_time) }),
    ...("max_daily_calls" in rule && { max_daily_calls: number(rule.max_daily_calls) }),
  });
  const overrides = (map: Record<string, unknown> | undefined, name: (key: string) => string) =>
    map && Object.fromEntries(Object.entries(map).map(([key, rule]) => [name(key), override(rule)]));
  const rules = body.outreach_override_rules;
  return {
    campaign_name: body.campaign_name,
    description: body.description ?? null,
    mode: body.mode ?? null,
    sms_session_ttl: number(body.sms_session_ttl),
    label: body.label ?? null,
    labels: body.labels ?? null,
    campaign_variables: body.campaign_variables,
    daily_start_time: time(body.daily_start_time) ?? null,
    daily_end_time: time(body.daily_end_time) ?? null,
    source: body.source ?? null,
    caller_id: body.caller_id,
    hourly_rate: Number(body.hourly_rate ?? 1),
    max_daily_calls: number(body.max_daily_calls),
    retry_count: Number(body.retry_count ?? 0),
    retry_interval: body.retry_interval ?? null,
    active_days: set(body.active_days),
    outreach_override_rules: rules
      ? { days: overrides(rules.days, (day) => day.slice(0, 3)), dates: overrides(rules.dates, (day) => day) }
      : null,
    voicemail_detection: body.voicemail_detection ?? null,
    allowed_line_types: set(body.allowed_line_types),
    include_unknown_line_types: body.include_unknown_line_types ?? true,
    target_filters: body.target_filters
      ? {
          match: "all",
          on_unknown: "include",
          ...body.target_filters,
          rules: (body.target_filters.rules ?? []).map((rule: object) => ({ values: [], ...rule })),
        }
      : null,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    webhooks: (body.webhooks ?? []).map((webhook: any) => ({
      trigger_statuses: set(webhook.trigger_statuses),
      url: webhook.url,
      request_method: webhook.request_method.toUpperCase(),
      id: expect.any(Number),
      auth_value_keys: webhook.auth_values?.hmac_secret ? ["hmac_secret"] : null,
    })),
  };
}

const isSilent = (body: Record<string, unknown>): boolean => body.source == null && body.caller_id === null;

test("any body the contract accepts is answered, and read back, as it was sent but for the documented spellings", async () => {
  const { body: campaign } = await app.send("POST", path, {
    campaign_name: "first",
    campaign_variables: {},
    caller_id: NUMBER,
    active_days: [],
  });
  await fc.assert(
    fc.asyncProperty(anyBody(), async (body) => {
      // What was sent, as JSON has it: -0 is 0.
      const sent = JSON.parse(JSON.stringify(body));
      const answer = await app.send("PUT", `${path}/${campaign.id}`, body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const findings = [
        ...(isSilent(sent) ? [expect.objectContaining({ id: "no-sender" })] : []),
        ...filterFindings(expected(sent)),
      ];
      expect(answer.body).toEqual({
        ...JSON.parse(JSON.stringify({ ...expected(sent), webhooks: [] })),
        webhooks: expected(sent).webhooks,
        id: campaign.id,
        ...(isSilent(sent) ? { agent_id: null } : { agent_id: expect.any(Number) }),
        ...(findings.length > 0 && { validation_issues: findings }),
        created_at: campaign.created_at,
        updated_at: expect.any(String),
        last_updated_by: "admin@example.com",
      });
      expect((await app.send("GET", `${path}/${campaign.id}`)).body).toEqual(answer.body);
    }),
    { numRuns: rounds(15, 400) },
  );
});
