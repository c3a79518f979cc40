import { beforeAll, beforeEach, expect, test } from "vitest";
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
beforeEach(() => dialing.forget());

/** A clinic's pace. */
const SLOW = { hourly_rate: 100 };
const pauses = () =>
  app.db
    .selectFrom("events")
    .select(["description", "attributes"])
    .where("type", "=", "source-paused")
    .execute();

test("an account that the carrier refuses for hours costs nobody an attempt, and goes on once it is mended", async () => {
  const { batch_id, campaign_id } = await dialing.filled(10, { ...SLOW, max_daily_calls: 10 });
  let isSuspended = true;
  const dialer = createTestDialer(app, () =>
    isSuspended ? { send: "refused-ours" } : { tells: ["IN-PROGRESS", "COMPLETED"] },
  );
  await dialer.pass(1, 18_000);
  expect(dialer.world.handed).toHaveLength(1);
  const [told] = await pauses();
  expect(told?.description).toMatch(
    /^The carrier refuses \+19032900844: Account suspended; nothing is tried/,
  );
  const words = /the carrier refuses \+19032900844 \(Account suspended\), which costs nobody an attempt/;
  const trace = await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`);
  expect(trace.body.next_step).toMatchObject({ reason: "source-paused", text: expect.stringMatching(words) });
  const board = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  expect(board.body.batches[0].next_step.text).toMatch(words);
  await dialer.pass(8 * 60);
  expect(dialer.world.handed.length).toBeGreaterThan(20);
  expect(await dialing.shown(batch_id)).toEqual(Array(10).fill("PENDING PENDING 0"));
  isSuspended = false;
  await dialer.pass(30);
  expect(await dialing.shown(batch_id)).toEqual(Array(10).fill("COMPLETED COMPLETED 1"));
});

test("a refused try leaves the day's cap its room for somebody else", async () => {
  const { batch_id, campaign_id } = await dialing.filled(2, { hourly_rate: 3600, max_daily_calls: 1 });
  const dialer = createTestDialer(app, (_, tries) =>
    dialer.world.handed.length === 1 && tries === 0 ? { send: "refused-ours" } : { tells: ["COMPLETED"] },
  );
  await dialer.pass(3, 5_000);
  const done = (await dialing.shown(batch_id)).filter((row) => row === "COMPLETED COMPLETED 1");
  expect(done).toHaveLength(1);
  const days = app.db.selectFrom("campaign_days").select("first_attempts");
  expect(await days.where("campaign_id", "=", campaign_id).execute()).toEqual([{ first_attempts: 1 }]);
});

test("a number from which all calls fail pauses after five, at a clinic's pace too", async () => {
  const { batch_id } = await dialing.filled(10, SLOW);
  const dialer = createTestDialer(app, () => ({ send: "refused", refused_as: "FAILED" }));
  await dialer.pass(3, 18_000);
  expect((await dialing.shown(batch_id)).filter((row) => row.startsWith("FAILED"))).toHaveLength(5);
  expect((await dialing.shown(batch_id)).filter((row) => row.startsWith("PENDING"))).toHaveLength(5);
});
