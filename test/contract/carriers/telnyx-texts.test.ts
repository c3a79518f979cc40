import { beforeAll, expect, test } from "vitest";
import { createCarriers } from "../../../src/carriers/carriers.ts";
import { createTelnyx } from "../../../src/carriers/telnyx/telnyx-carrier.ts";
import { telnyxFacts } from "../../../src/carriers/telnyx/telnyx-lookup.ts";
import { readTelnyxTextEvent } from "../../../src/carriers/telnyx/telnyx-text-events.ts";
import { suppressed } from "../../../src/consent/suppression.ts";
import { goOnWith } from "../../../src/dialogues/text-dialogue.ts";
import { Scenario } from "../../../src/simulator/people.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTelnyxDouble } from "../../harness/telnyx.ts";

const NUMBER = "+18445550001";
const PERSON = "+18665550001";
/** 1,500 characters of which one needs two bytes: 23 parts, of which Telnyx takes ten. */
const LONG = `${"Impfungen kosten je nach Alter. ".repeat(46)}Bis bald 🙂`;

let app: TestApp;
let telnyx: Awaited<ReturnType<typeof createTelnyxDouble>>;
let channel_id: number;
let channel_target_id: number;
beforeAll(async () => {
  telnyx = await createTelnyxDouble();
  app = await createTestApp(
    { PUBLIC_URL: "https://parley.example.com", TELNYX_BASE_URL: telnyx.url },
    undefined,
    {
      simulation: { scenario: Scenario.parse({}), speed: "moved" },
    },
  );
  const { agent_id } = await createAgent(app, {
    script: `on /prices/ -> say "${LONG}"\non /.*/ -> say "Noted."`,
  });
  const channel = await app.send("POST", "/api/v1/channels/", {
    name: "Telnyx",
    channel_service: "sip",
    supported_modes: "voice,sms",
    config: {
      provider_credentials: {
        carrier: "telnyx",
        api_key: "the api key",
        public_key: telnyx.public_key,
        connection_id: "1234",
      },
    },
  });
  expect(channel.status, JSON.stringify(channel.body)).toBe(200);
  channel_id = channel.body.id;
  const body = { agent_id, channel_id, target: NUMBER, target_mode: "sms" };
  const target = await app.send("POST", `/api/v1/channels/${channel_id}/targets`, body);
  expect(target.status, JSON.stringify(target.body)).toBe(200);
  channel_target_id = target.body.id;
});

/** The example of https://developers.telnyx.com/api-reference/callbacks/inbound-message, with other words. */
const inbound = (id: string, text: string) => ({
  record_type: "message",
  direction: "inbound",
  id,
  type: "SMS",
  messaging_profile_id: "0f512bda-ae1e-4597-8e11-e5f5686b97d3",
  from: { phone_number: PERSON, carrier: "T-MOBILE USA, INC.", line_type: "Wireless" },
  to: [{ phone_number: NUMBER, status: "delivered", carrier: "TELNYX LLC", line_type: "VoIP" }],
  cc: [],
  text,
  media: [],
  encoding: "GSM-7",
  parts: 1,
  tags: [],
  errors: [],
});

const post = async (path: string, event_type: string, payload: Record<string, unknown>, headers = {}) => {
  const { body, headers: signed } = telnyx.event(event_type, payload, app.clock.now());
  const url = `/carriers/telnyx/${channel_id}/${path}`;
  const answer = await app.api.server.inject({
    method: "POST",
    url,
    payload: body,
    headers: { ...signed, ...headers },
  });
  return answer.statusCode;
};
const goOn = () => {
  const carriers = createCarriers({
    ...app,
    publicUrl: "https://parley.example.com",
    operator: null,
    baseUrl: null,
    telnyxUrl: telnyx.url,
  });
  return goOnWith({ engine: app.engine, carriers }, { channel_target_id, source: PERSON });
};
const stored = () =>
  app.db
    .selectFrom("text_messages")
    .select(["key", "direction", "status", "sid", "text"])
    .where("channel_id", "=", channel_id)
    .orderBy("id")
    .execute();

test("a text comes in once, is answered, and what became of the answer is told by its key", async () => {
  expect(await post("messages", "message.received", inbound("in-1", "Hello"))).toBe(204);
  expect(await post("messages", "message.received", inbound("in-1", "Hello"))).toBe(204);
  expect((await stored()).map(({ key, direction }) => [key, direction])).toEqual([["in-1", "in"]]);
  await goOn();
  const [, answer] = await stored();
  expect(answer).toMatchObject({ direction: "out", status: "QUEUED", sid: "text-1" });
  const [sent] = telnyx.texts;
  expect(sent).toMatchObject({
    from: NUMBER,
    to: PERSON,
    text: "Noted.",
    use_profile_webhooks: false,
    webhook_url: `https://parley.example.com/carriers/telnyx/${channel_id}/messages/${answer?.key}/status`,
  });
  const outcome = {
    id: "text-1",
    from: { phone_number: NUMBER },
    to: [{ phone_number: PERSON, status: "delivered" }],
  };
  const path = `messages/${answer?.key}/status`;
  expect(await post(path, "message.finalized", outcome)).toBe(204);
  expect((await stored())[1]?.status).toBe("DELIVERED");
  // Late, and of nothing that we sent.
  const late = { ...outcome, to: [{ phone_number: PERSON, status: "sent" }] };
  expect(await post(path, "message.sent", late)).toBe(204);
  expect((await stored())[1]?.status).toBe("DELIVERED");
  expect(await post("messages/unknown/status", "message.finalized", outcome)).toBe(204);
});

test("a long answer goes out whole, in texts of no more parts than Telnyx takes", async () => {
  const before = telnyx.texts.length;
  expect(await post("messages", "message.received", inbound("in-long", "prices"))).toBe(204);
  await goOn();
  const sent = telnyx.texts.slice(before).map(({ text }) => String(text));
  expect(sent.join(" ").split(/\s+/)).toEqual(LONG.split(/\s+/));
  expect((await stored()).filter(({ status }) => status === "FAILED")).toEqual([]);
});

test("a person whom Telnyx blocks since their STOP is that, and is not tried again and again", async () => {
  telnyx.stopped.add(PERSON);
  expect(await post("messages", "message.received", inbound("in-blocked", "Hello again"))).toBe(204);
  await goOn();
  telnyx.stopped.delete(PERSON);
  expect((await stored()).at(-1)).toMatchObject({ direction: "out", status: "PRIOR_UNSUBSCRIBED" });
});

test("a text that fails because our number is not registered is told as our fault", () => {
  const failed = {
    id: "text-1",
    from: { phone_number: NUMBER },
    to: [{ phone_number: PERSON, status: "sending_failed" }],
    errors: [{ code: "40010", title: "Not 10DLC registered" }],
  };
  const given = { data: { event_type: "message.finalized", payload: failed } };
  expect(readTelnyxTextEvent(given, new Date())).toMatchObject({
    signal: { status: "DELIVERY_FAILED", our_fault: expect.stringContaining("not registered") },
  });
});

test.each([
  ["expired", "40014", "UNDELIVERED", true],
  ["delivery_failed", "40001", "UNDELIVERED", false],
  ["delivery_unconfirmed", null, "DELIVERY_UNKNOWN", null],
])("a text that ends as %s (%s) is %s, and may be tried again: %s", (word, code, status, is_transient) => {
  const ended = {
    id: "text-1",
    to: [{ phone_number: PERSON, status: word }],
    errors: code === null ? [] : [{ code }],
  };
  const given = { data: { event_type: "message.finalized", payload: ended } };
  expect(readTelnyxTextEvent(given, new Date())).toMatchObject({ signal: { status, is_transient } });
});

test("STOP takes the person off, before any model", async () => {
  expect(await post("messages", "message.received", inbound("in-stop", "STOP"))).toBe(204);
  const { sub_organization_id } = app.admin;
  expect((await suppressed(app.db, sub_organization_id, "sms", [PERSON])).size).toBe(1);
});

test("what Telnyx did not sign, or signed for another body or long ago, changes nothing", async () => {
  const before = await stored();
  const { body, headers } = telnyx.event("message.received", inbound("in-2", "Hi"), app.clock.now());
  const inject = (payload: string, given: object, id: number | string = channel_id) =>
    app.api.server.inject({
      method: "POST",
      url: `/carriers/telnyx/${id}/messages`,
      payload,
      headers: { "content-type": "application/json", ...given },
    });
  expect((await inject(body, {})).statusCode).toBe(403);
  expect((await inject(body.replace("Hi", "Ho"), headers)).statusCode).toBe(403);
  expect((await inject(body, headers, 999_999)).statusCode).toBe(403);
  expect((await inject(body, headers, "x")).statusCode).toBe(403);
  const old = telnyx.event(
    "message.received",
    inbound("in-3", "Hi"),
    new Date(app.clock.now().getTime() - 3_600_000),
  );
  expect((await inject(old.body, old.headers)).statusCode).toBe(403);
  expect(await stored()).toEqual(before);
});

test("events that are none, and numbers as Telnyx knows them, are read without a fault", () => {
  for (const given of [
    null,
    7,
    {},
    { data: { event_type: "message.received", payload: { id: "x", to: [] } } },
  ])
    expect(readTelnyxTextEvent(given, new Date())).toBeNull();
  // The example of https://developers.telnyx.com/docs/identity/number-lookup/quickstart.
  expect(
    telnyxFacts({
      caller_name: { caller_name: "TELNYX LLC", error_code: "10001" },
      carrier: {
        error_code: null,
        mobile_country_code: "US",
        mobile_network_code: 866,
        name: "Telnyx/4",
        type: "voip",
      },
    }),
  ).toEqual({
    line_type: "voip",
    carrier_name: "Telnyx/4",
    mcc: "US",
    mnc: "866",
    error_code: null,
    caller_name: "TELNYX LLC",
    caller_type: null,
  });
});

test("a text that Telnyx took is looked up by its id, and why it failed is told as by an event", async () => {
  const carrier = createTelnyx({
    egress: app.egress,
    publicUrl: "https://parley.example.com",
    base_url: telnyx.url,
  });
  const credentials = { carrier: "telnyx", api_key: "the api key", public_key: "", connection_id: "1234" };
  expect(await carrier.texts!.look({ channel_id, credentials }, "text-1")).toEqual({
    sid: "text-1",
    status: "UNDELIVERED",
    failure: { error_code: "40006", is_transient: true },
  });
});
