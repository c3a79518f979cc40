import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { restNumbers } from "../../../src/dialing/numbers/rest-numbers.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { createNumbers, NUMBER_GROUPS } from "../../harness/number-group.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let dialing: Dialing;
beforeEach(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

const AUSTIN = ["+15127770001", "+15127770002"];
const DALLAS = "+12147770003";
const BOSTON = "+16177770004";
const PACE = { hourly_rate: 3600, retry_count: 0 };

async function group(numbers: string[], more: object = {}) {
  const channel_target_ids = await createNumbers(app, numbers);
  const { status, body } = await app.send("POST", `${NUMBER_GROUPS}/`, {
    name: "Texas",
    channel_target_ids,
    timezone: "America/Chicago",
    ...more,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { id: body.id as number, channel_target_ids };
}
const sendFrom = (campaign_id: number, number_group_id: number | null) =>
  app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/number-group`, { number_group_id });
const reportOf = async (id: number) => (await app.send("GET", `${NUMBER_GROUPS}/${id}/report`)).body;
const usesOf = async (id: number) =>
  Object.fromEntries(
    (await reportOf(id)).numbers.map(({ number, uses }: { number: string; uses: number }) => [number, uses]),
  );
const traceOf = async (batch_id: string, reference: string) =>
  (await app.send("GET", `/api/v1/outbound/batches/${batch_id}/requests/${reference}/trace`)).body;
const answered = () => createTestDialer(app, () => ({ tells: ["COMPLETED"] }));

test("each call shows the number nearest to its person, the least used of equals, and the trace says why", async () => {
  const { id } = await group([...AUSTIN, DALLAS, BOSTON], { daily_cap: 50 });
  const people = ["+15125550001", "+15125550002", "+12145550003", "+19725550004", "+16175550005"];
  const { campaign_id, batch_id } = await dialing.filled(people, PACE);
  await sendFrom(campaign_id, id);
  const dialer = answered();
  await dialer.pass(1, 1_000);
  const shown = new Map(
    dialer.world.handed.map(({ target, source, caller_id }) => [target, [source, caller_id]]),
  );
  expect(new Set([shown.get("+15125550001")?.[0], shown.get("+15125550002")?.[0]])).toEqual(new Set(AUSTIN));
  expect(shown.get("+12145550003")).toEqual([DALLAS, null]);
  // 972 is of Texas, as all three of the group are.
  expect([...AUSTIN, DALLAS]).toContain(shown.get("+19725550004")?.[0]);
  expect(shown.get("+16175550005")).toEqual([BOSTON, null]);
  const { attempts } = await traceOf(batch_id, "p2");
  expect(attempts[0]).toMatchObject({
    number: DALLAS,
    number_choice: {
      group: "Texas",
      match: "area",
      use: 1,
      cap: 50,
      text: `From ${DALLAS} of the group Texas: the area code of the person's number; use 1 of 50 that day.`,
    },
  });
});

test("no number is used more than its cap on a day of the group's zone, people wait with the reason, and the next day goes on", async () => {
  const { id } = await group(AUSTIN, { daily_cap: 2 });
  const { campaign_id, batch_id } = await dialing.filled(7, PACE);
  await sendFrom(campaign_id, id);
  const dialer = answered();
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(4);
  expect(await usesOf(id)).toEqual({ [AUSTIN[0] as string]: 2, [AUSTIN[1] as string]: 2 });
  const { next_step } = await traceOf(batch_id, "p6");
  expect(next_step).toMatchObject({ kind: "waiting", reason: "no-number" });
  expect(next_step.text).toMatch(
    /^Waiting: no number of the group Texas is free: 2 reached the daily cap of 2; next /,
  );
  app.clock.advance(new Date(next_step.until).getTime() - app.clock.now().getTime());
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(7);
  expect(Object.values(await usesOf(id)).reduce((sum: number, n) => sum + (n as number), 0)).toBe(3);
});

test("the forecast keeps the caps of the group's numbers, what was used today counted, and says so", async () => {
  const { id } = await group(AUSTIN, { daily_cap: 3 });
  const { campaign_id } = await dialing.filled(10, PACE);
  await sendFrom(campaign_id, id);
  const dialer = answered();
  await dialer.tick();
  await dialer.settle();
  expect(dialer.world.handed).toHaveLength(1);
  const { body } = await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/forecast`, {
    answer_rate: 1,
  });
  expect(body.days.map((day: { first_attempts: number }) => day.first_attempts)).toEqual([5, 4]);
  expect(body.assumptions).toContain(
    "The number group makes at most 6 attempts a day; no number rests, and other campaigns use none of them.",
  );
});

test("raising the cap lets those who wait go on at once, and a group without numbers says so", async () => {
  const { id, channel_target_ids } = await group(AUSTIN, { daily_cap: 1 });
  const { campaign_id, batch_id } = await dialing.filled(4, PACE);
  await sendFrom(campaign_id, id);
  const dialer = answered();
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(2);
  await app.send("PUT", `${NUMBER_GROUPS}/`, { id, name: "Texas", channel_target_ids: [] });
  await dialer.pass(1, 10_000);
  const { next_step } = await traceOf(batch_id, "p3");
  expect(next_step.text).toMatch(/^Waiting: no number of the group Texas belongs to an agent/);
  // Taken out and put back, a number keeps what it was used today.
  const settings = { id, name: "Texas", channel_target_ids, timezone: "America/Chicago" };
  await app.send("PUT", `${NUMBER_GROUPS}/`, { ...settings, daily_cap: 1 });
  await dialer.pass(1, 10_000);
  expect(dialer.world.handed).toHaveLength(2);
  await app.send("PUT", `${NUMBER_GROUPS}/`, { ...settings, daily_cap: 2 });
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(4);
});

test("dialers that claim at the same time pass no cap together", async () => {
  const { id } = await group(AUSTIN, { daily_cap: 5, local_presence: false });
  for (let batch = 0; batch < 12; batch++) {
    const { campaign_id } = await dialing.filled(4, PACE);
    await sendFrom(campaign_id, id);
  }
  const dialers = [answered(), answered(), answered()];
  for (let second = 0; second < 8; second++) {
    app.clock.advance(1_000);
    await Promise.all(dialers.map((dialer) => dialer.tick()));
    await Promise.all(dialers.map((dialer) => dialer.settle()));
  }
  const { rows } = await sql<{ source: string; n: number }>`
    select source, count(*) as n from attempts where number_group_id = ${id} group by 1 order by 1`.execute(
    app.db,
  );
  expect(rows).toEqual(AUSTIN.map((source) => ({ source, n: 5 })));
  expect(await usesOf(id)).toEqual({ [AUSTIN[0] as string]: 5, [AUSTIN[1] as string]: 5 });
});

test("whatever becomes of attempts, a day's uses are those that a carrier may have, and never above the cap", async () => {
  const { id } = await group([...AUSTIN, DALLAS], { daily_cap: 4 });
  const sends = fc.constantFrom("taken", "taken", "not-sent", "refused", "refused-ours", "unknown", "lost");
  await fc.assert(
    fc.asyncProperty(fc.array(sends, { minLength: 1, maxLength: 30 }), async (planned) => {
      await dialing.forget();
      await sql`truncate number_uses`.execute(app.db);
      let tries = 0;
      const next = () => ({
        send: planned[tries++ % planned.length] ?? "taken",
        tells: ["COMPLETED" as const],
      });
      const dialers = [0, 1].map(() => createTestDialer(app, next));
      for (const people of [3, 4, 5]) {
        const { campaign_id } = await dialing.filled(people, PACE);
        await sendFrom(campaign_id, id);
      }
      for (let look = 0; look < 12; look++) {
        app.clock.advance(3_000);
        await Promise.all(dialers.map((dialer) => dialer.tick()));
        await Promise.all(dialers.map((dialer) => dialer.settle()));
        const { rows } = await sql<{ number: string; uses: number; counted: number }>`
          select u.number, u.uses, (
            select count(*) from attempts a where a.source = u.number and a.number_day = u.day
          ) as counted
          from number_uses u`.execute(app.db);
        for (const { uses, counted } of rows) {
          expect(uses).toBe(counted);
          expect(uses).toBeLessThanOrEqual(4);
        }
      }
    }),
    { numRuns: rounds(6) },
  );
});

test("an attempt that its carrier did not take uses nothing of the cap", async () => {
  const { id } = await group([DALLAS], { daily_cap: 1 });
  const { campaign_id } = await dialing.filled(1, PACE);
  await sendFrom(campaign_id, id);
  const dialer = createTestDialer(app, (_, tries) =>
    tries === 0 ? { send: "not-sent" } : { tells: ["COMPLETED"] },
  );
  app.clock.advance(1_000);
  await dialer.tick();
  expect(dialer.world.handed).toHaveLength(1);
  expect(await usesOf(id)).toEqual({ [DALLAS]: 0 });
  await dialer.pass(5, 10_000);
  expect(dialer.world.handed).toHaveLength(2);
  expect(await usesOf(id)).toEqual({ [DALLAS]: 1 });
});

test("a campaign that names a number of a group by itself counts there, and is not held back", async () => {
  const { id } = await group([DALLAS], { daily_cap: 1 });
  await dialing.filled(3, { ...PACE, source: DALLAS, caller_id: DALLAS });
  const dialer = answered();
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(3);
  expect(await usesOf(id)).toEqual({ [DALLAS]: 3 });
});

test("a number whose answers collapse rests by itself, is not used meanwhile, and begins anew after its rest", async () => {
  const health = { window_hours: 24, least_share: 0.5, least_attempts: 10, rest_hours: 6 };
  const { id } = await group([...AUSTIN, DALLAS], { local_presence: false, health });
  const { campaign_id } = await dialing.filled(90, PACE);
  await sendFrom(campaign_id, id);
  const dialer = createTestDialer(app, ({ source }) => ({
    tells: [source === DALLAS ? "NO-ANSWER" : "COMPLETED"],
  }));
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(60);
  await restNumbers(app);
  const figures = async () =>
    (await reportOf(id)).numbers.find(({ number }: { number: string }) => number === DALLAS);
  expect(await figures()).toMatchObject({ tried: 20, answered: 0, rate: 0, uses: 20 });
  expect((await figures()).rest_reason).toMatch(/^0 of 20 attempts in 24 hours were answered/);
  const until = new Date((await figures()).resting_until);
  expect(until.getTime() - app.clock.now().getTime()).toBe(6 * 3_600_000);
  const { items } = (
    await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=number-resting")
  ).body;
  expect(items).toHaveLength(1);
  expect(items[0].description).toMatch(`${DALLAS} of the number group Texas rests until`);

  dialer.world.handed.length = 0;
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(30);
  expect(dialer.world.handed.map(({ source }) => source)).not.toContain(DALLAS);
  app.clock.advance(until.getTime() - app.clock.now().getTime());
  await restNumbers(app);
  expect(await figures()).toMatchObject({ resting_until: null });
});
