import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

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
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const HOURS = { jurisdiction: "*", channel: "call", days: DAYS, from: "08:00", to: "21:00" };
const put = (more: object) =>
  app.send("PUT", RULES, { person_clock: true, contact_hours: [HOURS], caps: [], ...more });
const traceOf = async (batch_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body.next_step;
const numbers = (dialer: ReturnType<typeof createTestDialer>) =>
  dialer.world.handed.map(({ target }) => target);
const purpose = (campaign_id: number, of: string) =>
  app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/reach-rules`, { purpose: of });

test("nobody is contacted on a holiday of theirs; claim, trace and preflight say which, and they are called the next morning", async () => {
  await put({ holidays: [{ jurisdiction: "US-MA", date: "2026-11-18", name: "Town day" }] });
  const { batch_id, campaign_id } = await dialing.filled([BOSTON], FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.tick();
  expect(numbers(dialer)).toEqual([]);
  expect(await traceOf(batch_id)).toEqual({
    kind: "waiting",
    reason: "holiday",
    text: "Waiting for 2026-11-19 08:00 in New York, by the number's area, after Town day (2026-11-18).",
    until: "2026-11-19T13:00:00.000Z",
  });
  const preflight = await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/preflight`, {});
  expect(preflight.body.later).toEqual([
    { reason: "holiday", text: "waiting for the end of a holiday", count: 1 },
  ]);
  app.clock.set("2026-11-19T12:59:00Z");
  await dialer.tick();
  expect(numbers(dialer)).toEqual([]);
  await dialer.pass(2);
  expect(numbers(dialer)).toEqual([BOSTON]);
});

test("the campaign's purpose decides which rows hold: an emergency is called at night where rows name other purposes", async () => {
  const rows = ["marketing", "informational"].map((of) => ({ ...HOURS, purpose: of }));
  await put({ contact_hours: rows });
  const informational = await dialing.filled([SEATTLE], FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.tick();
  expect(await traceOf(informational.batch_id)).toMatchObject({ reason: "person-hours" });
  const emergency = await dialing.filled(["+12065580003"], FAST, { paused: true });
  await purpose(emergency.campaign_id, "emergency");
  await app.send("POST", `/api/v1/outbound/campaigns/${emergency.campaign_id}/start`);
  await dialer.pass(1);
  expect(numbers(dialer)).toEqual(["+12065580003"]);
});

test("rules saved before there were purposes and holidays are shown and applied as for every purpose", async () => {
  await sql`
    update organizations set outreach_rules = ${JSON.stringify({
      person_clock: true,
      caps: [],
      days_after_conversation: null,
      contact_hours: [{ ...HOURS, source: null, checked_on: null }],
    })}::json`.execute(app.db);
  expect((await app.send("GET", RULES)).body).toMatchObject({
    contact_hours: [{ jurisdiction: "*", purpose: null }],
    holidays: [],
  });
  const { batch_id, campaign_id } = await dialing.filled([SEATTLE], FAST, { paused: true });
  await purpose(campaign_id, "emergency");
  await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/start`);
  const dialer = createTestDialer(app, () => ({}));
  await dialer.tick();
  expect(numbers(dialer)).toEqual([]);
  expect(await traceOf(batch_id)).toMatchObject({ until: "2026-11-18T16:00:00.000Z" });
});

test("a holiday that is no date, has no name or is of no known place is refused at its place, and more than 500 are", async () => {
  const day = { jurisdiction: "US", date: "2026-12-25", name: "Christmas Day" };
  const { status, body } = await put({
    holidays: [
      { ...day, date: "2026-02-30" },
      { ...day, jurisdiction: "US-ZZ" },
      { ...day, name: " " },
    ],
  });
  expect(status).toBe(422);
  expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(-3))).toEqual([
    ["holidays", 0, "date"],
    ["holidays", 1, "jurisdiction"],
    ["holidays", 2, "name"],
  ]);
  expect((await put({ holidays: Array.from({ length: 501 }, () => day) })).status).toBe(422);
  expect((await put({ holidays: [{ ...day, region: "TX" }] })).status).toBe(422);
});

test("the audit log keeps each version of the rules, before and after, with who saved it", async () => {
  const day = { jurisdiction: "US", date: "2026-12-25", name: "Christmas Day" };
  await put({ holidays: [day] });
  app.clock.advance(1_000);
  await put({ contact_hours: [{ ...HOURS, purpose: "marketing" }] });
  const { rows } = await sql<{ before: object; after: object; actor: string }>`
    select actor, before, after from audit_entries where resource = 'outreach-rules' order by id desc limit 2`.execute(
    app.db,
  );
  expect(rows).toMatchObject([
    {
      actor: expect.stringContaining("@"),
      before: { holidays: [day] },
      after: { holidays: [], contact_hours: [{ purpose: "marketing" }] },
    },
    { before: { holidays: [] }, after: { holidays: [day] } },
  ]);
});

test("the forecast says how many wait for their own hours, by zone, as the claim would judge them", async () => {
  const forecast = async (campaign_id: number, more: object = {}) =>
    (
      await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/forecast`, {
        answer_rate: 0.5,
        days: 2,
        ...more,
      })
    ).body;
  const { batch_id, campaign_id } = await dialing.filled([BOSTON, SEATTLE, "+18085550100"], FAST);
  await dialing.outbound.add(batch_id, [
    request("moved", "+16175580009", { timezone: "America/Los_Angeles" }),
  ]);
  expect((await forecast(campaign_id)).own_hours).toBeNull();
  await put({});
  expect((await forecast(campaign_id)).own_hours).toEqual({
    waiting: 4,
    judged: 4,
    held: 3,
    first_at: "2026-11-18T16:00:00.000Z",
    zones: [
      { zone: "America/Los_Angeles", people: 2, opens_at: "2026-11-18T16:00:00.000Z" },
      { zone: "Pacific/Honolulu", people: 1, opens_at: "2026-11-18T18:00:00.000Z" },
    ],
    text: "3 of 4 people wait for their own hours, the first for 08:00 in Los Angeles.",
  });
  expect((await forecast(campaign_id, { requests: 10 })).own_hours).toBeNull();
  expect((await forecast(campaign_id, { from: "2026-11-18T20:00:00Z" })).own_hours).toMatchObject({
    held: 0,
    first_at: null,
    text: "Nobody of 4 people waits for their own hours.",
  });
});
