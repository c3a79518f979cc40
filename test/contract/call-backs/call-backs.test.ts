import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { createNumber, incoming, pickUp } from "../../harness/phone.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  // 10:00 on a Wednesday in New York.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
  await sql`update organizations set outreach_rules = null`.execute(app.db);
});

const BOSTON = "+16175580001";
const FAST = { hourly_rate: 3600, retry_count: 1, retry_interval: "10m" };
const LIST = "/api/v1/outbound/call-backs";
const listed = async (campaign_id: number) =>
  (await app.send("GET", `${LIST}/?search_fields=campaign_id&search_field_values=${campaign_id}`)).body.items;
const traceOf = async (batch_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body;

let sessions = 1_000_000;
/** A call that somebody answered, with a session of its own; the dialer's world does as planned afterwards. */
async function talking(whom: string[], plan: Parameters<typeof createTestDialer>[1] = () => ({})) {
  const made = await dialing.filled(whom, FAST);
  const dialer = createTestDialer(app, plan);
  await dialer.tick();
  return { ...made, dialer, session_id: await converse(dialer) };
}

/** The newest attempt's conversation begins. */
async function converse(dialer: ReturnType<typeof createTestDialer>): Promise<number> {
  const key = dialer.world.handed.at(-1)?.key as string;
  const session_id = ++sessions;
  await app.db
    .transaction()
    .execute((tx) => dialer.attempts.sessionStarted(tx, key, { session_id, conversation_id: session_id }));
  return session_id;
}

/** What the tool and the turn's transaction do. */
async function ask(session_id: number, when: string): Promise<string> {
  const now = app.clock.now();
  const plan = await app.engine.callBacks.plan(session_id, when, now);
  if (plan.kind === "planned") {
    const session = { id: session_id, sub_organization_id: app.admin.sub_organization_id };
    await app.db.transaction().execute((tx) => app.engine.callBacks.book(tx, session, plan, now));
  }
  return plan.text;
}

test("a call that is asked for in a conversation is made at that time, by the same campaign, before retries and first attempts", async () => {
  const { batch_id, campaign_id, dialer, session_id } = await talking([BOSTON, dialing.person()], () => ({
    tells: ["COMPLETED"],
  }));
  expect(await ask(session_id, "14:30")).toBe("The person will be called at 14:30 in New York, their time.");
  expect(await listed(campaign_id)).toMatchObject([{ state: "asked", moved: 0, session_id }]);
  await dialer.settle();
  expect(await dialing.shown(batch_id)).toEqual(["PENDING COMPLETED 1", "PENDING PENDING 0"]);
  const { next_step, attempts } = await traceOf(batch_id);
  expect(next_step).toMatchObject({ reason: "call-back", until: "2026-11-18T19:30:00.000Z" });
  expect(next_step.text).toMatch(/^Waiting: the person asked for a call at 14:30/);
  expect(attempts[0].text).toMatch(/^Attempt 1: completed; the person asked for a call at/);
  expect(await listed(campaign_id)).toMatchObject([
    {
      state: "waiting",
      due_at: expect.stringContaining("2026-11-18T19:30:00"),
      timezone: "America/New_York",
    },
  ]);
  await dialer.pass(2);
  expect(dialer.world.handed.map(({ target }) => target)).toHaveLength(2);
  app.clock.set("2026-11-18T19:29:00Z");
  await dialer.pass(0.5, 30_000);
  expect(dialer.world.handed).toHaveLength(2);
  await dialer.pass(1);
  expect(dialer.world.handed.at(-1)?.target).toBe(BOSTON);
  expect(await listed(campaign_id)).toMatchObject([{ state: "called" }]);
  expect(await dialing.shown(batch_id)).toContain("COMPLETED COMPLETED 2");
});

test("asked twice it is moved; a call-back counts as no retry, and has the campaign's own retries", async () => {
  const { batch_id, campaign_id, dialer, session_id } = await talking([BOSTON], (_, tries) => ({
    tells: [tries === 0 ? "COMPLETED" : "NO-ANSWER"],
  }));
  await ask(session_id, "1h");
  await ask(session_id, "2h");
  await dialer.settle();
  expect(await listed(campaign_id)).toMatchObject([
    { due_at: expect.stringContaining("2026-11-18T17:00:00"), moved: 1 },
  ]);
  await dialer.pass(90);
  expect(dialer.world.handed).toHaveLength(1);
  await dialer.pass(31);
  expect(await dialing.shown(batch_id)).toEqual(["PENDING NO-ANSWER 2"]);
  expect((await traceOf(batch_id)).next_step.text).toMatch(/retry 1 of 1 at/);
  await dialer.pass(15);
  expect(await dialing.shown(batch_id)).toEqual(["FAILED NO-ANSWER 3"]);
});

test("one that is booked after the call's end, or whose call reports again late, waits all the same", async () => {
  const { batch_id, dialer, session_id } = await talking([BOSTON], () => ({ tells: ["COMPLETED"] }));
  await dialer.settle();
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
  await ask(session_id, "1h");
  expect(await dialing.shown(batch_id)).toEqual(["PENDING COMPLETED 1"]);
  const key = dialer.world.handed[0]?.key as string;
  for (const status of ["HUMAN", "COMPLETED", "NO-ANSWER"] as const)
    await dialer.attempts.signal([
      {
        key,
        sid: null,
        status,
        word: null,
        error_code: null,
        is_transient: null,
        at: app.clock.now(),
      } as never,
    ]);
  expect(await dialing.shown(batch_id)).toEqual(["PENDING COMPLETED 1"]);
  await dialer.pass(61);
  expect(dialer.world.handed).toHaveLength(2);
});

test("an opt-out calls it off, whether it comes before the call's end or later", async () => {
  for (const late of [false, true]) {
    await dialing.forget();
    const target = dialing.person();
    const { batch_id, campaign_id, dialer, session_id } = await talking([target], () => ({
      tells: ["COMPLETED"],
    }));
    await ask(session_id, "1h");
    if (late) await dialer.settle();
    await app.send("POST", "/api/v1/suppressions/", { address: target });
    if (!late) await dialer.settle();
    expect(await listed(campaign_id)).toMatchObject([{ state: "canceled" }]);
    await dialer.pass(70);
    expect(dialer.world.handed).toHaveLength(1);
    expect(await dialing.shown(batch_id)).toEqual([
      late ? "SKIPPED PRIOR_UNSUBSCRIBED 1" : "COMPLETED COMPLETED 1",
    ]);
  }
});

test("an operator cancels it; then the request stands as its call left it, and a second cancel is refused", async () => {
  const { batch_id, campaign_id, dialer, session_id } = await talking([BOSTON], () => ({
    tells: ["COMPLETED"],
  }));
  await ask(session_id, "1h");
  await dialer.settle();
  const [{ id }] = await listed(campaign_id);
  expect((await app.send("DELETE", `${LIST}/${id}`)).status).toBe(200);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
  expect((await app.send("DELETE", `${LIST}/${id}`)).status).toBe(412);
  await dialer.pass(70);
  expect(dialer.world.handed).toHaveLength(1);
});

test("calls that are due at the same moment are listed page by page, each once", async () => {
  const { campaign_id, dialer, session_id } = await talking([BOSTON]);
  await ask(session_id, "1h");
  await dialer.settle();
  await sql`
    insert into call_backs (sub_organization_id, campaign_id, batch_key, request_id, after_attempt, session_id, target,
      due_at, timezone, asked_at)
    select sub_organization_id, campaign_id, batch_key, request_id, after_attempt + n, session_id, target, due_at, timezone,
      asked_at
    from call_backs, generate_series(1, 2) as n where campaign_id = ${campaign_id}`.execute(app.db);
  const all: { id: number }[] = await listed(campaign_id);
  const pages = [];
  for (const page of [0, 1, 2]) {
    const query = `search_fields=campaign_id&search_field_values=${campaign_id}&limit=1&page=${page}`;
    pages.push((await app.send("GET", `${LIST}/?${query}`)).body.items);
  }
  expect(all).toHaveLength(3);
  expect(pages.map((items: { id: number }[]) => items.map(({ id }) => id))).toEqual(
    all.map(({ id }) => [id]),
  );
});

test("the person's hours and caps decide when the call is asked for, the rest after a conversation does not hold it back", async () => {
  await app.send("PUT", "/api/v1/outbound/rules", {
    person_clock: true,
    contact_hours: [
      {
        jurisdiction: "*",
        channel: "call",
        days: ["mon", "tue", "wed", "thu", "fri"],
        from: "08:00",
        to: "21:00",
      },
    ],
    caps: [{ channel: "call", attempts: 2, days: 1 }],
    days_after_conversation: 2,
  });
  const { dialer, session_id } = await talking([BOSTON], () => ({ tells: ["COMPLETED"] }));
  expect(await ask(session_id, "21:30")).toBe(
    "No call is possible then. The next possible time is 2026-11-19 08:00 in New York; offer that.",
  );
  await ask(session_id, "1h");
  await dialer.settle();
  await dialer.pass(61);
  expect(dialer.world.handed).toHaveLength(2);
  // Two calls were made within a day: the third is promised for the next one.
  expect(await ask(await converse(dialer), "2h")).toMatch(
    /next possible time is 2026-11-19 10:00 in New York/,
  );
});

test("somebody who called is called back by a campaign of the agent, from the number that they called", async () => {
  const number = await createNumber(app, {
    systemTools: ["call_back"],
    script: `
  on "later" -> call call_back {"when": "2h"}
  after call_back -> say "{result.message}"
  otherwise -> say "Hello."`,
  });
  const caller = "+14155550188";
  const phone = await pickUp(app, incoming(number.number, { from: caller }));
  phone.says("Please call me later.");
  expect((await phone.hears(1)).join(" ")).toMatch(/The person will be called at 09:00 in Los Angeles/);
  const { items } = (
    await app.send("GET", `${LIST}/?search_fields=session_id&search_field_values=${phone.session_id}`)
  ).body;
  expect(items).toMatchObject([
    { state: "waiting", target: caller, due_at: expect.stringContaining("2026-11-18T17:00:00") },
  ]);
  const campaign = (await app.send("GET", `/api/v1/outbound/campaigns/${items[0].campaign_id}`)).body;
  expect(campaign).toMatchObject({
    source: number.number,
    agent_id: number.agent_id,
    daily_end_time: "21:00:00",
  });
  // A second wish moves the first, also from another call.
  const again = await pickUp(app, incoming(number.number, { from: caller, sid: "CA-second" }));
  app.clock.advance(60_000);
  again.says("Please call me later.");
  await again.hears(1);
  expect(await listed(campaign.id)).toMatchObject([
    { moved: 1, due_at: expect.stringContaining("2026-11-18T17:01:00") },
  ]);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.pass(119);
  expect(dialer.world.handed).toHaveLength(0);
  await dialer.pass(4);
  expect(dialer.world.handed).toMatchObject([{ target: caller, source: number.number }]);
  const contact = (await app.send("GET", `/api/v1/contacts/${encodeURIComponent(caller)}`)).body;
  expect(contact.entries.filter(({ kind }: { kind: string }) => kind === "call-back")).toMatchObject([
    { status: "called", text: "Asked to be called at 2026-11-18 09:01 America/Los_Angeles" },
  ]);
});
