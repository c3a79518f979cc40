import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import type { Plan } from "../../harness/planned-sender.ts";

const HOUR_ms = 3_600_000;
const lines = { per_source: 20, per_organization: 100, kept_for_callers: 0.3 };

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp({ OUTREACH_MOST_PER_PERSON: "2/24h" });
  dialing = await createDialing(app);
});
beforeEach(async () => {
  // 10:00 on a Wednesday in New York.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
});

const dialerWith = (attempts: number, plan: () => Plan = () => ({ tells: ["COMPLETED"] })) =>
  createTestDialer(app, plan, { limits: { ...lines, per_person: { attempts, window_ms: 24 * HOUR_ms } } });

/** A campaign of its own with one batch of these numbers. */
const campaignOf = async (numbers: string[], campaign: object = {}): Promise<string> =>
  (await dialing.filled(numbers, { hourly_rate: 3600, ...campaign })).batch_id;
const ANN = "+15125580001";
const BOB = "+15125580002";
const nextOf = async (batch_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body.next_step;

test("two campaigns that hold one number try it no more often than is allowed, whichever processes dial", async () => {
  for (let i = 0; i < 5; i++) await campaignOf([ANN]);
  const [first, ...others] = [dialerWith(2), dialerWith(2), dialerWith(2)];
  for (let i = 0; i < 5; i++) {
    await Promise.all([first, ...others].map((dialer) => dialer?.tick()));
    for (const dialer of [first, ...others]) await dialer?.settle();
    app.clock.advance(1_000);
  }
  const tried = await app.db.selectFrom("attempts").select("key").where("target", "=", ANN).execute();
  expect(tried).toHaveLength(2);
});

test("the window rolls: the next try starts when the first is long enough ago, and not before", async () => {
  const dialer = dialerWith(1);
  await campaignOf([ANN]);
  await dialer.tick();
  await dialer.settle();
  app.clock.advance(1_000);
  await campaignOf([ANN]);
  await dialer.tick();
  app.clock.advance(24 * HOUR_ms - 1_001);
  await dialer.tick();
  expect(dialer.world.handed).toHaveLength(1);
  app.clock.advance(1);
  await dialer.tick();
  expect(dialer.world.handed).toHaveLength(2);
});

test("who was tried often enough does not hold up those behind", async () => {
  const dialer = dialerWith(1);
  await campaignOf([ANN]);
  await dialer.tick();
  await dialer.settle();
  await campaignOf([ANN, BOB]);
  await dialer.tick();
  expect(dialer.world.handed.map(({ target }) => target)).toEqual([ANN, BOB]);
});

test("retries count and wait too, and the trace says for what", async () => {
  const dialer = dialerWith(2, () => ({ tells: ["NO-ANSWER"] }));
  const batch_id = await campaignOf([ANN], { retry_count: 5, retry_interval: "10m" });
  await dialer.tick();
  await dialer.settle();
  await dialer.pass(60);
  expect(dialer.world.handed).toHaveLength(2);
  expect(await nextOf(batch_id)).toEqual({
    kind: "waiting",
    reason: "too-often",
    text: "Waiting: tried 2 times in 24 h over all campaigns, the most that is allowed; next 2026-11-19 10:00 America/New_York.",
    until: "2026-11-19T15:00:00.000Z",
  });
});

test("what the carrier did not take reached nobody, and is not counted", async () => {
  let tries = 0;
  const dialer = dialerWith(1, () => (++tries < 3 ? { send: "not-sent" } : { tells: ["COMPLETED"] }));
  await campaignOf([ANN]);
  await dialer.pass(1, 5_000);
  expect(dialer.world.handed).toHaveLength(3);
});

test("without the setting each campaign decides for itself", async () => {
  for (let i = 0; i < 3; i++) await campaignOf([ANN]);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.pass(0.1, 1_000);
  expect(dialer.world.handed).toHaveLength(3);
});

test("who was put off under a bound that was loosened since waits on, and the trace does not call it a retry", async () => {
  const strict = dialerWith(1);
  await campaignOf([ANN]);
  await strict.tick();
  await strict.settle();
  const batch_id = await campaignOf([ANN]);
  await strict.tick();
  expect(await nextOf(batch_id)).toMatchObject({
    reason: "queue",
    text: "Waiting: not before 2026-11-19 10:00 America/New_York.",
  });
});

test("the forecast says that it leaves the bound out", async () => {
  const { id } = await dialing.outbound.createCampaign();
  const question = { answer_rate: 0.5, requests: 10 };
  const { body } = await app.send("POST", `/api/v1/outbound/campaigns/${id}/forecast`, question);
  expect(body.assumptions).toContain(
    "OUTREACH_MOST_PER_PERSON is left out: who is tried as often as it allows waits longer than shown.",
  );
});
