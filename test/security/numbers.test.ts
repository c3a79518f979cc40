import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createCarriers } from "../../src/carriers/carriers.ts";
import type { Carriers } from "../../src/channels/carrier.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type Send, type TestApp } from "../harness/app.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";
import { waitForLocks } from "../harness/waiting.ts";

/**
 * Attacks of one organization on the numbers of another, on the carrier account of the operator that both share. The
 * carrier is a server of ours that speaks Twilio's language.
 */
const OPERATOR = { account_sid: "ACoperator", auth_token: "the operator's token" };
const [VICTIMS, FREE, OTHER] = ["+15125550001", "+15125550002", "+15125550003"] as [string, string, string];
const sids: Record<string, string> = { PN1: VICTIMS, PN2: FREE, PN3: OTHER };

/** The carrier's answer to who attaches a number. */
let attaching = async (): Promise<number> => 200;

let app: TestApp;
let peer: Peer;
let real: Carriers;

type Tenant = { send: Send; channel_id: number; agent_id: number; organization_id: number };
let victim: Tenant;
let attacker: Tenant;

beforeAll(async () => {
  peer = await createPeer();
  let bought = 0;
  peer.respond(async ({ method, path, body }, response) => {
    const shown = (sid: string) => ({ sid, phone_number: sids[sid], friendly_name: sid });
    const one = /IncomingPhoneNumbers\/(PN\d+)\.json/.exec(path);
    if (one) json(response, await attaching(), shown(one[1] as string));
    else if (path.includes("IncomingPhoneNumbers.json") && method === "POST") {
      sids.PN9 = `+1512556000${++bought}`;
      json(response, 201, shown("PN9"));
    } else if (path.includes("IncomingPhoneNumbers.json"))
      json(response, 200, { incoming_phone_numbers: Object.keys(sids).map(shown) });
    else if (/(Calls|Messages)\.json/.test(path))
      json(response, 201, { sid: `SM${body.length}`, status: "queued" });
    else json(response, 404, {});
  });
  const carriers: Carriers = { of: (channel) => real.of(channel) };
  app = await createTestApp({}, undefined, { carriers });
  const publicUrl = app.config.public_url;
  real = createCarriers({ ...app, publicUrl, operator: OPERATOR, baseUrl: peer.url });
  const tenant = async (send: Send, organization_id: number): Promise<Tenant> => {
    const { agent_id } = await createAgent({ ...app, send }, { script: 'otherwise -> say "Yes."' });
    const body = { name: "Telephone", channel_service: "twilio", config: {} };
    return {
      send,
      agent_id,
      organization_id,
      channel_id: (await send("POST", "/api/v1/channels/", body)).body.id,
    };
  };
  const neighbours = [];
  for (const name of ["victim", "attacker"]) {
    const body = await app.createNeighbour(`${name}@example.org`);
    neighbours.push(await tenant(body.send, body.caller.organization_id));
  }
  [victim, attacker] = neighbours as [Tenant, Tenant];
});

beforeEach(async () => {
  await app.db.deleteFrom("channel_targets").where("target", "like", "+%").execute();
  await app.db.deleteFrom("number_owners").execute();
  const path = `/api/v1/number_owners/${encodeURIComponent(VICTIMS)}`;
  const assigned = await app.send("PUT", path, { organization_id: victim.organization_id });
  expect(assigned.status).toBe(200);
  peer.requests.length = 0;
});

const numbersOf = ({ channel_id }: Tenant) => `/api/v1/channels/twilio/${channel_id}/numbers`;
const link = ({ send, channel_id, agent_id }: Tenant, target: string, target_mode = "sms", on = channel_id) =>
  send("POST", `/api/v1/channels/${on}/targets`, { agent_id, channel_id: on, target, target_mode });
const written = () => peer.requests.filter(({ method }) => method === "POST");
const listed = async (tenant: Tenant) =>
  (await tenant.send("GET", numbersOf(tenant))).body.phone_numbers.map(
    (each: { phone_number: string }) => each.phone_number,
  );

test("a tenant's list of the operator's account has their own numbers only", async () => {
  expect(await listed(attacker)).toEqual([]);
  expect(await listed(victim)).toEqual([VICTIMS]);
  const available = await attacker.send("GET", "/api/v1/channels/available-targets");
  expect(JSON.stringify(available.body)).not.toContain(VICTIMS);
  const own = await victim.send("GET", "/api/v1/channels/available-targets");
  expect(own.body.items).toMatchObject([{ channel_id: victim.channel_id, target: VICTIMS }]);
});

test("the operator links a number that nobody has without attaching it, and a tenant doesn't", async () => {
  expect((await link(attacker, FREE)).status).toBe(400);
  const body = { name: "Front desk", channel_service: "twilio", config: {} };
  const { id: channel_id } = (await app.send("POST", "/api/v1/channels/", body)).body;
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Yes."' });
  const operator = { ...attacker, send: app.send, channel_id, agent_id };
  expect((await link(operator, VICTIMS)).status).toBe(400);
  expect((await link(operator, FREE)).status).toBe(200);
  expect((await link(operator, FREE, "voice")).status).toBe(200);
});

test("a neighbour's number can't be attached again, and the carrier is told nothing", async () => {
  const answer = await attacker.send("PUT", numbersOf(attacker), { friendly_name: "mine", phone_sid: "PN1" });
  expect(answer.status).toBe(404);
  expect(written()).toEqual([]);
});

test("a number that nobody has is the first attacher's, of two that attach it at once as well, until released", async () => {
  const attach = (by: Tenant) => by.send("PUT", numbersOf(by), { friendly_name: "mine", phone_sid: "PN2" });
  const answers = await Promise.all([attach(victim), attach(attacker)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  const [winner, loser] = answers[0]?.status === 200 ? [victim, attacker] : [attacker, victim];
  const path = `/api/v1/number_owners/${encodeURIComponent(FREE)}`;
  expect((await loser.send("DELETE", path)).status).toBe(404);
  expect((await winner.send("DELETE", path)).status).toBe(200);
  expect((await attach(loser)).status).toBe(200);
  expect((await attach(winner)).status).toBe(404);
});

test("in an organization a number is attached by one request at a time, so one that fails takes it from nobody", async () => {
  const attach = () => victim.send("PUT", numbersOf(victim), { friendly_name: "mine", phone_sid: "PN2" });
  const [asked, failing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  attaching = async () => {
    attaching = async () => 200;
    asked.resolve();
    await failing.promise;
    return 400;
  };
  const first = attach();
  await asked.promise;
  expect(await attach()).toMatchObject({
    status: 409,
    body: { detail: `${FREE} is being attached by another request. Try again in a moment.` },
  });
  failing.resolve();
  expect((await first).status).toBe(400);
  expect(await listed(victim)).not.toContain(FREE);
  expect((await attach()).status).toBe(200);
  expect(await listed(victim)).toContain(FREE);
});

test("nobody but the operator buys on the operator's account", async () => {
  const wish = { friendly_name: "mine", area_code: "512" };
  const refused = await attacker.send("POST", numbersOf(attacker), wish);
  expect(refused.status).toBe(403);
  expect(written()).toEqual([]);
  const channel = await app.send("POST", "/api/v1/channels/", {
    name: "Operator's",
    channel_service: "twilio",
    config: {},
  });
  const bought = await app.send("POST", `/api/v1/channels/twilio/${channel.body.id}/numbers`, wish);
  expect(bought.status).toBe(200);
  const owners = await app.send("GET", "/api/v1/number_owners/");
  expect(owners.body.items).toContainEqual(
    expect.objectContaining({ number: bought.body.phone_number, organization_id: app.admin.organization_id }),
  );
});

test("numbers of the operator's account are given back by the operator alone, and not while an organization has them", async () => {
  const giveBack = (tenant: Tenant, number: string) =>
    tenant.send("DELETE", `${numbersOf(tenant)}/${encodeURIComponent(number)}`);
  for (const tenant of [victim, attacker]) expect((await giveBack(tenant, VICTIMS)).status).toBe(403);
  const body = { name: "Operator's too", channel_service: "twilio", config: {} };
  const { id: channel_id } = (await app.send("POST", "/api/v1/channels/", body)).body;
  const operator = { ...attacker, send: app.send, channel_id };
  expect(await giveBack(operator, VICTIMS)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining(`${VICTIMS} is assigned to `) },
  });
  expect(peer.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
});

test("no agent is linked to a neighbour's or nobody's number, by any service or spelling", async () => {
  const whatsapp = await attacker.send("POST", "/api/v1/channels/", {
    name: `WhatsApp ${Math.random()}`,
    channel_service: "whatsapp",
    config: {},
  });
  // As if the carrier had told of it before numbers had owners.
  await app.db
    .insertInto("channel_addresses")
    .values({
      organization_id: attacker.organization_id,
      channel_id: attacker.channel_id,
      target: VICTIMS,
      created_at: app.clock.now().toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  for (const mode of ["sms", "voice"]) expect((await link(attacker, VICTIMS, mode)).status).toBe(400);
  expect((await link(attacker, VICTIMS, "whatsapp", whatsapp.body.id)).status).toBe(400);
  expect((await link(attacker, OTHER, "whatsapp", whatsapp.body.id)).status).toBe(400);
});

test("a target that was linked before its number became another's calls and texts from it no more", async () => {
  expect((await link(victim, VICTIMS)).status).toBe(200);
  const found = await real.of({ id: victim.channel_id, channel_service: "twilio" });
  const text = {
    key: "k",
    medium: "sms",
    from: VICTIMS,
    to: "+15125559999",
    text: "x",
    template: null,
  } as const;
  const call = {
    key: "k",
    from: VICTIMS,
    to: "+15125559999",
    caller_id: null,
    answerer_detection: null,
    ring_timeout_s: 1,
    longest_s: 1,
  };
  await found?.carrier.texts?.send(found.account, text);
  expect(written()).toHaveLength(1);
  const path = `/api/v1/number_owners/${encodeURIComponent(VICTIMS)}`;
  await app.send("PUT", path, { organization_id: attacker.organization_id });
  const refusal = { fate: "refused", ours: "source" };
  await expect(found?.carrier.texts?.send(found.account, text)).rejects.toMatchObject(refusal);
  await expect(found?.carrier.calls?.place(found.account, call)).rejects.toMatchObject(refusal);
  expect(written()).toHaveLength(1);
});

test("nobody shows a neighbour's number as their caller ID", async () => {
  const path = `/api/v1/number_owners/${encodeURIComponent(OTHER)}`;
  await app.send("PUT", path, { organization_id: attacker.organization_id });
  const found = await real.of({ id: attacker.channel_id, channel_service: "twilio" });
  const call = {
    key: "k",
    from: OTHER,
    to: "+15125559999",
    caller_id: VICTIMS,
    answerer_detection: null,
    ring_timeout_s: 1,
    longest_s: 1,
  };
  await expect(found?.carrier.calls?.place(found.account, call)).rejects.toMatchObject({ fate: "refused" });
  expect(written()).toEqual([]);
});

async function text(channel_id: number, to: string) {
  const path = `/carriers/twilio/${channel_id}/messages`;
  const form = { MessageSid: `SM${Math.random()}`, From: "+15125557777", To: to, Body: "hello" };
  const signature = getExpectedTwilioSignature(OPERATOR.auth_token, app.config.public_url + path, form);
  const answer = await app.sendAs(null)("POST", path, new URLSearchParams(form).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    "x-twilio-signature": signature,
  });
  expect(answer.status).toBe(200);
  const stored = await app.db
    .selectFrom("text_messages")
    .select("sub_organization_id")
    .where("key", "=", form.MessageSid)
    .executeTakeFirst();
  return stored?.sub_organization_id ?? null;
}
const subOf = async ({ organization_id }: Tenant) =>
  (
    await app.db
      .selectFrom("sub_organizations")
      .select("id")
      .where("organization_id", "=", organization_id)
      .executeTakeFirstOrThrow()
  ).id;

test("what comes in on a number goes to its owner, also where the carrier still leads it to another's channel", async () => {
  await link(victim, VICTIMS);
  expect(await text(victim.channel_id, VICTIMS)).toBe(await subOf(victim));
  expect(await text(attacker.channel_id, VICTIMS)).toBe(await subOf(victim));
  // Reassigned: the target that is left over hears nothing any more.
  const path = `/api/v1/number_owners/${encodeURIComponent(VICTIMS)}`;
  await app.send("PUT", path, { organization_id: attacker.organization_id });
  expect(await text(victim.channel_id, VICTIMS)).toBeNull();
  await app.send("DELETE", path);
  expect(await text(victim.channel_id, VICTIMS)).toBeNull();
});

test("only the operator assigns; a tenant sees their own assignments, and both sides' event logs tell of them", async () => {
  const path = `/api/v1/number_owners/${encodeURIComponent(VICTIMS)}`;
  const grab = await attacker.send("PUT", path, { organization_id: attacker.organization_id });
  expect(grab.status).toBe(403);
  expect((await attacker.send("DELETE", path)).status).toBe(404);
  expect((await attacker.send("GET", "/api/v1/number_owners/")).body.items).toEqual([]);
  await app.send("PUT", path, { organization_id: attacker.organization_id });
  const types = async (tenant: Tenant) =>
    (await tenant.send("GET", "/api/v1/events/")).body.items.map((event: { type: string }) => event.type);
  expect(await types(attacker)).toContain("number-assigned");
  expect(await types(victim)).toContain("number-released");
  const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
  expect(items[0]).toMatchObject({
    resource: "number_owners",
    before: { organization_id: victim.organization_id },
    after: { organization_id: attacker.organization_id },
  });
});

test("who takes a number from its owner, while it is led to another, takes it from that other, and they are told", async () => {
  const path = (number: string) => `/api/v1/number_owners/${encodeURIComponent(number)}`;
  const { organization_id } = app.admin;
  const requests: [string, number, string, () => Promise<{ status: number }>][] = [
    ["update", 200, VICTIMS, () => app.send("PUT", path(VICTIMS), { organization_id })],
    ["update", 200, FREE, () => app.send("PUT", path(FREE), { organization_id })],
    ["delete", 200, VICTIMS, () => app.send("DELETE", path(VICTIMS))],
  ];
  for (const [action, status, number, request] of requests) {
    const [answer] = await app.db.transaction().execute(async (tx) => {
      const row = {
        organization_id: attacker.organization_id,
        assigned_at: app.clock.now().toISOString(),
        assigned_by: "the operator",
      };
      await tx
        .insertInto("number_owners")
        .values({ number, ...row })
        .onConflict((conflict) => conflict.column("number").doUpdateSet(row))
        .execute();
      const answer = request();
      await waitForLocks(app.database.pool, 1);
      return [answer];
    });
    expect(await answer).toMatchObject({ status });
    const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
    expect(items[0]).toMatchObject({ action, before: { organization_id: attacker.organization_id } });
    const events = (await attacker.send("GET", "/api/v1/events/")).body.items;
    expect(events[0]).toMatchObject({
      type: "number-released",
      description: expect.stringContaining(number),
    });
  }
});

/** A callback as the carrier sends it, signed with this account's token. */
async function tell(
  channel_id: number,
  suffix: string,
  form: Record<string, string>,
  token = OPERATOR.auth_token,
) {
  const path = `/carriers/twilio/${channel_id}${suffix}`;
  return app.sendAs(null)("POST", path, new URLSearchParams(form).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    "x-twilio-signature": getExpectedTwilioSignature(token, app.config.public_url + path, form),
  });
}
const callTo = (to: string) => ({
  CallSid: `CA${Math.random().toString(16).slice(2)}`,
  From: "+15125557777",
  To: to,
  Direction: "inbound",
  CallStatus: "ringing",
});
const callOf = (sid: string) =>
  app.db
    .selectFrom("calls")
    .select(["sub_organization_id", "channel_id", "state"])
    .where("sid", "=", sid)
    .executeTakeFirst();
const sessionsOf = async (tenant: Tenant) =>
  (
    await app.db
      .selectFrom("sessions")
      .select("id")
      .where("sub_organization_id", "=", await subOf(tenant))
      .execute()
  ).length;

test("a call to a neighbour's number reaches its owner's agent or nobody's, wherever the carrier leads it", async () => {
  expect((await link(victim, VICTIMS, "voice")).status).toBe(200);
  // As if the attacker had been the number's first user, with an agent still on it.
  await app.db
    .insertInto("channel_targets")
    .values({
      sub_organization_id: await subOf(attacker),
      channel_id: attacker.channel_id,
      agent_id: attacker.agent_id,
      target: VICTIMS,
      target_mode: "voice",
      is_test: false,
      updated_at: app.clock.now().toISOString(),
      last_updated_by: "attacker@example.org",
    })
    .execute();
  const before = await sessionsOf(attacker);
  for (const channel of [victim, attacker]) {
    const form = callTo(VICTIMS);
    expect((await tell(channel.channel_id, "/voice", form)).status).toBe(200);
    expect(await callOf(form.CallSid)).toMatchObject({
      sub_organization_id: await subOf(victim),
      channel_id: victim.channel_id,
    });
  }
  // A number that nobody has, and one that its owner has no agent on.
  for (const number of [FREE, OTHER]) {
    const form = callTo(number);
    expect((await tell(attacker.channel_id, "/voice", form)).status).toBe(200);
    expect(await callOf(form.CallSid)).toBeUndefined();
  }
  expect(await sessionsOf(attacker)).toBe(before);
});

test("a callback that is forged with an account of one's own reaches no neighbour's number, call or text", async () => {
  await link(victim, VICTIMS, "voice");
  await link(victim, VICTIMS);
  const own = { account_sid: "ACattacker", auth_token: "the attacker's own token" };
  const made = await attacker.send("POST", "/api/v1/channels/", {
    name: `Own ${Math.random()}`,
    channel_service: "twilio",
    config: own,
  });
  expect(made.status).toBe(200);
  const own_id = made.body.id;
  const before = [await sessionsOf(attacker), await sessionsOf(victim)];
  // At the neighbour's channel, and at the one on the operator's account: the signature is not the operator's.
  for (const channel_id of [victim.channel_id, attacker.channel_id]) {
    for (const suffix of ["/voice", "/voice/status"])
      expect((await tell(channel_id, suffix, callTo(VICTIMS), own.auth_token)).status).toBe(403);
    const text = { MessageSid: "SMforged", From: "+15125557777", To: VICTIMS, Body: "hello" };
    expect((await tell(channel_id, "/messages", text, own.auth_token)).status).toBe(403);
  }
  // At their own channel it is signed, and names a number that is not on it.
  const form = callTo(VICTIMS);
  expect((await tell(own_id, "/voice", form, own.auth_token)).status).toBe(200);
  expect(await callOf(form.CallSid)).toBeUndefined();
  const text = { MessageSid: "SMforged", From: "+15125557777", To: VICTIMS, Body: "hello" };
  await tell(own_id, "/messages", text, own.auth_token);
  const stored = await app.db
    .selectFrom("text_messages")
    .select("id")
    .where("key", "=", "SMforged")
    .execute();
  expect(stored).toEqual([]);
  expect([await sessionsOf(attacker), await sessionsOf(victim)]).toEqual(before);
  // Nor do they end a neighbour's call by naming it.
  const theirs = callTo(VICTIMS);
  await tell(victim.channel_id, "/voice", theirs);
  const running = await callOf(theirs.CallSid);
  const ended = { ...theirs, CallStatus: "completed" };
  for (const suffix of ["/voice/status", `/calls/${theirs.CallSid}/status`])
    await tell(own_id, suffix, ended, own.auth_token);
  expect(await callOf(theirs.CallSid)).toEqual(running);
});
