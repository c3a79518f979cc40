import { beforeAll, expect, test } from "vitest";
import { hostsAt } from "../../../src/carriers/twilio/twilio-api.ts";
import { createTwilio } from "../../../src/carriers/twilio/twilio-carrier.ts";
import type { Carrier } from "../../../src/channels/carrier.ts";
import { createEgress } from "../../../src/egress/egress.ts";
import { parseEgressAllow } from "../../../src/egress/egress-allow.ts";
import callResource from "../../fixtures/twilio/call-resource.json" with { type: "json" };
import error from "../../fixtures/twilio/error.json" with { type: "json" };
import lookup from "../../fixtures/twilio/lookup.json" with { type: "json" };
import reassigned from "../../fixtures/twilio/lookup-reassigned.json" with { type: "json" };
import messageResource from "../../fixtures/twilio/message-resource.json" with { type: "json" };
import { createPeer, json, type Peer } from "../../harness/peer.ts";

/** Answers as Twilio's documentation shows them, from a server that says nothing else. */
let twilio: Peer;
let carrier: Carrier;
beforeAll(async () => {
  twilio = await createPeer();
  const allowed = parseEgressAllow("127.0.0.1");
  const egress = createEgress({ allow: allowed.ok ? allowed.rules : { hosts: [], networks: [] } });
  carrier = createTwilio({
    egress,
    publicUrl: "https://parley.example.com",
    hosts: hostsAt(twilio.url),
    name: "Twilio",
    simulated: false,
  });
});

const account = { channel_id: 7, credentials: { account_sid: "AC1", auth_token: "token" } };
const call = {
  key: "k",
  from: "+15017122661",
  to: "+15558675310",
  caller_id: null,
  answerer_detection: null,
  ring_timeout_s: 40,
  longest_s: 3600,
};

const noneKnown = async () => new Set<string>();

test("a call is placed with a signed-in form, and stands as the documented answer says", async () => {
  twilio.respond((_, response) => json(response, 201, callResource.created));
  expect(await carrier.calls!.place(account, call)).toEqual({
    sid: callResource.created.sid,
    status: "QUEUED",
  });
  const asked = twilio.requests.at(-1)!;
  expect(asked).toMatchObject({ method: "POST", path: "/2010-04-01/Accounts/AC1/Calls.json" });
  expect(asked.headers.authorization).toBe(`Basic ${Buffer.from("AC1:token").toString("base64")}`);
  const form = new URLSearchParams(asked.body);
  expect(form.getAll("StatusCallbackEvent")).toEqual(["answered", "completed"]);
});

test("a call is found by its two numbers and the moment it began", async () => {
  twilio.respond((_, response) => json(response, 200, { calls: [callResource.created] }));
  const begun = new Date("2010-08-31T20:36:27Z");
  expect(await carrier.calls!.find(account, call, begun, noneKnown)).toEqual({
    sid: callResource.created.sid,
    status: "QUEUED",
  });
  const { searchParams } = new URL(twilio.requests.at(-1)!.path, "http://x");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    To: call.to,
    From: call.from,
  });
  expect(await carrier.calls!.find(account, call, new Date("2010-08-31T21:00:00Z"), noneKnown)).toBeNull();
});

test("a text is sent, and stands as the documented answer says", async () => {
  twilio.respond((_, response) => json(response, 201, messageResource.created));
  const text = {
    key: "k",
    medium: "sms",
    from: call.from,
    to: call.to,
    text: "Hi there",
    template: null,
  } as const;
  expect(await carrier.texts!.send(account, text)).toEqual({
    sid: messageResource.created.sid,
    status: "QUEUED",
  });
  twilio.respond((_, response) => json(response, 200, { messages: [messageResource.created] }));
  expect(await carrier.texts!.find(account, text, new Date("2023-08-24T05:01:45Z"), noneKnown)).toMatchObject(
    {
      sid: messageResource.created.sid,
    },
  );
  twilio.respond((_, response) => json(response, 200, { ...messageResource.created, status: "delivered" }));
  const { sid } = messageResource.created;
  expect(await carrier.texts!.look(account, sid)).toEqual({ sid, status: "DELIVERED" });
  expect(twilio.requests.at(-1)!.path).toMatch(new RegExp(`/Messages/${sid}\\.json$`));
  twilio.respond((_, response) => json(response, 200, { messages: [messageResource.created] }));
  expect(
    await carrier.texts!.find(
      account,
      { ...text, text: "Other" },
      new Date("2023-08-24T05:01:45Z"),
      noneKnown,
    ),
  ).toBeNull();
});

test.each([
  ["undelivered", 30003, { error_code: "30003", is_transient: true }],
  ["failed", 30005, { error_code: "30005", is_transient: false }],
  ["failed", 30034, { is_transient: false, our_fault: expect.stringMatching(/not registered.*30034/) }],
])(
  "a text that is shown as %s with the code %i has failed for that reason, as if a callback had told it",
  async (status, error_code, failure) => {
    const shown = { ...messageResource.created, status, error_code };
    const text = { key: "k", medium: "sms", from: call.from, to: call.to, template: null } as const;
    const words = { ...text, text: shown.body };
    twilio.respond((_, response) => json(response, 200, { messages: [shown] }));
    const found = await carrier.texts!.find(account, words, new Date("2023-08-24T05:01:45Z"), noneKnown);
    expect(found).toMatchObject({ sid: shown.sid, failure });
    twilio.respond((_, response) => json(response, 201, shown));
    expect(await carrier.texts!.send(account, words)).toMatchObject({ failure });
  },
);

test("the documented error is what its code means", async () => {
  twilio.respond((_, response) => json(response, 400, error.body));
  await expect(carrier.calls!.place(account, call)).rejects.toMatchObject({
    fate: "refused",
    status: "INVALID",
  });
});

test("the documented question whether a number was reassigned is asked and read", async () => {
  twilio.respond((_, response) => json(response, 200, reassigned.body));
  expect(await carrier.lookup!.reassigned!(account, "+12345678904", "2019-09-24")).toEqual({
    answer: "no",
    error_code: null,
    cost: null,
  });
  expect(twilio.requests.at(-1)?.path).toBe(
    "/v2/PhoneNumbers/%2B12345678904?Fields=reassigned_number&LastVerifiedDate=20190924",
  );
});

test("the documented lookup is read whole", async () => {
  twilio.respond((_, response) => json(response, 200, lookup.body));
  const { facts } = await carrier.lookup!.lookup(account, "+14159929960", [
    "line_type",
    "carrier",
    "caller_name",
  ]);
  expect(facts).toEqual({
    line_type: "nonFixedVoip",
    carrier_name: "Twilio - SMS/MMS-SVR",
    mcc: "240",
    mnc: "38",
    error_code: null,
    caller_name: "Sergio Suarez",
    caller_type: "CONSUMER",
  });
  expect(twilio.requests.at(-1)?.path).toBe(
    "/v2/PhoneNumbers/%2B14159929960?Fields=line_type_intelligence%2Ccaller_name",
  );
});

test("an answer that is no JSON says that it may have been done", async () => {
  twilio.respond((_, response) => {
    response.writeHead(201, { "content-type": "text/html" }).end("<html>");
  });
  await expect(carrier.calls!.place(account, call)).rejects.toMatchObject({ fate: "unknown" });
});
