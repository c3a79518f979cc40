import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Outreach } from "../../../src/channels/outreach.ts";
import { runErasure } from "../../../src/erasure/erase-people.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, DESK, request, SOURCE } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { type Plan, word } from "../../harness/planned-sender.ts";
import { insertSession } from "../../harness/rows.ts";
import { createSender } from "../../harness/sender.ts";

const TEXTS = "+15125550190";
const CAMPAIGNS = "/api/v1/outbound/campaigns";
const TEXT = { mode: "sms", source: TEXTS, wait: "10m" };
const MAIL = { mode: "email", source: DESK, wait: "1d" };
const HOOK = {
  url: "https://hooks.example/",
  request_method: "POST",
  trigger_statuses: ["NO-ANSWER", "DELIVERED", "COMPLETED"],
};

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  await createSender(app, app.admin, { target: TEXTS, mode: "sms" });
});
beforeEach(() => dialing.forget());

type Person = { reference: string; target: string; variables?: object };

/** A campaign of calls with these further steps, and its people. */
async function cadence(steps: object[], people: Person[], campaign: object = {}) {
  const { campaign_id, batch_id } = await dialing.filled([], {
    hourly_rate: 3600,
    webhooks: [HOOK],
    ...campaign,
  });
  const saved = await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/cadence`, { steps });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  await dialing.outbound.add(
    batch_id,
    people.map(({ reference, target, variables }) => request(reference, target, variables)),
  );
  return { campaign_id, batch_id };
}

let mails = 0;
const ann = (variables: object = { email: `ann${++mails}@people.example` }): Person => ({
  reference: "ann",
  target: dialing.person(),
  variables,
});

const mailOf = ({ variables }: Person): string => (variables as { email: string }).email;

/** What the world does by the channel of a try. */
const byMode =
  (plans: Partial<Record<Outreach["mode"], Plan>>) =>
  ({ mode }: Outreach): Plan =>
    plans[mode] ?? {};
const UNANSWERED: Partial<Record<Outreach["mode"], Plan>> = {
  voice: { tells: ["NO-ANSWER"] },
  sms: { tells: ["SENT", "DELIVERED"] },
  email: { tells: ["PROCESSED", "DELIVERED"] },
};

const trace = async (batch_id: string, reference = "ann") =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/${reference}/trace`)).body;
const states = ({ steps }: { steps: { state: string }[] }) => steps.map(({ state }) => state);
const handed = (dialer: ReturnType<typeof createTestDialer>) =>
  dialer.world.handed.map(({ mode, source, target }) => `${mode} ${source} ${target}`);
const eventsOf = async (campaign_id: number, type: string) => {
  const { rows } = await sql<{ description: string }>`
    select description from events
    where type = ${type} and (attributes ->> 'campaign_id')::bigint = ${campaign_id} order by id`.execute(
    app.db,
  );
  return rows.map(({ description }) => description);
};

test("whom a text reaches after a machine answered the call was reached, in the results, the counts and the funnel", async () => {
  const { campaign_id, batch_id } = await cadence([TEXT], [ann()]);
  const dialer = createTestDialer(
    app,
    byMode({ ...UNANSWERED, voice: { tells: ["IN-PROGRESS", "MACHINE", "COMPLETED"] } }),
  );
  await dialer.tick();
  await dialer.settle();
  const result = async () => (await dialing.outbound.results(batch_id)).body[0];
  expect(await result()).toMatchObject({ reached: null, answered_by: "MACHINE", voicemail_left: false });
  await dialer.pass(11);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED DELIVERED 2"]);
  expect(await result()).toMatchObject({ reached: true, answered_by: null, voicemail_left: null });
  const board = (await app.send("GET", `${CAMPAIGNS}/${campaign_id}/board`)).body;
  expect(board.outcome_counts).toMatchObject({ reached: 1, voicemail_left: 0, not_reached: 0 });
  expect(board.funnel).toMatchObject({ tried: 1, answered: 1 });
});

test("a call that nobody answers is followed by a text after ten minutes and a mail the next day, each from its own address", async () => {
  const person = ann();
  const { campaign_id, batch_id } = await cadence([TEXT, MAIL], [person]);
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.tick();
  await dialer.settle();
  expect(await dialing.shown(batch_id)).toEqual(["PENDING NO-ANSWER 1"]);
  const waiting = await trace(batch_id);
  expect(waiting.next_step).toMatchObject({ kind: "waiting", reason: "step" });
  expect(waiting.steps).toMatchObject([
    { number: 1, mode: "voice", source: SOURCE, state: "done" },
    { number: 2, mode: "sms", source: TEXTS, target: person.target, state: "waiting" },
    { number: 3, mode: "email", source: DESK, target: mailOf(person), state: "later" },
  ]);
  await dialer.pass(9);
  expect(handed(dialer)).toEqual([`voice ${SOURCE} ${person.target}`]);
  await dialer.pass(2);
  expect(handed(dialer)).toEqual([`voice ${SOURCE} ${person.target}`, `sms ${TEXTS} ${person.target}`]);
  expect(await dialing.shown(batch_id)).toEqual(["PENDING DELIVERED 2"]);
  await dialer.pass(23 * 60, 600_000);
  expect(dialer.world.handed).toHaveLength(2);
  await dialer.pass(90, 600_000);
  expect(handed(dialer)[2]).toBe(`email ${DESK} ${mailOf(person)}`);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED DELIVERED 3"]);
  await dialer.pass(3 * 24 * 60, 3_600_000);
  expect(dialer.world.handed).toHaveLength(3);
  expect(states(await trace(batch_id))).toEqual(["done", "done", "done"]);
  expect(await eventsOf(campaign_id, "request-step")).toEqual([
    expect.stringMatching(/^Step 2 of 3 of request "ann" .*: a text, not before /),
    expect.stringMatching(/^Step 3 of 3 of request "ann" .*: an e-mail, not before /),
  ]);
  const hooks = await app.db
    .selectFrom("webhook_deliveries")
    .select("body")
    .where("campaign_id", "=", campaign_id)
    .orderBy("key")
    .execute();
  expect(hooks.map(({ body }) => JSON.parse(body).data)).toMatchObject([
    { mode: "voice", channel_manager_status: "NO-ANSWER", request_status: "PENDING", step: 2, steps: 3 },
    { mode: "sms", channel_manager_status: "DELIVERED", request_status: "PENDING", step: 3, steps: 3 },
    { mode: "email", channel_manager_status: "DELIVERED", request_status: "COMPLETED", step: 3, steps: 3 },
  ]);
});

test("what was done is told as it was done, whatever the steps are now", async () => {
  const person = ann({ mobile: dialing.person(), email: "ann@people.example" });
  const { mobile } = person.variables as { mobile: string };
  const { campaign_id, batch_id } = await cadence([{ ...TEXT, address: "mobile" }, MAIL], [person]);
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.pass(15);
  const change = async (steps: object[]) =>
    expect((await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/cadence`, { steps })).status).toBe(200);
  const done = [
    { number: 1, mode: "voice", source: SOURCE, target: person.target, state: "done" },
    { number: 2, mode: "sms", source: TEXTS, target: mobile, state: "done" },
  ];
  await change([
    { ...TEXT, address: "landline" },
    { ...MAIL, address: "work_email" },
  ]);
  expect((await trace(batch_id)).steps).toMatchObject([
    ...done,
    { number: 3, mode: "email", target: "ann@people.example", state: "waiting" },
  ]);
  await change([MAIL]);
  expect((await trace(batch_id)).steps).toMatchObject(done);
  await change([]);
  expect((await trace(batch_id)).steps).toMatchObject(done);
});

test("a person who talks on the telephone gets no text", async () => {
  const { batch_id } = await cadence([TEXT, MAIL], [ann()]);
  const dialer = createTestDialer(app, byMode({ ...UNANSWERED, voice: { tells: ["HUMAN", "COMPLETED"] } }));
  await dialer.pass(2 * 24 * 60, 1_800_000);
  expect(dialer.world.handed).toHaveLength(1);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
  expect(states(await trace(batch_id))).toEqual(["done", "not-reached", "not-reached"]);
});

test("the campaign's retries come first, and belong to its own step alone", async () => {
  const { batch_id } = await cadence([TEXT], [ann()], { retry_count: 1, retry_interval: "1h" });
  const dialer = createTestDialer(
    app,
    byMode({ ...UNANSWERED, sms: { tells: ["UNDELIVERED"], is_transient: true } }),
  );
  await dialer.pass(60);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice"]);
  await dialer.pass(24 * 60, 600_000);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice", "voice", "sms"]);
  expect(await dialing.shown(batch_id)).toEqual(["FAILED UNDELIVERED 3"]);
});

test("a step without an address is skipped with the reason, and the next one has its turn", async () => {
  const { campaign_id, batch_id } = await cadence([{ ...MAIL, wait: "10m" }, TEXT], [ann({})]);
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.pass(60);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice", "sms"]);
  expect((await trace(batch_id)).steps).toMatchObject([
    { state: "done" },
    { state: "skipped", text: 'the request has no column "email", or it is empty' },
    { state: "done" },
  ]);
  expect(await eventsOf(campaign_id, "request-step-skipped")).toEqual([
    expect.stringContaining('is skipped: the request has no column "email", or it is empty'),
  ]);
});

test("a step whose channel has no consent is skipped, and the next channel's is asked for by itself", async () => {
  const person = ann();
  const { campaign_id, batch_id } = await cadence([TEXT, { ...MAIL, wait: "20m" }], [person]);
  const marketing = { purpose: "marketing" };
  expect((await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/reach-rules`, marketing)).status).toBe(200);
  const consent = (address: string, channel: string) =>
    app.send("POST", "/api/v1/consents/", {
      address,
      channel,
      purpose: "marketing",
      given_through: "form",
      wording: "Yes, contact me.",
    });
  const given = await consent(person.target, "call");
  expect(given.status, JSON.stringify(given.body)).toBe(200);
  expect((await consent(mailOf(person), "email")).status).toBe(200);
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.pass(120);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice", "email"]);
  expect((await trace(batch_id)).steps).toMatchObject([
    { state: "done" },
    { state: "skipped", text: expect.stringContaining("no consent") },
    { state: "done" },
  ]);
});

/** The carrier's words of texts are lost. */
async function passWithoutReports(
  dialer: ReturnType<typeof createTestDialer>,
  minutes: number,
  step_minutes = 1,
) {
  for (let minute = 0; minute < minutes; minute += step_minutes) {
    app.clock.advance(step_minutes * 60_000);
    await dialer.tick();
    const told = dialer.world.tell();
    await dialer.attempts.signal(told.filter(({ status }) => status === "NO-ANSWER"));
  }
}

describe("no further step is tried", () => {
  /** As of after the call, with the text waiting. */
  async function afterTheCall() {
    const person = ann();
    const made = await cadence([TEXT, MAIL], [person]);
    const dialer = createTestDialer(app, byMode(UNANSWERED));
    await dialer.tick();
    await dialer.settle();
    return { ...made, dialer, person };
  }

  test("goes on after a text whose report was lost once its carrier was asked, and says that it was delivered", async () => {
    const person = ann();
    const { batch_id } = await cadence([TEXT, { ...MAIL, wait: "1m" }], [person]);
    const dialer = createTestDialer(app, byMode(UNANSWERED));
    await passWithoutReports(dialer, 11);
    expect(handed(dialer)).toEqual([`voice ${SOURCE} ${person.target}`, `sms ${TEXTS} ${person.target}`]);
    await passWithoutReports(dialer, 17);
    expect(handed(dialer).at(-1)).toBe(`email ${DESK} ${mailOf(person)}`);
    const { attempts } = await trace(batch_id);
    expect(attempts[1]).toMatchObject({ channel_manager_status: "DELIVERED", provider_status: "asked" });
  });

  test("waits a day for a text that its carrier can tell nothing of, and asks it eight times", async () => {
    await cadence([TEXT, { ...MAIL, wait: "1m" }], [ann()]);
    const dialer = createTestDialer(app, byMode({ ...UNANSWERED, sms: {} }));
    let asked = 0;
    const { find } = dialer.world.senders.sms;
    dialer.world.senders.sms.find = (...about) => {
      asked++;
      return find(...about);
    };
    await passWithoutReports(dialer, 11);
    await passWithoutReports(dialer, 23.5 * 60, 15);
    expect([dialer.world.handed.length, asked]).toEqual([2, 7]);
    await passWithoutReports(dialer, 45, 15);
    expect([dialer.world.handed.length, asked]).toEqual([3, 8]);
  });

  test("once the person opts out, on whichever channel", async () => {
    const { campaign_id, batch_id, dialer, person } = await afterTheCall();
    await app.send("POST", "/api/v1/suppressions/", { address: mailOf(person), scope: "email" });
    await dialer.pass(2 * 24 * 60, 1_800_000);
    expect(dialer.world.handed).toHaveLength(1);
    expect(await dialing.shown(batch_id)).toEqual(["SKIPPED PRIOR_UNSUBSCRIBED 1"]);
    expect(await eventsOf(campaign_id, "request-steps-stopped")).toEqual([
      expect.stringContaining(`${mailOf(person)} opted out`),
    ]);
    expect((await trace(batch_id)).attempts).toMatchObject([
      { text: expect.stringContaining(`step 2 of 3, a text, was stopped: ${mailOf(person)} opted out.`) },
    ]);
  });

  test.each([
    ["calls us", "voice"],
    ["writes to us", "sms"],
  ] as const)("once the person %s", async (_, channel) => {
    const { campaign_id, batch_id, dialer, person } = await afterTheCall();
    app.clock.advance(60_000);
    await saidBy(person.target, channel);
    // Before its turn comes, too, nobody is told of a step that will not come.
    const stopped = {
      reason: "answered",
      text: expect.stringContaining(`Will be stopped when its turn comes: ${person.target}`),
    };
    const waiting = await trace(batch_id);
    expect(waiting.next_step).toMatchObject(stopped);
    expect(states(waiting)).toEqual(["done", "stopped", "stopped"]);
    const board = async () => (await app.send("GET", `${CAMPAIGNS}/${campaign_id}/board`)).body;
    expect((await board()).batches).toMatchObject([{ next_step: stopped }]);
    await dialer.pass(2 * 24 * 60, 1_800_000);
    expect(dialer.world.handed).toHaveLength(1);
    const outcome = expect.stringMatching(
      /^Attempt 1: .*; step 2 of 3, a text, was stopped: \+\d+ (?:called us|answered)\.$/,
    );
    expect((await board()).latest).toMatchObject([{ text: outcome }]);
    expect((await trace(batch_id)).attempts).toMatchObject([{ text: outcome }]);
    const { body: contact } = await app.send("GET", `/api/v1/contacts/${encodeURIComponent(person.target)}`);
    expect(contact.entries.filter(({ kind }: { kind: string }) => kind === "attempt")).toMatchObject([
      { text: outcome },
    ]);
    expect(await dialing.shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
    expect((await trace(batch_id)).steps).toMatchObject([
      { state: "done" },
      { state: "stopped", text: expect.stringContaining(person.target) },
      { state: "stopped" },
    ]);
  });

  test("when they answer between the claim and the hand-over", async () => {
    const person = ann();
    const { batch_id } = await cadence([TEXT], [person]);
    let claims = 0;
    const dialer: ReturnType<typeof createTestDialer> = createTestDialer(app, byMode(UNANSWERED), {
      async faultPoint(name) {
        if (name === "before-send" && ++claims === 2) await saidBy(person.target, "voice");
      },
    });
    await dialer.pass(30);
    expect(claims).toBe(2);
    expect(dialer.world.handed).toHaveLength(1);
    expect(await dialing.shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
  });

  test("once a late word says that the call was answered after all", async () => {
    const { batch_id } = await cadence([{ ...TEXT, after: ["NO_OUTCOME"] }], [ann()]);
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    const [key] = [...dialer.world.taken.keys()] as [string];
    await dialer.attempts.signal([word(key, "NO_OUTCOME", app.clock.now(), { is_transient: false })]);
    expect(await dialing.shown(batch_id)).toEqual(["PENDING NO_OUTCOME 1"]);
    await dialer.attempts.signal([word(key, "COMPLETED", app.clock.now())]);
    expect(await dialing.shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
    await dialer.pass(30);
    expect(dialer.world.handed).toHaveLength(1);
  });

  test("and who waits for a step that is taken out of the campaign is over as the last one ended", async () => {
    const { campaign_id, batch_id, dialer } = await afterTheCall();
    expect((await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/cadence`, { steps: [] })).status).toBe(200);
    await dialer.pass(30);
    expect(dialer.world.handed).toHaveLength(1);
    expect(await dialing.shown(batch_id)).toEqual(["FAILED NO-ANSWER 1"]);
  });
});

test("a delivered text that is opened later stops no step, a mail that is unsubscribed from does", async () => {
  const { batch_id } = await cadence([MAIL, { ...TEXT, wait: "2d" }], [ann()]);
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.pass(25 * 60, 600_000);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice", "email"]);
  const key = [...dialer.world.taken.keys()].at(-1) as string;
  await dialer.attempts.signal([word(key, "OPENED", app.clock.now())]);
  expect(await dialing.shown(batch_id)).toEqual(["PENDING DELIVERED 2"]);
  await dialer.attempts.signal([word(key, "UNSUBSCRIBED", app.clock.now())]);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED UNSUBSCRIBED 2"]);
  await dialer.pass(3 * 24 * 60, 3_600_000);
  expect(dialer.world.handed).toHaveLength(2);
});

test("a channel that is held up holds up no other, and all steps share the pace of the batch", async () => {
  const people = [0, 1, 2].map((n) => ({ reference: `p${n}`, target: dialing.person() }));
  const { batch_id } = await cadence([{ ...TEXT, wait: "1s" }], people, { hourly_rate: 60 });
  const now = app.clock.now();
  await app.db
    .insertInto("dial_sources")
    .values({
      organization_id: app.admin.organization_id,
      source: TEXTS,
      ended: 1,
      failed: 1,
      since: now.toISOString(),
      reason: "account suspended",
      closed_until: new Date(now.getTime() + 3_600_000).toISOString(),
    })
    .execute();
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.tick();
  await dialer.settle();
  await dialer.pass(10);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice", "voice", "voice"]);
  await dialer.pass(55);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual([
    "voice",
    "voice",
    "voice",
    "sms",
    "sms",
    "sms",
  ]);
  const { rows } = await sql<{ apart: number }>`
    select extract(epoch from started_at - lag(started_at) over (order by started_at)) as apart from attempts
    where batch_key = (select key from batches where batch_id = ${batch_id})`.execute(app.db);
  for (const { apart } of rows.slice(1)) expect(apart).toBeGreaterThanOrEqual(60);
});

test("who is deleted leaves no attempt behind, at whichever address a step reached them", async () => {
  const person = ann();
  const { campaign_id, batch_id } = await cadence([{ ...MAIL, wait: "1m" }], [person]);
  const dialer = createTestDialer(app, byMode(UNANSWERED));
  await dialer.pass(10);
  expect(dialer.world.handed.map(({ mode }) => mode)).toEqual(["voice", "email"]);
  const started = await app.send("POST", "/api/v1/erasures/", { address: person.target });
  expect(started.status, JSON.stringify(started.body)).toBe(200);
  await runErasure({ ...app, dataDir: app.config.data_dir }, started.body.id);
  expect((await dialing.outbound.results(batch_id)).body).toEqual([]);
  const left = app.db.selectFrom("attempts").select("target").where("campaign_id", "=", campaign_id);
  expect(await left.execute()).toEqual([]);
});

test("steps are refused that nobody sends, or that can follow nothing, all at once and at their place", async () => {
  const { campaign_id } = await dialing.filled([]);
  const steps = [
    { ...TEXT, source: "+15125550999" },
    { ...MAIL, after: ["NO-ANSWER"] },
  ];
  const { status, body } = await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/cadence`, { steps });
  expect(status).toBe(422);
  expect(body.detail).toMatchObject([
    { loc: ["body", "steps", 0, "source"], msg: expect.stringContaining("+15125550999") },
    { loc: ["body", "steps", 1, "after"], msg: expect.stringContaining("NO-ANSWER") },
  ]);
});

/** A person calls one of our agents, or writes to one. */
async function saidBy(source: string, channel: "voice" | "sms"): Promise<void> {
  const session_id = await insertSession(app, { source, channel });
  const of = { session_id, seq: 0, turn_index: 0, timestamp: app.clock.now().toISOString() };
  await app.db
    .insertInto("session_messages")
    .values({ ...of, role: "user", text: "Hello" })
    .execute();
}
