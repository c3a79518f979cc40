import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resumeCancels } from "../../../src/batches/cancel-waiting.ts";
import { expireBatches } from "../../../src/batches/tidy-batches.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { rounds, SEED } from "../../harness/seed.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
});

const FAST = { hourly_rate: 3600, retry_count: 0 };
const of = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}`;
const retry = (campaign_id: number, body: object) =>
  app.send("POST", `${of(campaign_id)}/requests/retry`, body);
const preview = (campaign_id: number, body: object) =>
  app.send("POST", `${of(campaign_id)}/requests/retry/preview`, body);
const list = (campaign_id: number, query: string) => app.send("GET", `${of(campaign_id)}/requests?${query}`);
const board = async (campaign_id: number) => (await app.send("GET", `${of(campaign_id)}/board`)).body;
const BUSY = { request_status: "FAILED", channel_manager_status: "BUSY" };

/** A campaign whose first person was reached, and all others were busy. */
async function oneReached(people: number) {
  const made = await dialing.filled(people, FAST);
  const dialer = createTestDialer(app, ({ key: _, target }, tries) => ({
    tells: [target === first || tries > 0 ? "COMPLETED" : "BUSY"],
  }));
  const first = (await dialing.outbound.results(made.batch_id)).body[0].target;
  for (let n = 0; n < people; n++) {
    app.clock.advance(1_000);
    await dialer.tick();
    await dialer.settle();
  }
  return { ...made, dialer };
}

describe("a retry of requests", () => {
  test("is counted beforehand, opens those that failed, and says why the others stay", async () => {
    const { campaign_id, batch_id, dialer } = await oneReached(4);
    const { body: told } = await preview(campaign_id, { batch_id });
    expect(told).toMatchObject({
      selected: 4,
      retried: 3,
      not_retried: [{ reason: "reached", text: "reached the person", count: 1 }],
      next: null,
    });
    expect((await dialing.shown(batch_id)).filter((shown) => shown.startsWith("PENDING"))).toEqual([]);
    expect((await retry(campaign_id, { ...BUSY, as_of: told.at })).body).toMatchObject({ retried: 3 });
    expect(await dialing.shown(batch_id)).toEqual([
      "COMPLETED COMPLETED 1",
      "PENDING BUSY 1",
      "PENDING BUSY 1",
      "PENDING BUSY 1",
    ]);
    const trace = await app.send("GET", `/api/v1/outbound/batches/${batch_id}/requests/p1/trace`);
    expect(trace.body.next_step.text).toMatch(/^Waiting: the next attempt at 3,?600 an hour starts/);
    for (let n = 0; n < 4; n++) {
      app.clock.advance(1_000);
      await dialer.tick();
      await dialer.settle();
    }
    expect(dialer.world.handed).toHaveLength(7);
    expect(await dialing.shown(batch_id)).toEqual([
      "COMPLETED COMPLETED 1",
      "COMPLETED COMPLETED 2",
      "COMPLETED COMPLETED 2",
      "COMPLETED COMPLETED 2",
    ]);
  });

  test("that is sent twice opens nobody twice, also when the second comes after they were tried", async () => {
    const { campaign_id, batch_id } = await oneReached(3);
    const { at } = (await preview(campaign_id, BUSY)).body;
    const twice = await Promise.all([1, 2].map(() => retry(campaign_id, { ...BUSY, as_of: at })));
    const opened = twice.map(({ body }) => body.retried).toSorted();
    expect(opened).toEqual([0, 2]);
    const busy = createTestDialer(app, () => ({ tells: ["BUSY"] }));
    await busy.pass(2);
    expect(await dialing.shown(batch_id)).toEqual([
      "COMPLETED COMPLETED 1",
      "FAILED BUSY 2",
      "FAILED BUSY 2",
    ]);
    expect((await retry(campaign_id, { ...BUSY, as_of: at })).body).toMatchObject({
      retried: 0,
      not_retried: [{ reason: "changed", count: 2 }],
    });
  });

  test("opens nobody of a batch that is over, whom the suppression list names, or who was reached elsewhere", async () => {
    const { campaign_id, batch_id } = await oneReached(4);
    const { body } = await dialing.outbound.results(batch_id);
    await app.send("POST", "/api/v1/suppressions/", { address: body[1].target });
    // The same reference in another batch of the campaign, who is reached there by another number.
    const other = await dialing.outbound.createBatch({ campaign_id });
    await dialing.outbound.add(other.batch_id, [
      { reference_id: "p2", target: dialing.person(), request_variables: {} },
    ]);
    await createTestDialer(app, () => ({ tells: ["COMPLETED"] })).pass(1);
    const found = (await preview(campaign_id, BUSY)).body;
    expect(found.retried).toBe(1);
    expect(found.not_retried).toEqual(
      expect.arrayContaining([
        { reason: "blocked", text: "may not be contacted: suppressed, or no consent", count: 1 },
        expect.objectContaining({ reason: "reached-elsewhere", count: 1 }),
      ]),
    );
    await dialing.outbound.remove(batch_id);
    expect((await retry(campaign_id, BUSY)).body).toMatchObject({ retried: 0 });
  });

  test("names at least one filter, and only requests of its own campaign", async () => {
    const { campaign_id } = await oneReached(2);
    expect((await retry(campaign_id, {})).status).toBe(422);
    expect((await retry(campaign_id, { before: "1.1" })).status).toBe(422);
    // An empty or misspelt filter names nobody, and must not mean everybody.
    expect((await retry(campaign_id, { batch_id: "" })).status).toBe(422);
    expect((await retry(campaign_id, { skip_reason: "" })).status).toBe(422);
    expect((await retry(campaign_id, { ...BUSY, batch: "b1" })).status).toBe(422);
    expect((await retry(campaign_id, { ...BUSY, before: "soon" })).status).toBe(422);
    const [found] = (await list(campaign_id, "channel_manager_status=BUSY")).body.requests;
    const other = await dialing.filled(1, FAST);
    const chosen = { request_ids: [found.request_id] };
    expect((await retry(other.campaign_id, chosen)).body).toMatchObject({ selected: 0, retried: 0 });
    expect((await retry(campaign_id, chosen)).body).toMatchObject({ selected: 1, retried: 1 });
  });

  test("reaches nobody twice, however it comes between claims and settlements of several processes", async () => {
    let seed = SEED;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const { campaign_id, batch_id } = await dialing.filled(12, {
      ...FAST,
      retry_count: 1,
      retry_interval: "1s",
    });
    const others = await dialing.outbound.createBatch({ campaign_id });
    const targets = (await dialing.outbound.results(batch_id)).body;
    await dialing.outbound.add(
      others.batch_id,
      targets.slice(0, 6).map(({ target }: { target: string }, n: number) => ({
        reference_id: `q${n}`,
        target,
        request_variables: {},
      })),
    );
    const outcomes = ["BUSY", "NO-ANSWER", "COMPLETED", "DECLINED"] as const;
    const dialers = [1, 2].map(() =>
      createTestDialer(app, () => ({ tells: [outcomes[random(outcomes.length)] as "BUSY"] })),
    );
    for (let n = 0; n < rounds(40); n++) {
      app.clock.advance(1_000);
      await Promise.all([
        ...dialers.map((dialer) => (random(3) > 0 ? dialer.tick() : dialer.settle())),
        ...[1, 2].map(() => (random(3) === 0 ? retry(campaign_id, { request_status: "FAILED" }) : null)),
      ]);
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from (
          select from attempts where holds_slot group by organization_id, target having count(*) > 1
        ) as twice`.execute(app.db);
      expect(rows[0]?.n).toBe(0);
    }
    for (const dialer of dialers) await dialer.settle();
    // Nobody who was reached was tried after that by the same request.
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from attempts later join attempts reached
        on reached.batch_key = later.batch_key and reached.request_id = later.request_id
      where reached.channel_status = 'COMPLETED' and later.attempt_number > reached.attempt_number`.execute(
      app.db,
    );
    expect(rows[0]?.n).toBe(0);
    const { body } = await app.send("GET", `${of(campaign_id)}/requests?limit=200`);
    const counts = (await board(campaign_id)).status_counts;
    const listed = Map.groupBy(body.requests, (r: { request_status: string }) => r.request_status);
    expect(Object.fromEntries([...listed].map(([status, some]) => [status, some.length]))).toEqual(counts);
  });
});

describe("the list behind a tile", () => {
  test("has as many requests as the board counts, for each outcome, stage, status and reason", async () => {
    const { campaign_id, batch_id } = await oneReached(5);
    const { body } = await dialing.outbound.results(batch_id);
    const extra = await dialing.outbound.createBatch({ campaign_id });
    await app.send("POST", "/api/v1/suppressions/", { address: "+15125577001" });
    await dialing.outbound.add(extra.batch_id, [
      { reference_id: "out", target: "+15125577001", request_variables: {} },
      { reference_id: "bad", target: "no number", request_variables: {} },
      { reference_id: "machine", target: "+15125577002", request_variables: {} },
      { reference_id: "waits", target: "+15125577003", request_variables: {} },
    ]);
    const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "MACHINE", "COMPLETED"] }));
    for (let n = 0; n < 3; n++) {
      app.clock.advance(1_000);
      await dialer.tick();
      await dialer.settle();
    }
    await sql`update requests set talked = true, reached_goal = true where target = ${body[0].target}`.execute(
      app.db,
    );
    await app.send("PUT", `${of(campaign_id)}/goal`, { goal: { insight_key: "booked" } });
    const shown = await board(campaign_id);
    expect(shown.funnel).toEqual({ tried: 7, answered: 1, talked: 1, goal: 1 });
    expect(shown.skip_counts).toEqual({ suppressed: 1 });
    const behind = async (query: string) => (await list(campaign_id, query)).body.requests.length;
    for (const [outcome, n] of Object.entries(shown.outcome_counts))
      expect([outcome, await behind(`outcome=${outcome}`)]).toEqual([outcome, n]);
    for (const [stage, n] of Object.entries(shown.funnel))
      expect([stage, await behind(`stage=${stage}`)]).toEqual([stage, n]);
    for (const [status, n] of Object.entries(shown.status_counts))
      expect([status, await behind(`request_status=${status}`)]).toEqual([status, n]);
    expect(await behind("skip_reason=suppressed")).toBe(1);
    await dialing.outbound.remove(extra.batch_id);
    const after = await board(campaign_id);
    for (const [status, n] of Object.entries(after.status_counts))
      expect([status, await behind(`request_status=${status}`)]).toEqual([status, n]);
  });

  test("whoever was tried counts as not reached, and not as not tried, when their request is canceled", async () => {
    const expires_on = new Date(app.clock.now().getTime() + 150_000).toISOString();
    const { campaign_id, batch_id } = await dialing.filled(4, { retry_count: 1 }, { expires_on });
    const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
    await dialer.tick();
    await dialer.settle();
    await dialer.pass(2);
    await sql`update requests set talked = true where reference_id = 'p1' and batch_key =
      (select key from batches where batch_id = ${batch_id})`.execute(app.db);
    const counted = async () => {
      const { outcome_counts } = (await dialing.outbound.get(batch_id)).body;
      expect((await board(campaign_id)).outcome_counts).toEqual(outcome_counts);
      for (const [outcome, n] of Object.entries(outcome_counts)) {
        const { requests } = (await list(campaign_id, `outcome=${outcome}`)).body;
        expect([outcome, requests.length]).toEqual([outcome, n]);
      }
      return outcome_counts;
    };
    expect(await counted()).toMatchObject({ open: 4, not_reached: 0 });
    app.clock.advance(60_000);
    const over = { reached: 1, voicemail_left: 0, not_reached: 2, not_tried: 1, open: 0 };
    expect(await counted()).toEqual(over);
    // Written, too.
    await expireBatches(app.db, app.clock);
    await resumeCancels(app.db);
    expect(await dialing.shown(batch_id)).toEqual([
      ...Array(3).fill("CANCELED CANCELED 1"),
      "CANCELED CANCELED 0",
    ]);
    expect(await counted()).toEqual(over);
    const { body } = await dialing.outbound.results(batch_id);
    expect(body.map((r: { reached: boolean }) => r.reached)).toEqual([false, true, false, false]);
  });

  test("is read page by page, newest first, and as a CSV file of all", async () => {
    const { campaign_id } = await oneReached(5);
    const seen: string[] = [];
    let before = "";
    do {
      const { body } = await list(campaign_id, `limit=2${before}`);
      seen.push(...body.requests.map(({ reference_id }: { reference_id: string }) => reference_id));
      before = body.next === null ? "" : `&before=${body.next}`;
    } while (before !== "");
    expect(seen).toEqual(["p4", "p3", "p2", "p1", "p0"]);
    const csv = await app.send("GET", `${of(campaign_id)}/requests?channel_manager_status=BUSY`, undefined, {
      accept: "text/csv",
    });
    expect(String(csv.body).trim().split("\r\n")).toHaveLength(5);
  });
});

describe("a suppression of requests", () => {
  test("puts their addresses on the list, is counted beforehand, and holds for those who wait", async () => {
    const { campaign_id } = await oneReached(3);
    const waiting = await dialing.outbound.createBatch({ campaign_id });
    const { requests } = (await list(campaign_id, "channel_manager_status=BUSY")).body;
    await dialing.outbound.add(waiting.batch_id, [
      { reference_id: "again", target: requests[0].target, request_variables: {} },
    ]);
    const body = { ...BUSY, comment: "asked by the clinic" };
    const counted = await app.send("POST", `${of(campaign_id)}/requests/suppress/preview`, body);
    expect(counted.body).toEqual({ selected: 2, addresses: 2, suppressed: 2, next: null });
    expect((await app.send("POST", `${of(campaign_id)}/requests/suppress`, body)).body).toEqual(counted.body);
    expect((await app.send("POST", `${of(campaign_id)}/requests/suppress`, body)).body).toMatchObject({
      suppressed: 0,
    });
    await createTestDialer(app, () => ({ tells: ["COMPLETED"] })).pass(1);
    expect(await dialing.shown(waiting.batch_id)).toEqual(["SKIPPED PRIOR_UNSUBSCRIBED 0"]);
    const nothing = await app.send("POST", `${of(campaign_id)}/requests/suppress`, { scope: "all" });
    expect(nothing.status).toBe(422);
  });
});

describe("a campaign", () => {
  test("that is paused starts nothing any more in any of its batches, and goes on when it is started", async () => {
    const { campaign_id, batch_id } = await dialing.filled(20, FAST);
    const second = await dialing.outbound.createBatch({ campaign_id });
    await dialing.outbound.add(second.batch_id, [
      { reference_id: "q0", target: dialing.person(), request_variables: {} },
      { reference_id: "q1", target: dialing.person(), request_variables: {} },
    ]);
    const dialers = [1, 2].map(() => createTestDialer(app, () => ({ tells: ["COMPLETED"] })));
    const handed = () => dialers.flatMap(({ world }) => world.handed).length;
    const round = async () => {
      app.clock.advance(1_000);
      await Promise.all(dialers.map((dialer) => dialer.tick()));
    };
    await round();
    const started = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from attempts`.execute(app.db)).rows[0]?.n;
    const [, [paused, at_pause]] = await Promise.all([
      round(),
      app.send("POST", `${of(campaign_id)}/pause`).then(async (answer) => [answer.body, await started()]),
    ]);
    expect(paused.batch_ids.toSorted()).toEqual([batch_id, second.batch_id].toSorted());
    await round();
    await round();
    expect(await started()).toBe(at_pause);
    expect((await app.send("POST", `${of(campaign_id)}/pause`)).body).toEqual({ batch_ids: [] });
    expect(await board(campaign_id)).toMatchObject({ active_batches: 0, paused_batches: 2 });
    const before = handed();
    await app.send("POST", `${of(campaign_id)}/start`);
    await round();
    expect(handed()).toBeGreaterThan(before);
  });
});
