import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, SOURCE } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { word } from "../../harness/planned-sender.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  await createSender(app, app.admin, { target: SOURCE, mode: "sms" });
});
beforeEach(() => dialing.forget());

/** A clinic's pace. */
const SLOW = { hourly_rate: 100 };
const pauses = () =>
  app.db
    .selectFrom("events")
    .select(["description", "attributes"])
    .where("type", "=", "source-paused")
    .orderBy("id")
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

test("texts that the carrier accepts and refuses later because of us cost nobody an attempt, pause the number and go on once it is mended", async () => {
  const { batch_id, campaign_id } = await dialing.filled(4, { mode: "sms", ...SLOW, max_daily_calls: 4 });
  let isUnregistered = true;
  const dialer = createTestDialer(app, () =>
    isUnregistered
      ? { tells: ["SENT", "UNDELIVERED"], our_fault: "the number is not registered (error 30034)" }
      : { tells: ["SENT", "DELIVERED"] },
  );
  await dialer.pass(1, 18_000);
  const told = (await pauses()).at(-1);
  expect(told?.description).toMatch(
    /^The carrier refuses .+: the number is not registered \(error 30034\); nothing/,
  );
  await dialer.pass(3 * 60);
  expect(dialer.world.handed.length).toBeGreaterThan(10);
  expect(await dialing.shown(batch_id)).toEqual(Array(4).fill("PENDING PENDING 0"));
  const trace = await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`);
  expect(trace.body.attempts[0].text).toBe(
    "Attempt 1 did not go out (the number is not registered (error 30034)) and does not count.",
  );
  isUnregistered = false;
  await dialer.pass(60);
  expect(await dialing.shown(batch_id)).toEqual(Array(4).fill("COMPLETED DELIVERED 1"));
  const days = app.db.selectFrom("campaign_days").select("first_attempts");
  expect(await days.where("campaign_id", "=", campaign_id).execute()).toEqual([{ first_attempts: 4 }]);
});

test("a late refusal may come twice and out of order: the person waits, and is tried once more", async () => {
  const { batch_id } = await dialing.filled(1, { mode: "sms", retry_count: 3 });
  let isUnregistered = true;
  const dialer = createTestDialer(app, () =>
    isUnregistered ? { first: "ACCEPTED" } : { tells: ["DELIVERED"] },
  );
  await dialer.pass(1);
  const [taken] = dialer.world.taken.values();
  const key = taken?.outreach.key as string;
  const refused = word(key, "DELIVERY_FAILED", app.clock.now(), {
    our_fault: "suspended",
    error_code: "30002",
  });
  await dialer.attempts.signal([refused]);
  await dialer.attempts.signal([refused, word(key, "SENT", app.clock.now()), refused]);
  expect(await dialing.shown(batch_id)).toEqual(["PENDING PENDING 0"]);
  isUnregistered = false;
  await dialer.pass(20);
  expect(dialer.world.handed).toHaveLength(2);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED DELIVERED 1"]);
});

test("a text that was refused because of us and was delivered after all is not sent again", async () => {
  const { batch_id } = await dialing.filled(1, { mode: "sms" });
  const dialer = createTestDialer(app, () => ({ first: "ACCEPTED" }));
  await dialer.pass(1);
  const [taken] = dialer.world.taken.values();
  const key = taken?.outreach.key as string;
  const more = { our_fault: "suspended", error_code: "30002" };
  await dialer.attempts.signal([word(key, "DELIVERY_FAILED", app.clock.now(), more)]);
  await dialer.attempts.signal([word(key, "DELIVERED", app.clock.now())]);
  await dialer.pass(20);
  expect(dialer.world.handed).toHaveLength(1);
  expect(await dialing.shown(batch_id)).toEqual(["COMPLETED DELIVERED 1"]);
});

test.each(["voice", "sms"])(
  "a country that the account may not reach by %s holds its own people only, who go on once it may",
  async (mode) => {
    const french = Array.from({ length: 30 }, (_, i) => `+3361234${String(5600 + i)}`);
    const here = Array.from({ length: 5 }, dialing.person);
    const { batch_id } = await dialing.filled([...french, ...here], { mode, hourly_rate: 600 });
    let isRefused = true;
    const dialer = createTestDialer(app, ({ target }) =>
      isRefused && target.startsWith("+33")
        ? { send: "refused-country" }
        : { tells: mode === "voice" ? ["COMPLETED"] : ["DELIVERED"] },
    );
    await dialer.pass(3, 6_000);
    const shown = await dialing.shown(batch_id);
    expect(shown.slice(0, 30)).toEqual(Array(30).fill("PENDING PENDING 0"));
    expect(shown.slice(30).every((row) => row.startsWith("COMPLETED"))).toBe(true);
    expect(dialer.world.handed.length).toBeLessThan(10);
    const held = await app.db
      .selectFrom("events")
      .select("description")
      .where("type", "=", "country-paused")
      .orderBy("id", "desc")
      .execute();
    expect(held[0]?.description).toMatch(
      /^The carrier does not let \+\d+ reach France: Permission denied; nobody/,
    );
    const trace = await app.send("GET", `${BATCHES}/${batch_id}/requests/p20/trace`);
    expect(trace.body.next_step).toMatchObject({
      reason: "country-paused",
      text: expect.stringMatching(/does not let us reach France \(Permission denied\), which costs nobody/),
    });
    isRefused = false;
    await dialer.pass(60);
    expect((await dialing.shown(batch_id)).every((row) => row.startsWith("COMPLETED"))).toBe(true);
  },
);

test("a text whose answer was lost and that has failed since is judged by the reason that its carrier shows", async () => {
  const sms = { mode: "sms", retry_count: 1, retry_interval: "1m" };
  const fates = [{ is_transient: true }, { is_transient: false }, { our_fault: "suspended" }] as const;
  const batches = await Promise.all(fates.map(() => dialing.filled(1, sms)));
  const campaigns = batches.map(({ campaign_id }) => campaign_id);
  const dialer = createTestDialer(app, ({ campaign_id }, tries) =>
    tries > 0
      ? { tells: ["SENT", "DELIVERED"] }
      : { send: "lost", tells: ["SENT", "UNDELIVERED"], ...fates[campaigns.indexOf(campaign_id)] },
  );
  await dialer.tick();
  // What it tells by itself never arrives.
  dialer.world.tell();
  app.clock.advance(10_000);
  await dialer.tick();
  await dialer.pass(20);
  const shown = await Promise.all(batches.map(({ batch_id }) => dialing.shown(batch_id)));
  expect(shown).toEqual([
    ["COMPLETED DELIVERED 2"],
    ["FAILED UNDELIVERED 1"],
    // It did not count as an attempt.
    ["COMPLETED DELIVERED 1"],
  ]);
});
