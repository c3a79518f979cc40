import { expect, test } from "vitest";
import type { OutboundCampaignResponse } from "../api-types.ts";
import { ApiError } from "../server/api.ts";
import { fieldLabel } from "../server/field-labels.ts";
import {
  atSecrets,
  CAMPAIGN_LABELS,
  NEW_CAMPAIGN,
  remainingErrors,
  secretPaths,
  sent,
  valuesOf,
} from "./campaign-values.ts";

const stored = {
  ...NEW_CAMPAIGN,
  id: 7,
  last_updated_by: "ada@example.com",
  campaign_name: "Recall",
  outreach_override_rules: null,
  webhooks: [
    {
      id: 1,
      url: "https://a.example",
      request_method: "POST",
      trigger_statuses: ["COMPLETED"],
      auth_value_keys: ["hmac_secret"],
    },
    {
      id: 2,
      url: "https://b.example",
      request_method: "PUT",
      trigger_statuses: ["BUSY"],
      auth_value_keys: null,
    },
  ],
} as unknown as OutboundCampaignResponse;

test("what was read and not touched is sent back with every secret kept", () => {
  const body = sent(valuesOf(stored));
  expect(body.webhooks?.map(({ auth_values }) => auth_values)).toEqual([{ hmac_secret: null }, {}]);
  expect(body).toMatchObject({ campaign_name: "Recall", outreach_override_rules: null, description: null });
  expect(body).not.toHaveProperty("secrets");
  expect(body).not.toHaveProperty("id");
});

test("a secret is replaced or removed only where that was chosen, and never reviewed in words", () => {
  const values = valuesOf(stored);
  values.secrets = [{ kind: "none" }, { kind: "new", hmac_secret: "abc" }];
  expect(sent(values).webhooks?.map(({ auth_values }) => auth_values)).toEqual([{}, { hmac_secret: "abc" }]);
  expect(secretPaths(values.secrets)).toEqual(["secrets.1.hmac_secret", "secrets.1"]);
});

test("what is wrong with a secret is told at its field", () => {
  const issue = {
    loc: ["body", "webhooks", 1, "auth_values", "hmac_secret"],
    msg: "too short",
    type: "value_error",
  };
  const told = atSecrets(new ApiError(422, "no", [issue])) as ApiError;
  expect(told.issues[0]?.loc).toEqual(["body", "secrets", 1, "hmac_secret"]);
});

test("a finding is over when its value was changed, moved or removed, and only then", () => {
  const [first, second] = [{ url: "http://a.example" }, { url: "http://b.example" }];
  const before = { webhooks: [first, second], campaign_name: "" };
  const found = { "webhooks.0.url": "no", "webhooks.1.url": "no", campaign_name: "Field required" };
  const after = (webhooks: object[]) => Object.keys(remainingErrors(found, before, { ...before, webhooks }));
  expect(after([{ url: "https://a.example" }, second])).toEqual(["webhooks.1.url", "campaign_name"]);
  expect(after([second])).toEqual(["campaign_name"]);
  expect(after([first, second])).toEqual(Object.keys(found));
});

test("a time is reviewed by its field's name and with its unit", () => {
  const named = (path: string) => fieldLabel(path, CAMPAIGN_LABELS);
  expect(named("voicemail_detection.voicemail_detection_overall_timeout")).toBe("Detection timeout (s)");
  expect(named("voicemail_detection.voicemail_detection_speech_threshold")).toBe("Speech length (s)");
  expect(named("sms_session_ttl")).toBe("Reply window (min)");
});
