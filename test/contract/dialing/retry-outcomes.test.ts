import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ChannelStatus } from "../../../src/channels/channel-status.ts";
import type { Outreach } from "../../../src/channels/outreach.ts";
import type { AttemptEvent } from "../../../src/dialing/attempt-event.ts";
import { settleAttempts } from "../../../src/dialing/settle-store.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { type Plan, word } from "../../harness/planned-sender.ts";

let app: TestApp;
let dialing: Dialing;
let filled: Dialing["filled"];
let shown: Dialing["shown"];
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  ({ filled, shown } = dialing);
});
beforeEach(() => dialing.forget());

const RETRIED = { hourly_rate: 3600, retry_count: 1, retry_interval: "1m" };
const news = (key: string, status: ChannelStatus): AttemptEvent => ({
  kind: "status",
  key,
  status,
  is_transient: null,
  at: app.clock.now(),
});

describe("a retry that ends as the attempt before it did is told of, too:", () => {
  const told = async (campaign_id: number) => {
    const rows = await app.db
      .selectFrom("webhook_deliveries")
      .select(["attempt_count", "channel_manager_status", "body"])
      .where("campaign_id", "=", campaign_id)
      .orderBy("key")
      .execute();
    return rows.map(
      ({ attempt_count, channel_manager_status, body }) =>
        `${attempt_count} ${channel_manager_status} ${JSON.parse(body).data.request_status}`,
    );
  };
  const events = async (campaign_id: number, status: ChannelStatus) => {
    const { rows } = await sql<{ attempt_count: number }>`
      select (attributes ->> 'attempt_count')::integer as attempt_count from events
      where type = 'request-status' and (attributes ->> 'campaign_id')::bigint = ${campaign_id}
        and attributes ->> 'status' = ${status}
      order by id`.execute(app.db);
    return rows.map(({ attempt_count }) => attempt_count);
  };

  test.each<[string, ChannelStatus, (tries: number) => Plan]>([
    [
      "a call that its carrier takes no second time",
      "FAILED",
      (tries) => (tries === 0 ? { tells: ["FAILED"] } : { send: "refused" }),
    ],
    ["a carrier that takes nothing", "UNEXPECTED_ERROR", () => ({ send: "not-sent" })],
    ["a call that was over before its answer came", "BUSY", () => ({ first: "BUSY" })],
  ])("%s", async (_, status, plan) => {
    const webhook = { url: "https://hooks.example/", request_method: "POST", trigger_statuses: [status] };
    const { campaign_id, batch_id } = await filled(1, { ...RETRIED, webhooks: [webhook] });
    const dialer = createTestDialer(app, (_, tries) => plan(tries));
    await dialer.tick();
    await dialer.settle();
    await dialer.pass(480);
    expect(await shown(batch_id)).toEqual([`FAILED ${status} 2`]);
    expect(await told(campaign_id)).toEqual([`1 ${status} PENDING`, `2 ${status} FAILED`]);
    expect(await events(campaign_id, status)).toEqual([1, 2]);
  });
});

test("a carrier that took somebody in between may refuse ten times anew, and the trace names the retry", async () => {
  const { batch_id } = await filled(1, { ...RETRIED, retry_interval: "2h" });
  const plan = (tries: number): Plan => {
    if (tries === 6) return { tells: ["BUSY"] };
    return tries < 12 ? { send: "not-sent" } : { tells: ["COMPLETED"] };
  };
  const dialer = createTestDialer(app, (_, tries) => plan(tries));
  await dialer.pass(60);
  expect(await shown(batch_id)).toEqual(["PENDING BUSY 1"]);
  const { next_step } = (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body;
  expect(next_step).toMatchObject({
    reason: "retry",
    text: expect.stringMatching(/retry 1 of 1 .*: busy\.$/),
  });
  await dialer.pass(180);
  expect(dialer.world.handed).toHaveLength(13);
  expect(await shown(batch_id)).toEqual(["COMPLETED COMPLETED 2"]);
});

describe("somebody whom an earlier attempt reached after all is not tried a third time", () => {
  /** Two attempts, of which the first counts as not answered and the second is under way. */
  async function twoAttempts() {
    const { batch_id } = await filled(1, { ...RETRIED, retry_count: 3 });
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    const [first] = [...dialer.world.taken.keys()] as [string];
    await dialer.attempts.signal([word(first, "NO-ANSWER", app.clock.now())]);
    await dialer.pass(2);
    const [, second] = [...dialer.world.taken.keys()] as [string, string];
    expect(await shown(batch_id)).toEqual(["INITIATED QUEUED 2"]);
    return { batch_id, dialer, first, second };
  }

  test("in one breath with the end of the second", async () => {
    const { batch_id, dialer, first, second } = await twoAttempts();
    await settleAttempts(app.db, [news(first, "COMPLETED"), news(second, "BUSY")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["FAILED BUSY 2"]);
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(2);
  });

  test("by another process, at the moment at which the second ends", async () => {
    const { batch_id, dialer, first, second } = await twoAttempts();
    let settling: Promise<unknown> = Promise.resolve();
    await app.db.transaction().execute(async (tx) => {
      // As `settleAttempts` of the other process: the request is locked, and the attempt is not stored yet.
      await sql`
        select from requests where batch_key = (select key from batches where batch_id = ${batch_id})
        for update`.execute(tx);
      settling = settleAttempts(app.db, [news(second, "BUSY")], app.clock.now());
      await expect.poll(() => waitsForALock()).toBe(true);
      await sql`update attempts set channel_status = 'COMPLETED' where key = ${first}`.execute(tx);
    });
    await settling;
    expect(await shown(batch_id)).toEqual(["FAILED BUSY 2"]);
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(2);
  });
});

describe("a call that the carrier did not show in time, and has after all,", () => {
  /** Its fate is unknown, the carrier shows nothing of it, and so it counts as if it had not been tried. */
  async function takenBack() {
    const { batch_id } = await filled(1, RETRIED);
    const dialer = createTestDialer(app, (_, tries) => (tries === 0 ? { send: "unknown" } : {}));
    await dialer.tick();
    await dialer.settle();
    const key = dialer.world.handed[0]?.key as string;
    const at = app.clock.now();
    await settleAttempts(
      app.db,
      [{ kind: "not-taken", key, retry_after_s: null, why: "never got to it" }],
      at,
    );
    expect(await shown(batch_id)).toEqual(["PENDING PENDING 0"]);
    return { batch_id, dialer, key };
  }

  test("is an attempt again, and its person is not called beside it", async () => {
    const { batch_id, dialer, key } = await takenBack();
    const talk = { session_id: 77, conversation_id: 78 };
    await app.db.transaction().execute((tx) => dialer.attempts.sessionStarted(tx, key, talk));
    await settleAttempts(app.db, [news(key, "IN-PROGRESS")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["CONNECTED IN-PROGRESS 1"]);
    const linked = app.db.selectFrom("requests").select(["session_id", "conversation_id"]);
    expect(await linked.where("session_id", "=", 77).execute()).toEqual([talk]);
    const [outreach] = dialer.world.handed as [Outreach];
    dialer.world.taken.set(key, { outreach, at: app.clock.now(), statuses: ["IN-PROGRESS"], plan: {} });
    await dialer.pass(10);
    expect(dialer.world.handed).toHaveLength(1);
    await settleAttempts(app.db, [news(key, "COMPLETED")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
  });

  test("and ends without the person is followed by a retry, as any other", async () => {
    const { batch_id, dialer, key } = await takenBack();
    await settleAttempts(app.db, [news(key, "BUSY")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["PENDING BUSY 1"]);
    await dialer.pass(30);
    expect(await shown(batch_id)).toEqual(["INITIATED QUEUED 2"]);
  });

  test("while the next one is under way, is not taken for that one, and nobody is called a third time", async () => {
    const { batch_id, dialer, key } = await takenBack();
    await dialer.pass(10);
    const next = dialer.world.handed[1]?.key as string;
    expect(await shown(batch_id)).toEqual(["INITIATED QUEUED 1"]);
    await settleAttempts(app.db, [news(key, "IN-PROGRESS"), news(key, "COMPLETED")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["INITIATED QUEUED 1"]);
    await settleAttempts(app.db, [news(next, "BUSY")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["FAILED BUSY 1"]);
    await dialer.pass(60);
    expect(dialer.world.handed).toHaveLength(2);
  });

  test("while its reference is tried in another batch, leaves that one alone", async () => {
    const { campaign_id, batch_id } = await filled(1, RETRIED);
    const dialer = createTestDialer(app, () => (dialer.world.handed.length === 1 ? { send: "unknown" } : {}));
    await dialer.tick();
    await dialer.settle();
    const key = dialer.world.handed[0]?.key as string;
    const at = app.clock.now();
    await settleAttempts(
      app.db,
      [{ kind: "not-taken", key, retry_after_s: 3600, why: "never got to it" }],
      at,
    );
    const { batch_id: other } = await dialing.outbound.createBatch({ campaign_id });
    await dialing.outbound.add(other, [request("p0", dialing.person())]);
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(2);
    await settleAttempts(app.db, [news(key, "IN-PROGRESS")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["PENDING PENDING 0"]);
    expect(await shown(other)).toEqual(["INITIATED QUEUED 1"]);
    await settleAttempts(app.db, [news(key, "COMPLETED")], app.clock.now());
    expect(await shown(batch_id)).toEqual(["COMPLETED COMPLETED 0"]);
  });
});

async function waitsForALock(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db);
  return rows.length > 0;
}
