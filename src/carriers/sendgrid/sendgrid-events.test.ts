import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEvents, suppressionOf } from "./sendgrid-events.ts";
import { mailBody } from "./sendgrid-mail.ts";
import { signatureCheck, whyNotSendgrids } from "./sendgrid-signature.ts";

const fixture = (name: string) =>
  readFileSync(path.join(import.meta.dirname, "../../../test/fixtures/sendgrid", name), "utf8");
const NOW = new Date("2026-11-18T12:00:00Z");

test("each event of SendGrid's documentation has its status, and says what it means for the address", () => {
  const signals = readEvents(JSON.parse(fixture("events.json")), NOW);
  expect(signals.map((signal) => [signal.word, signal.status, suppressionOf(signal)])).toEqual([
    ["processed", "PROCESSED", null],
    ["deferred", "DEFERRED", null],
    ["delivered", "DELIVERED", null],
    ["open", "OPENED", null],
    ["click", "CLICKED", null],
    ["bounce", "BOUNCED", "bounced"],
    ["blocked", "BOUNCED", null],
    ["dropped", "PRIOR_BOUNCED", "bounced"],
    ["spamreport", "SPAM_REPORT", "spam-report"],
    ["unsubscribe", "UNSUBSCRIBED", "unsubscribed"],
    ["group_unsubscribe", "UNSUBSCRIBED", "unsubscribed"],
  ]);
  expect(signals[5]).toMatchObject({
    key: "KEY",
    sid: "14c5d75ce93",
    error_code: "5.0.0",
    is_transient: false,
    reason: "500 unknown recipient",
    address: "example@test.com",
    at: new Date(1795000006 * 1000),
  });
});

test("a bounce for a rule of the server, or for who sends, is no word against the address", () => {
  const bounce = { event: "bounce", type: "bounce", email: "ann@example.com", timestamp: 1795000006 };
  const signals = readEvents(
    [
      { ...bounce, status: "5.7.1", reason: "550 5.7.1 blocked by policy" },
      { ...bounce, reason: "554 Relay access denied" },
      { ...bounce, status: "5.1.1", reason: "550 5.1.1 no such user" },
    ],
    NOW,
  );
  expect(signals.map(suppressionOf)).toEqual([null, null, "bounced"]);
});

test("whatever is posted is read without a throw", () => {
  fc.assert(fc.property(fc.anything(), (body) => void readEvents(body, NOW)));
  const odd = fc.record({
    event: fc.constantFrom("bounce", "open", 7),
    timestamp: fc.anything(),
    email: fc.anything(),
    reason: fc.anything(),
  });
  fc.assert(fc.property(fc.array(odd), (body) => void readEvents(body, NOW)));
});

describe("a signature", () => {
  const { public_key, signature, timestamp, payload } = JSON.parse(fixture("signed.json"));
  const post = { body: Buffer.from(payload), signature, timestamp };
  const at = new Date(Number(timestamp) * 1000);

  const isSigned = (more: Partial<typeof post> = {}, key = public_key) => {
    const { body, ...headers } = { ...post, ...more };
    const check = signatureCheck(key, headers);
    check.update(body.subarray(0, 10));
    check.update(body.subarray(10));
    return check.isRight();
  };

  test("of SendGrid's own libraries is right", () => {
    expect(isSigned()).toBe(true);
    expect(whyNotSendgrids(post, at)).toBeNull();
  });

  test("of another body, time or key, or none, is refused", () => {
    expect(isSigned({ body: Buffer.from(`${payload} `) })).toBe(false);
    expect(isSigned({ timestamp: "1588788368" })).toBe(false);
    expect(isSigned({ signature: "AAAA" })).toBe(false);
    expect(isSigned({}, "AAAA")).toBe(false);
    expect(whyNotSendgrids({ ...post, signature: undefined }, at)).toBe("it is not signed");
    expect(whyNotSendgrids({ ...post, timestamp: "soon" }, at)).toBe("its timestamp is none");
    const days = new Date(at.getTime() + 3 * 86_400_000);
    expect(whyNotSendgrids(post, days)).toBe("it was signed 259200 s ago");
  });
});

test("a mail is posted in the form of the mail send API", () => {
  const body = mailBody({
    key: "k1",
    from: { name: "Clinic", address: "support@clinic.example" },
    reply_to: "reply-1-abc@clinic.example",
    return_path: "reply-1-abc@clinic.example",
    to: "ann@example.com",
    subject: "Visit",
    text: "Hello",
    html: "<p>Hello</p>",
    in_reply_to: "m1@example.com",
    references: ["m0@example.com", "m1@example.com"],
    unsubscribe_url: "https://parley.example/unsubscribe/x",
  });
  expect(body).toEqual({
    personalizations: [{ to: [{ email: "ann@example.com" }] }],
    from: { email: "support@clinic.example", name: "Clinic" },
    reply_to: { email: "reply-1-abc@clinic.example" },
    subject: "Visit",
    content: [
      { type: "text/plain", value: "Hello" },
      { type: "text/html", value: "<p>Hello</p>" },
    ],
    headers: {
      "Message-ID": "<k1@clinic.example>",
      "In-Reply-To": "<m1@example.com>",
      References: "<m0@example.com> <m1@example.com>",
      "List-Unsubscribe": "<https://parley.example/unsubscribe/x>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "Auto-Submitted": "auto-replied",
    },
    custom_args: { parley_key: "k1" },
    tracking_settings: { subscription_tracking: { enable: false } },
  });
});
