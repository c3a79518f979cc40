import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { requireGo } from "../../../src/channels/outreach.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

const HOUR_ms = 3_600_000;
const FAST = { hourly_rate: 3600 };
const BOSTON = "+16175580001";
const SEATTLE = "+12065580002";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  // 10:00 on a Wednesday in New York, 07:00 in Seattle.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
  await sql`update organizations set outreach_rules = null, outreach_rules_updated_at = null`.execute(app.db);
});

const RULES = "/api/v1/outbound/rules";
const put = (more: object) =>
  app.send("PUT", RULES, { person_clock: true, contact_hours: HOURS, caps: [], ...more });
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const HOURS = [{ jurisdiction: "*", channel: "call", days: DAYS, from: "08:00", to: "21:00" }];
const traceOf = async (batch_id: string, reference_id = "p0") =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/${reference_id}/trace`)).body.next_step;
const numbers = (dialer: ReturnType<typeof createTestDialer>) =>
  dialer.world.handed.map(({ target }) => target);

test("a request's postal code tells the person's zone where no zone is named, and the trace says so", async () => {
  await put({});
  const { batch_id } = await dialing.filled(0, FAST);
  await dialing.outbound.add(batch_id, [request("p0", BOSTON, { zip: "98101" })]);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.tick();
  expect(numbers(dialer)).toEqual([]);
  expect(await traceOf(batch_id)).toMatchObject({
    reason: "person-hours",
    text: "Waiting for 08:00 in Los Angeles, by the postal code.",
    until: "2026-11-18T16:00:00.000Z",
  });
  await dialer.pass(60);
  expect(numbers(dialer)).toEqual([BOSTON]);
});

test.each([
  ["the campaign's hours", { daily_end_time: "10:01:00" }, null],
  ["the person's own hours", {}, [{ ...HOURS[0], from: "06:00", to: "07:01" }]],
])(
  "who is written to so long that %s close is reached when they open again, without losing a try",
  async (_, campaign, contact_hours) => {
    if (contact_hours) await put({ contact_hours });
    app.clock.set("2026-11-18T15:00:59.500Z");
    const { batch_id } = await dialing.filled([SEATTLE], { ...FAST, ...campaign });
    const world = createTestDialer(app, () => ({ tells: ["COMPLETED"] })).world;
    const { send, ...sender } = world.senders.voice;
    let writes_ms = 1_000;
    const voice = {
      ...sender,
      send: async (...[outreach, mayGo]: Parameters<typeof send>) => {
        app.clock.advance(writes_ms);
        await requireGo(mayGo);
        return send(outreach);
      },
    };
    const dialer = createTestDialer(app, () => ({}), { senders: { ...world.senders, voice } });
    await dialer.tick();
    expect(world.handed).toEqual([]);
    expect(await dialing.shown(batch_id)).toEqual(["PENDING PENDING 0"]);
    writes_ms = 0;
    await dialer.pass(30);
    expect(world.handed).toEqual([]);
    expect(await traceOf(batch_id)).toMatchObject({ kind: "waiting" });
    app.clock.advance(23 * HOUR_ms);
    await dialer.pass(60);
    expect(world.handed.map(({ target }) => target)).toEqual([SEATTLE]);
  },
);

test("a person is called from 08:00 on their own clock, those behind before, and the trace says for what they wait", async () => {
  await put({});
  const { batch_id, campaign_id } = await dialing.filled([SEATTLE, BOSTON], FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.tick();
  expect(numbers(dialer)).toEqual([BOSTON]);
  expect(await traceOf(batch_id)).toEqual({
    kind: "waiting",
    reason: "person-hours",
    text: "Waiting for 08:00 in Los Angeles, by the number's area.",
    until: "2026-11-18T16:00:00.000Z",
  });
  await dialer.settle();
  await dialer.pass(1);
  const board = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  expect(board.body.batches[0]).toMatchObject({
    put_off: 1,
    next_step: {
      reason: "person-hours",
      text: "Waiting for 08:00 in Los Angeles, by the number's area.",
      until: "2026-11-18T16:00:00.000Z",
    },
  });
  await dialer.pass(58);
  expect(numbers(dialer)).toEqual([BOSTON]);
  await dialer.pass(2);
  expect(numbers(dialer)).toEqual([BOSTON, SEATTLE]);
});

test.each(["9999-12-31", "9999-12-31T23:59:59Z"])(
  "whoever is not to be called before %s waits, and holds up nobody",
  async (not_before) => {
    await put({});
    const { batch_id } = await dialing.filled(0, FAST);
    await dialing.outbound.add(batch_id, [request("p0", SEATTLE, { not_before }), request("p1", BOSTON)]);
    const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
    await dialer.tick();
    expect(numbers(dialer)).toEqual([BOSTON]);
    expect(await traceOf(batch_id)).toMatchObject({
      reason: "not-before",
      until: expect.stringMatching(/^9999-/),
    });
  },
);

test("until an organization turns the person's clock on, only the campaign's clock decides", async () => {
  expect((await app.send("GET", RULES)).body).toMatchObject({
    person_clock: false,
    caps: [],
    updated_at: null,
  });
  await dialing.filled([SEATTLE], { ...FAST });
  const dialer = createTestDialer(app, () => ({}));
  await dialer.tick();
  expect(numbers(dialer)).toEqual([SEATTLE]);
});

test("a retry waits for the person's morning, too", async () => {
  await put({});
  app.clock.set("2026-11-19T01:30:00Z");
  const { batch_id } = await dialing.filled([BOSTON], { ...FAST, retry_count: 1, retry_interval: "1h" });
  const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
  await dialer.tick();
  await dialer.settle();
  await dialer.pass(90);
  expect(await traceOf(batch_id)).toMatchObject({
    reason: "person-hours",
    until: "2026-11-19T13:00:00.000Z",
  });
  expect(dialer.world.handed).toHaveLength(1);
});

test("an invalid zone or time in a file is refused with its row and column, and nothing of the file is stored", async () => {
  await put({});
  const { batch_id } = await dialing.filled(0);
  const file = (cell: string) =>
    dialing.outbound.upload(
      batch_id,
      `reference_id,target,timezone\nann,${BOSTON},America/New_York\nbob,${SEATTLE},${cell}\n`,
    );
  const refused = await file("Mars/Base");
  expect(refused.status).toBe(422);
  expect(refused.body.detail).toEqual([
    {
      loc: ["body", "file", 3, "timezone"].slice(-refused.body.detail[0].loc.length),
      msg: '"Mars/Base" is not a time zone. Write one such as America/Los_Angeles',
      type: "value_error",
    },
  ]);
  expect(await dialing.shown(batch_id)).toEqual([]);
  expect((await file("")).body).toMatchObject({ accepted: 2 });
});

test("a request that names no zone or time that exists is refused; without the rules the columns are mere variables", async () => {
  const { batch_id } = await dialing.filled(0);
  const wrong = [
    request("a", BOSTON, { timezone: "Mars/Base" }),
    request("b", SEATTLE, { not_before: "soon" }),
  ];
  await put({});
  const { status, body } = await dialing.outbound.add(batch_id, wrong);
  expect(status).toBe(422);
  expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(-3))).toEqual([
    [0, "request_variables", "timezone"],
    [1, "request_variables", "not_before"],
  ]);
  await put({ person_clock: false });
  expect((await dialing.outbound.add(batch_id, wrong)).body).toMatchObject({ accepted: 2 });
  // What was stored before the rules were turned on is held, and never called on a guess.
  await put({});
  const dialer = createTestDialer(app, () => ({}));
  await dialer.pass(3);
  expect(dialer.world.handed).toEqual([]);
  expect(await traceOf(batch_id, "a")).toMatchObject({ reason: "unknown-zone" });
  expect(await traceOf(batch_id, "b")).toMatchObject({ reason: "unreadable-time" });
});

test("nobody is contacted before their not_before or after their not_after", async () => {
  await put({});
  const { batch_id } = await dialing.filled(0, FAST);
  await dialing.outbound.add(batch_id, [
    request("later", BOSTON, { not_before: "2026-11-18T10:30" }),
    request("over", SEATTLE, { not_after: "2026-11-18T06:59" }),
  ]);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.tick();
  expect(await traceOf(batch_id, "later")).toEqual({
    kind: "waiting",
    reason: "not-before",
    text: "Waiting for the request's not_before: 10:30 in New York.",
    until: "2026-11-18T15:30:00.000Z",
  });
  expect(await traceOf(batch_id, "over")).toMatchObject({
    kind: "over",
    reason: "too-late",
    text: "Skipped: the request's not_after, 06:59 in Los Angeles, has passed.",
  });
  await dialer.pass(29);
  expect(numbers(dialer)).toEqual([]);
  await dialer.pass(2);
  expect(numbers(dialer)).toEqual([BOSTON]);
});

test("two dialers and several campaigns never exceed a cap, and who is over it does not hold up those behind", async () => {
  await put({ caps: [{ channel: "call", attempts: 2, days: 1 }] });
  for (let i = 0; i < 4; i++) await dialing.filled([BOSTON, `+1617558010${i}`], FAST);
  const dialers = [1, 2, 3].map(() => createTestDialer(app, () => ({ tells: ["NO-ANSWER"] })));
  for (let i = 0; i < 8; i++) {
    await Promise.all(dialers.map((dialer) => dialer.tick()));
    for (const dialer of dialers) await dialer.settle();
    app.clock.advance(1_000);
  }
  const tried = dialers.flatMap(numbers);
  expect(tried.filter((number) => number === BOSTON)).toHaveLength(2);
  expect(tried.filter((number) => number !== BOSTON)).toHaveLength(4);
});

test("a cap counts over the sub-organizations of an organization, and not over other organizations", async () => {
  await put({ caps: [{ channel: "any", attempts: 1, days: 7 }] });
  await dialing.filled([BOSTON], FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
  await dialer.tick();
  await dialer.settle();
  const { rows } = await sql<{ id: number }>`
    insert into sub_organizations (organization_id, name, created_at)
    values (${app.admin.organization_id}, 'Second', now()) returning id`.execute(app.db);
  await sql`update attempts set sub_organization_id = ${rows[0]?.id}`.execute(app.db);
  const { batch_id } = await dialing.filled([BOSTON], FAST);
  await dialer.pass(2);
  expect(dialer.world.handed).toHaveLength(1);
  expect(await traceOf(batch_id)).toMatchObject({
    reason: "contact-cap",
    text: "Waiting: contacted once in 7 days over all campaigns, the most that the organization allows; next 2026-11-25 10:00 in New York.",
  });
  await sql`update attempts set sub_organization_id = (
    select id from sub_organizations where organization_id = ${(await app.createNeighbour()).caller.organization_id} limit 1)`.execute(
    app.db,
  );
  expect(await traceOf(batch_id)).not.toMatchObject({ reason: "contact-cap" });
});

test("after a call that a person answered they are left alone, after one that a machine answered not", async () => {
  await put({ days_after_conversation: 1 });
  await dialing.filled([BOSTON], FAST);
  await dialing.filled([SEATTLE], FAST);
  app.clock.set("2026-11-18T20:00:00Z");
  const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] }));
  await dialer.tick();
  await dialer.settle();
  await sql`
    update attempts set session_id = 1, answerer = case target when ${SEATTLE} then 'MACHINE' else 'HUMAN' end`.execute(
    app.db,
  );
  const boston = await dialing.filled([BOSTON], FAST);
  await dialing.filled([SEATTLE], FAST);
  await dialer.pass(2);
  expect(numbers(dialer).toSorted()).toEqual([SEATTLE, SEATTLE, BOSTON].toSorted());
  expect(await traceOf(boston.batch_id)).toMatchObject({ reason: "after-conversation" });
  app.clock.advance(24 * HOUR_ms);
  await dialer.tick();
  expect(numbers(dialer).filter((number) => number === BOSTON)).toHaveLength(2);
});

test("rules that leave no minute open are refused at their row, and only an administrator of the organization saves them", async () => {
  const row = { jurisdiction: "US", channel: "call", days: ["mon"], from: "09:00", to: "12:00" };
  const clash = { ...row, jurisdiction: "US-FL", from: "13:00", to: "18:00" };
  const { status, body } = await put({ contact_hours: [row, clash, { ...row, from: "12:00" }] });
  expect([status, body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(-2))]).toEqual([
    422,
    [[2, "to"]],
  ]);
  const crossed = await put({ contact_hours: [row, clash] });
  expect(crossed.body.detail).toMatchObject([
    { msg: "Together with the rules for * and US this leaves no minute of the week open" },
  ]);
  expect((await put({ contact_hours: [{ ...row, jurisdiction: "US-ZZ" }] })).status).toBe(422);
  const writer = app.sendAs(await app.createToken(["outbound_read", "outbound_write"]));
  expect((await writer("PUT", RULES, { person_clock: false, contact_hours: [], caps: [] })).status).toBe(403);
  expect((await writer("GET", RULES)).status).toBe(200);
});
