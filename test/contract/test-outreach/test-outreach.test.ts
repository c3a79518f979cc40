import { beforeAll, expect, test } from "vitest";
import { CarrierFault } from "../../../src/channels/carrier.ts";
import type { ChannelStatus } from "../../../src/channels/channel-status.ts";
import { type Outreach, requireGo, type Senders } from "../../../src/channels/outreach.ts";
import type { JobContext } from "../../../src/jobs/define-job.ts";
import { endTestsHandler, sendTestHandler } from "../../../src/test-outreach/send-test.ts";
import {
  insertTest,
  listTests,
  MOST_KEPT,
  newTestKey,
  testHeard,
  UNKNOWN_FATE,
} from "../../../src/test-outreach/test-outreach.ts";
import { createAgent } from "../../harness/agent.ts";
import { createNumber, createSimulatedApp, eventually, type SimulatedApp } from "../../harness/simulated.ts";

let app: SimulatedApp;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  app = await createSimulatedApp({ speed: 60 });
  const { agent_id } = await createAgent(app, {
    script: 'on /bye|wrong number/ -> say "Goodbye." then call hangup {}\non /.*/ -> say "Noted."',
    systemTools: ["hangup", "leave_voicemail"],
    greeting: { type: "greeting", text: "Hello {{ vars.name }}, it is the clinic." },
  });
  line = await createNumber(app, agent_id, { modes: ["voice", "sms"] });
});

let campaigns = 0;
async function campaign(more: object = {}): Promise<number> {
  const { body } = await app.send("POST", "/api/v1/outbound/campaigns", {
    campaign_name: `Campaign ${++campaigns}`,
    campaign_variables: { name: "nobody" },
    retry_count: 0,
    // Closed all day: a test does not wait for the campaign's hours.
    source: line.number,
    caller_id: line.number,
    active_days: [],
    hourly_rate: 60,
    ...more,
  });
  return body.id;
}
const urlOf = (id: number) => `/api/v1/outbound/campaigns/${id}/tests`;
const begin = (id: number, target: string, name = "Alex") =>
  app.send("POST", urlOf(id), { target, request_variables: { name } });
const newest = async (id: number) => (await app.send("GET", urlOf(id))).body[0];
/** Later than the ten minutes for which tests are counted. */
const rest = () => app.clock.advance(11 * 60_000);

test("a test calls at once outside the campaign's hours, with the given variables, as a test session that counts nowhere", async () => {
  const id = await campaign();
  const { status, body } = await begin(id, "512 777 0001");
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { mode: "voice", target: "+15127770001", state: "QUEUED", started_by: "admin@example.com" },
  });
  const done = await eventually(
    () => newest(id),
    ({ channel_status }) => channel_status === "COMPLETED",
  );
  expect(done).toMatchObject({ key: body.key, state: "SENT", problem: null });
  const session = (await app.send("GET", `/api/v1/sessions/${done.session_id}`)).body;
  expect(session).toMatchObject({ is_test: true });
  expect(JSON.stringify(await transcript(done.session_id))).toContain("Hello Alex, it is the clinic.");
  expect(await app.db.selectFrom("attempts").select("key").where("campaign_id", "=", id).execute()).toEqual(
    [],
  );
  const { body: audit } = await app.send("GET", "/api/v1/audit_entries/?limit=1");
  expect(audit.items[0]).toMatchObject({ action: "test", resource: "campaigns", resource_id: String(id) });
});

const transcript = (session_id: number) =>
  app.db.selectFrom("session_messages").select("text").where("session_id", "=", session_id).execute();

test("a person who does not answer is told as that, and a text is sent as the campaign would send it", async () => {
  const id = await campaign();
  await begin(id, "+15127770003");
  await eventually(
    () => newest(id),
    ({ channel_status }) => channel_status === "NO-ANSWER",
  );
  const texts = await campaign({ mode: "sms" });
  await begin(texts, "+15127770010");
  const sent = await eventually(
    () => newest(texts),
    ({ channel_status }) => channel_status === "DELIVERED",
  );
  expect(JSON.stringify(await transcript(sent.session_id))).toContain("Hello Alex, it is the clinic.");
  rest();
});

test("whoever must not be contacted is not contacted for a test either, and is told why", async () => {
  const id = await campaign();
  const refused = async (target: string) => {
    const { status, body } = await begin(id, target);
    return [status, typeof body.detail === "string" ? body.detail : body.detail[0].msg];
  };
  expect(await refused("12")).toEqual([422, "Write a telephone number, such as +15125550199"]);
  expect(await refused("+19005551234")).toEqual([422, expect.stringMatching(/^Not contacted: .*/)]);
  await app.send("POST", "/api/v1/suppressions/", { address: "+15127770020" });
  expect(await refused("+15127770020")).toEqual([
    400,
    expect.stringMatching(/^Not contacted: \+15127770020 is on/),
  ]);
  await app.send("PUT", `/api/v1/outbound/campaigns/${id}/reach-rules`, { purpose: "marketing" });
  expect(await refused("+15127770021")).toEqual([
    400,
    expect.stringMatching(/^Not contacted: no consent of/),
  ]);
  await app.send("POST", "/api/v1/outbound/stop");
  expect(await refused("+15127770022")).toEqual([
    400,
    "All outreach of the organization is stopped. Resume it first.",
  ]);
  await app.send("POST", "/api/v1/outbound/resume");
  const nobody = await campaign();
  const elsewhere = { source: "+15125550000", caller_id: "+15125550000" };
  await app.db.updateTable("campaigns").set(elsewhere).where("id", "=", nobody).execute();
  expect(await begin(nobody, "+15127770023")).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/^No agent has the number or address/) },
  });
  expect(
    await app.db.selectFrom("test_outreach").select("key").where("campaign_id", "=", id).execute(),
  ).toEqual([]);
});

test("a neighbour neither starts nor sees a test, and eleven in ten minutes are one too many", async () => {
  rest();
  const id = await campaign();
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("POST", urlOf(id), { target: "+15127770010" })).status).toBe(404);
  expect((await neighbour.send("GET", urlOf(id))).status).toBe(404);
  for (let n = 0; n < 10; n++) expect((await begin(id, "+15127770003")).status).toBe(200);
  const { status, headers } = await begin(id, "+15127770003");
  expect([status, headers["retry-after"]]).toEqual([429, "60"]);
  rest();
});

/** A test that nobody sends but who is told to. */
async function queued(campaign_id: number): Promise<Outreach> {
  const { rows } = { rows: await app.db.selectFrom("channel_targets").selectAll().limit(1).execute() };
  const of = rows[0] as { id: number; channel_id: number; agent_id: number };
  const outreach: Outreach = {
    key: newTestKey(app.clock.now()),
    sub_organization_id: app.admin.sub_organization_id,
    mode: "voice",
    campaign_id,
    agent_id: of.agent_id,
    channel_id: of.channel_id,
    channel_target_id: of.id,
    source: line.number,
    caller_id: null,
    target: "+15127770010",
    variables: {},
    voicemail_detection: null,
    sms_session_ttl: null,
    is_test: true,
  };
  const { organization_id } = app.admin;
  await app.db.transaction().execute((tx) =>
    insertTest(tx, {
      organization_id,
      outreach,
      seal: (document) => document,
      by: "a@example.com",
      at: app.clock.now(),
    }),
  );
  return outreach;
}

const attempt = (attempts: number) => ({ job: { attempts } }) as JobContext;

test("a process that dies while it hands a test over leaves nobody contacted twice", async () => {
  const id = await campaign();
  const { key } = await queued(id);
  const placed: string[] = [];
  let asked = 0;
  const voice: Senders["voice"] = {
    async send(outreach, mayGo) {
      expect(await mayGo?.()).toBe(true);
      placed.push(outreach.key);
      throw new CarrierFault("The carrier did not answer.", "unknown");
    },
    async find() {
      asked++;
      return placed.length === 0
        ? null
        : { sid: "CA1", status: "QUEUED", session_id: null, conversation_id: null };
    },
    cancel: async () => {},
  };
  const { run } = sendTestHandler({ db: app.db, senders: { voice } as unknown as Senders });
  const once = () => run({ key }, attempt(1));
  await expect(once()).rejects.toThrow("did not answer");
  await once();
  await once();
  expect({ placed, asked }).toEqual({ placed: [key], asked: 1 });
  expect(await newest(id)).toMatchObject({ state: "SENT", channel_status: "QUEUED" });
});

test("a test that the carrier has taken and doesn't show yet is asked for again, and never sent again", async () => {
  const id = await campaign();
  const placed: string[] = [];
  let isShown = false;
  const voice: Senders["voice"] = {
    async send({ key }) {
      placed.push(key);
      throw new Error("The process died.");
    },
    async find() {
      return isShown ? { sid: "CA1", status: "QUEUED", session_id: null, conversation_id: null } : null;
    },
    cancel: async () => {},
  };
  const { run } = sendTestHandler({ db: app.db, senders: { voice } as unknown as Senders });
  const late = await queued(id);
  for (const n of [1, 2]) await expect(run({ key: late.key }, attempt(n))).rejects.toThrow();
  isShown = true;
  await run({ key: late.key }, attempt(3));
  expect(await newest(id)).toMatchObject({ key: late.key, state: "SENT", channel_status: "QUEUED" });

  isShown = false;
  app.clock.advance(1);
  const never = await queued(id);
  for (const n of [1, 2, 3, 4]) await expect(run({ key: never.key }, attempt(n))).rejects.toThrow();
  await run({ key: never.key }, attempt(5));
  expect(await newest(id)).toMatchObject({
    key: never.key,
    state: "FAILED",
    channel_status: "FAILED",
    problem: "The test did not reach the carrier. Start another one.",
  });
  expect(placed).toEqual([late.key, never.key]);
});

test("a process that is held up until its test was given up contacts nobody", async () => {
  const id = await campaign();
  const { key } = await queued(id);
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const placed: string[] = [];
  const voice: Senders["voice"] = {
    async send(outreach, mayGo) {
      reached.resolve();
      await go.promise;
      await requireGo(mayGo);
      placed.push(outreach.key);
      return { sid: "CA1", status: "QUEUED", session_id: null, conversation_id: null };
    },
    find: async () => null,
    cancel: async () => {},
  };
  const { run } = sendTestHandler({ db: app.db, senders: { voice } as unknown as Senders });
  const held = run({ key }, attempt(1));
  await reached.promise;
  await run({ key }, attempt(5));
  go.resolve();
  await held;
  expect(placed).toEqual([]);
  expect(await newest(id)).toMatchObject({
    state: "FAILED",
    problem: expect.stringContaining("Start another"),
  });
});

test("a test that the carrier refuses says so in its words, and of each campaign the newest are kept", async () => {
  const id = await campaign();
  const { key } = await queued(id);
  const voice = {
    send: async () => {
      throw new CarrierFault("The number is not yours.", "refused", { status: "FAILED", ours: "source" });
    },
  };
  const { run } = sendTestHandler({ db: app.db, senders: { voice } as unknown as Senders });
  await run({ key }, attempt(1));
  expect(await newest(id)).toMatchObject({
    state: "FAILED",
    channel_status: "FAILED",
    problem: "The number is not yours.",
  });
  for (let n = 0; n < MOST_KEPT; n++) {
    app.clock.advance(1);
    await queued(id);
  }
  const kept = await listTests(app.db, id);
  expect(kept.length).toBe(MOST_KEPT);
  expect(kept.map((each) => each.key)).not.toContain(key);
});

test("a test of which the carrier tells nothing in five runs ends as of unknown fate, until the carrier speaks of it", async () => {
  const id = await campaign();
  const { key } = await queued(id);
  const silent = async () => {
    throw new CarrierFault("The carrier did not answer.", "unknown");
  };
  const voice: Senders["voice"] = { send: silent, find: silent, cancel: async () => {} };
  const { run } = sendTestHandler({ db: app.db, senders: { voice } as unknown as Senders });
  for (let n = 1; n < 5; n++) await expect(run({ key }, attempt(n))).rejects.toThrow("did not answer");
  expect(await newest(id)).toMatchObject({ state: "SENDING", problem: null });
  await run({ key }, attempt(5));
  expect(await newest(id)).toMatchObject({ state: "UNKNOWN", problem: UNKNOWN_FATE });
  await testHeard(app.db, { key, status: "NO-ANSWER", at: app.clock.now() });
  expect(await newest(id)).toMatchObject({ state: "SENT", channel_status: "NO-ANSWER", problem: null });
});

test("what a carrier tells late and out of order leaves the last word, for a text and for a call", async () => {
  const heard = async (mode: string, told: ChannelStatus[]) => {
    const id = await campaign({ mode });
    const { key } = await queued(id);
    for (const status of told) await testHeard(app.db, { key, status, at: app.clock.now() });
    return (await newest(id)).channel_status;
  };
  expect(await heard("sms", ["DELIVERED", "SENT", "DELIVERED", "QUEUED"])).toBe("DELIVERED");
  expect(await heard("voice", ["COMPLETED", "IN-PROGRESS"])).toBe("COMPLETED");
});

test("a test whose process died in its last run ends, and what never began is not sent late", async () => {
  const id = await campaign();
  const { key: begun } = await queued(id);
  const { key: waiting } = await queued(id);
  await app.db.updateTable("test_outreach").set({ state: "SENDING" }).where("key", "=", begun).execute();
  const states = async () => (await listTests(app.db, id)).map(({ key, state }) => [key, state]).toSorted();
  const end = () => endTestsHandler(app).run({}, attempt(1));
  await end();
  expect(await states()).toEqual(
    [
      [begun, "SENDING"],
      [waiting, "QUEUED"],
    ].toSorted(),
  );
  app.clock.advance(31 * 60_000);
  await end();
  expect(await states()).toEqual(
    [
      [begun, "UNKNOWN"],
      [waiting, "FAILED"],
    ].toSorted(),
  );
  const nobody = { send: () => Promise.reject(new Error("sent late")) };
  const { run } = sendTestHandler({ db: app.db, senders: { voice: nobody } as unknown as Senders });
  await run({ key: waiting }, attempt(1));
});

test("tests of several campaigns at once are counted together, so no more than ten start", async () => {
  rest();
  const ids = await Promise.all([campaign(), campaign(), campaign(), campaign()]);
  const asked = Array.from({ length: 16 }, (_, n) => begin(ids[n % 4] as number, "+15127770003"));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([...Array(10).fill(200), ...Array(6).fill(429)]);
  rest();
});
