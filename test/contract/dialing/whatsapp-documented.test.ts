import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { beforeAll, expect, test } from "vitest";
import documented from "../../fixtures/twilio/whatsapp-template.json" with { type: "json" };
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

/** Twilio as its documentation shows it: what a campaign sends over WhatsApp, and what is told of it later. */
const ACCOUNT = { account_sid: documented.created.account_sid, auth_token: "a token of the account" };
const PUBLIC_URL = "https://parley.example.com";
const SENDER = documented.request.From.slice("whatsapp:".length);

let app: TestApp;
let url: string;
let twilio: Peer;
let channel_id: number;
let sids = 0;
beforeAll(async () => {
  twilio = await createPeer();
  twilio.respond((_, response) =>
    json(response, 201, {
      ...documented.created,
      sid: `MM${String(++sids).padStart(32, "0")}`,
    }),
  );
  app = await createTestApp({ TWILIO_BASE_URL: twilio.url, PUBLIC_URL }, undefined, {
    carriers: undefined as never,
  });
  url = await app.listen();
  const { agent_id } = await createAgent(app, {
    script: 'on /.*/ -> say "Noted."',
    greeting: { type: "greeting", text: "Hello {{ vars.name }}." },
  });
  const name = "WhatsApp";
  const channel = await make("POST", "/api/v1/channels/", {
    name,
    channel_service: "whatsapp",
    config: ACCOUNT,
  });
  channel_id = channel.id;
  await make("POST", `/api/v1/channels/${channel_id}/targets`, {
    agent_id,
    channel_id,
    target: SENDER,
    target_mode: "whatsapp",
  });
});

const make = async (method: string, path: string, body: object) => {
  const answer = await app.send(method, path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** A campaign to one person; resolves with the form that Twilio got. */
async function sentTo(target: string, batch_id: string): Promise<Record<string, string>> {
  const campaign = await make("POST", "/api/v1/outbound/campaigns", {
    campaign_name: batch_id,
    campaign_variables: { whatsapp_template: documented.request.ContentSid, whatsapp_template_2: "3pm" },
    mode: "sms",
    source: SENDER,
    caller_id: null,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    hourly_rate: 3600,
  });
  await make("POST", BATCHES, { batch_id, campaign_id: campaign.id });
  await make("POST", `${BATCHES}/${batch_id}/requests`, [
    { reference_id: "a", target, request_variables: { name: "Alex", whatsapp_template_1: "Alex" } },
  ] as never);
  app.clock.advance(1_000);
  await app.dialer.tick();
  return Object.fromEntries(new URLSearchParams(twilio.requests.at(-1)?.body));
}

/** Signed, to the very address that was named for it. */
async function tell(form: Record<string, string>, named: string): Promise<void> {
  // What stands behind # tells Twilio how often to try, and is neither sent nor signed.
  const callback = named.split("#")[0] as string;
  const told = { ...form, MessageSid: `MM${String(sids).padStart(32, "0")}` };
  const response = await fetch(url + callback.slice(PUBLIC_URL.length), {
    method: "POST",
    headers: { "x-twilio-signature": getExpectedTwilioSignature(ACCOUNT.auth_token, callback, told) },
    body: new URLSearchParams(told),
  });
  expect(response.status).toBeLessThan(300);
}

const result = async (batch_id: string) => {
  const [row] = (await app.send("GET", `${BATCHES}/${batch_id}/results`)).body;
  return `${row.request_status} ${row.channel_manager_status} ${row.attempt_count}`;
};

test("an approved template goes out in the documented form, and is delivered and read by the documented callbacks", async () => {
  const { StatusCallback, ...form } = await sentTo("+15558675310", "documented");
  expect({ ...form, ContentVariables: JSON.parse(form.ContentVariables as string) }).toEqual({
    ...documented.request,
    ContentVariables: JSON.parse(documented.request.ContentVariables),
  });
  expect(twilio.requests.at(-1)?.path).toBe(`/2010-04-01/Accounts/${ACCOUNT.account_sid}/Messages.json`);
  expect(await result("documented")).toBe("INITIATED QUEUED 1");
  await tell(documented.sent, StatusCallback as string);
  expect(await result("documented")).toBe("CONNECTED SENT 1");
  await tell(documented.delivered, StatusCallback as string);
  await tell(documented.read, StatusCallback as string);
  expect(await result("documented")).toBe("COMPLETED DELIVERED 1");
});

test("the documented refusal of a message without a template costs the person nothing and pauses the sender", async () => {
  const { StatusCallback } = await sentTo("+15558675311", "refused-later");
  await tell(documented.sent, StatusCallback as string);
  await tell(documented.undelivered, StatusCallback as string);
  expect(await result("refused-later")).toBe("PENDING PENDING 0");
  const trace = await app.send("GET", `${BATCHES}/refused-later/requests/a/trace`);
  expect(trace.body.next_step).toMatchObject({
    reason: "source-paused",
    text: expect.stringContaining("WhatsApp opens a dialogue with an approved template only (error 63016)"),
  });
});
