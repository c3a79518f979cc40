import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { learnHoursJob } from "../../../src/board/learn-hours.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  // 09:00 in Texas, where the harness has its people.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
});

const settingOf = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}/retry-hours`;
const CAMPAIGN = { hourly_rate: 3600, retry_count: 1, retry_interval: "1h" };

/** A campaign whose past calls were answered at 17:00 in Texas, and at 10:00 hardly ever; with one person to call. */
async function learned() {
  const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
  const { campaign_id, batch_id } = await dialing.filled(1, CAMPAIGN);
  await dialer.tick();
  await dialer.settle();
  await sql`
    insert into attempts
    select n.* from attempts a cross join generate_series(1, 200) as i cross join lateral (
      select (json_populate_record(a, json_build_object('key', a.key || i, 'request_id', a.request_id, 'reference_id', 'past' || i,
        'state', 'ENDED', 'channel_status', case when i % 2 = 0 and i % 3 > 0 then 'COMPLETED' when i % 20 = 1 then 'COMPLETED' else 'NO-ANSWER' end,
        'started_at', '2026-11-17T00:00:00Z'::timestamptz + case when i % 2 = 0 then interval '23 hours' else interval '16 hours' end,
        'session_id', null, 'conversation_id', null, 'sid', null))).*
    ) n where a.campaign_id = ${campaign_id}`.execute(app.db);
  return { campaign_id, batch_id };
}

test("a campaign that asks for it has its retries in an hour in which more people answer, and the trace says why", async () => {
  const { campaign_id } = await learned();
  const answer = await app.send("PUT", settingOf(campaign_id), { within_hours: 24 });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toMatchObject({
    within_hours: 24,
    learned_at: "2026-11-18T15:00:00.000Z",
    better_hours: [{ hour: 17 }],
  });
  const { low, others_high } = answer.body.better_hours[0];
  expect(low).toBeGreaterThan(others_high);
  const batch = await dialing.outbound.createBatch({ campaign_id });
  const target = dialing.person();
  await dialing.outbound.add(batch.batch_id, [{ reference_id: "new", target, request_variables: {} }]);
  const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
  const calls = () => dialer.world.handed.filter((handed) => handed.target === target).length;
  await dialer.tick();
  await dialer.settle();
  const trace = async () => (await app.send("GET", `${BATCHES}/${batch.batch_id}/requests/new/trace`)).body;
  const { attempts, next_step } = await trace();
  expect(next_step).toMatchObject({ reason: "retry", until: "2026-11-18T23:00:00.000Z" });
  expect(attempts[0].text).toMatch(
    /no answer; retry 1 of 1 from .*, because more people of the campaign answer from 17:00 to 18:00 on their clock \(\d+ % to \d+ %, other hours \d+ % to \d+ %\)\.$/,
  );
  expect(attempts[0].decision.move).toMatchObject({ hour: 17, instead_of: "2026-11-18T16:00:00.000Z" });
  await dialer.pass(7 * 60);
  expect(calls()).toBe(1);
  await dialer.pass(61);
  expect(calls()).toBe(2);
});

test("without the setting, and once it is removed, a retry keeps its time", async () => {
  const { campaign_id, batch_id } = await learned();
  const next = async (reference: string, batch: string) =>
    (await app.send("GET", `${BATCHES}/${batch}/requests/${reference}/trace`)).body.next_step.until;
  expect(await next("p0", batch_id)).toBe("2026-11-18T16:00:00.000Z");
  await app.send("PUT", settingOf(campaign_id), { within_hours: 24 });
  await app.send("PUT", settingOf(campaign_id), { within_hours: null });
  expect((await app.send("GET", settingOf(campaign_id))).body).toEqual({
    within_hours: null,
    learned_at: null,
    better_hours: [],
  });
  const batch = await dialing.outbound.createBatch({ campaign_id });
  await dialing.outbound.add(batch.batch_id, [
    { reference_id: "new", target: dialing.person(), request_variables: {} },
  ]);
  const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
  await dialer.tick();
  await dialer.settle();
  expect(await next("new", batch.batch_id)).toBe("2026-11-18T16:00:00.000Z");
});

test("the hours are counted anew each hour, of campaigns that ask for it only", async () => {
  const [asks, not] = [await learned(), await dialing.filled(0, CAMPAIGN)];
  await app.send("PUT", settingOf(asks.campaign_id), { within_hours: 6 });
  app.clock.advance(3_600_000);
  await learnHoursJob(app).run({}, {} as never);
  const learned_at = async ({ campaign_id }: { campaign_id: number }) =>
    (await app.send("GET", settingOf(campaign_id))).body.learned_at;
  expect([await learned_at(asks), await learned_at(not)]).toEqual(["2026-11-18T16:00:00.000Z", null]);
});

test("the forecast says that it moves no retry", async () => {
  const { campaign_id } = await dialing.filled(0, CAMPAIGN);
  await app.send("PUT", settingOf(campaign_id), { within_hours: 6 });
  const { body } = await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/forecast`, {
    answer_rate: 0.5,
    requests: 10,
  });
  expect(body.assumptions).toContain(
    "Retries keep their time: none moves to an hour in which more people answer.",
  );
});
