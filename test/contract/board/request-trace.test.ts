import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
let filled: Dialing["filled"];
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  ({ filled } = dialing);
});
beforeEach(async () => {
  // 10:00 on a Wednesday in New York.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
});

const trace = async (batch_id: string, reference_id = "p0") =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/${reference_id}/trace`)).body;
const next = async (batch_id: string, reference_id = "p0") => {
  const { reason, text, until } = (await trace(batch_id, reference_id)).next_step;
  return { reason, text, until };
};

describe("the next step of a request that waits names", () => {
  test("the opening of its campaign, on the agent's clock", async () => {
    const { batch_id } = await filled(1, { daily_start_time: "11:00", daily_end_time: "12:00" });
    expect(await next(batch_id)).toEqual({
      reason: "closed",
      text: "Waiting: opens 11:00 America/New_York.",
      until: "2026-11-18T16:00:00.000Z",
    });
    app.clock.set("2026-11-18T20:00:00Z");
    expect((await next(batch_id)).text).toBe("Waiting: opens 2026-11-19 11:00 America/New_York.");
  });

  test("a schedule that never opens, a pause, and a batch that is over", async () => {
    const { batch_id } = await filled(1, { active_days: [] });
    expect((await next(batch_id)).text).toBe("Waiting: the campaign's schedule has no day that opens.");
    const paused = await filled(1, {}, { paused: true });
    expect((await next(paused.batch_id)).text).toBe("Waiting: the batch is paused.");
    await dialing.outbound.remove(paused.batch_id);
    expect(await next(paused.batch_id)).toMatchObject({ reason: "canceled" });
  });

  test("the rate, and how many come before", async () => {
    const { batch_id } = await filled(5);
    expect((await next(batch_id, "p3")).text).toBe("Waiting: 3 of the batch come before it.");
    await createTestDialer(app, () => ({ tells: ["COMPLETED"] })).tick();
    expect(await next(batch_id, "p3")).toEqual({
      reason: "rate",
      text: "Waiting: the next attempt at 60 an hour starts at 10:01 America/New_York. Waiting: 2 of the batch come before it.",
      until: "2026-11-18T15:01:00.000Z",
    });
  });

  test("its retry, with what happened before", async () => {
    const { batch_id } = await filled(1, { retry_count: 3, retry_interval: "30m" });
    const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
    await dialer.tick();
    await dialer.settle();
    expect(await next(batch_id)).toEqual({
      reason: "retry",
      text: "Waiting: retry 1 of 3 at 10:30 America/New_York: busy.",
      until: "2026-11-18T15:30:00.000Z",
    });
    const { attempts } = await trace(batch_id);
    expect(attempts).toMatchObject([
      {
        attempt_number: 1,
        text: "Attempt 1: busy; retry 1 of 3 from 10:30 America/New_York.",
        channel_manager_status: "BUSY",
        counted_on: "2026-11-18",
      },
    ]);
  });

  test("that it was canceled when the batch expired, where it was to be tried again", async () => {
    const expires_on = "2026-11-18T15:20:00Z";
    const { batch_id, campaign_id } = await filled(
      1,
      { retry_count: 3, retry_interval: "30m" },
      { expires_on },
    );
    const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
    await dialer.tick();
    await dialer.settle();
    app.clock.set("2026-11-18T15:21:00Z");
    const text = "Attempt 1: busy; canceled, because the batch expired.";
    expect((await trace(batch_id)).attempts).toMatchObject([{ text }]);
    const board = `/api/v1/outbound/campaigns/${campaign_id}/board`;
    expect((await app.send("GET", board)).body.latest).toMatchObject([{ request_status: "CANCELED", text }]);
    await dialer.tick();
    expect((await app.send("GET", board)).body.latest).toMatchObject([{ request_status: "CANCELED", text }]);
    expect((await trace(batch_id)).attempts).toMatchObject([{ text }]);
  });

  test("the day's cap, and when it goes on", async () => {
    const { batch_id } = await filled(3, {
      max_daily_calls: 1,
      daily_start_time: "09:00",
      daily_end_time: "17:00",
    });
    const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
    await dialer.pass(3);
    expect(await next(batch_id, "p1")).toEqual({
      reason: "cap",
      text: "Waiting: 1 person was reached for the first time today, the day's most; goes on 2026-11-19 09:00 America/New_York.",
      until: "2026-11-19T14:00:00.000Z",
    });
  });

  test("the attempt that is under way", async () => {
    const { batch_id } = await filled(2);
    await createTestDialer(app, () => ({})).tick();
    const { attempts, next_step } = await trace(batch_id, "p0");
    expect(next_step).toMatchObject({ kind: "under-way" });
    expect(attempts[0].text).toBe("Attempt 1 is under way: queued as of 10:00 America/New_York.");
  });
});

describe("a request that was skipped", () => {
  test("says which rule it failed", async () => {
    const target = dialing.person();
    const { batch_id } = await filled([target], {
      target_filters: {
        match: "all",
        on_unknown: "exclude",
        rules: [{ field: "line_type", op: "in", values: ["mobile"] }],
      },
    });
    await app.db
      .updateTable("requests")
      .set({ enrichment: JSON.stringify({ line_type: "landline", error_code: null }) })
      .where("target", "=", target)
      .execute();
    await createTestDialer(app, () => ({})).tick();
    expect(await trace(batch_id)).toMatchObject({
      request_status: "SKIPPED",
      channel_manager_status: "FILTERED_LINE_TYPE",
      next_step: {
        kind: "over",
        reason: "filtered",
        text: "Skipped: line_type landline fails rule 1 (line_type in mobile).",
      },
    });
  });

  test("is not known to another organization", async () => {
    const { batch_id } = await filled(1);
    const neighbour = await app.createNeighbour();
    const url = `${BATCHES}/${batch_id}/requests/p0/trace`;
    expect((await neighbour.send("GET", url)).status).toBe(404);
    expect((await app.send("GET", `${BATCHES}/${batch_id}/requests/nobody/trace`)).status).toBe(404);
  });
});

describe("a forecast", () => {
  const ask = (id: number, body: object) =>
    app.send("POST", `/api/v1/outbound/campaigns/${id}/forecast`, body);

  test("of a campaign is what the dialer then does", async () => {
    const { campaign_id } = await filled(40, {
      max_daily_calls: 12,
      retry_count: 1,
      retry_interval: "2h",
      daily_start_time: "09:00",
      daily_end_time: "12:00",
      hourly_rate: 10,
    });
    const { body } = await ask(campaign_id, { answer_rate: 0, days: 7 });
    const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
    await dialer.tick();
    await dialer.settle();
    // Windows and the interval between two attempts begin and end on these steps.
    await dialer.pass(7 * 24 * 60 - 6, 6 * 60_000);
    const { rows } = await app.database.pool.query(
      `select (started_at at time zone 'America/New_York')::date::text as date,
        count(*) filter (where attempt_number = 1)::int as first_attempts,
        count(*) filter (where attempt_number > 1)::int as retries
      from attempts where campaign_id = $1 group by 1 order by 1`,
      [campaign_id],
    );
    const days = body.days.map(({ date, first_attempts, retries }: Record<string, unknown>) => ({
      date,
      first_attempts,
      retries,
    }));
    expect(rows).toEqual(days);
    expect(body.totals.first_attempts).toBe(40);
    expect(body.ends_at).not.toBeNull();
  });

  test("of a night window counts first attempts on the day whose cap they use", async () => {
    const night = { daily_start_time: "22:00", daily_end_time: "02:00", hourly_rate: 10 };
    const rules = { days: { wed: { daily_start_time: "23:00", daily_end_time: "22:30" } } };
    const { campaign_id } = await filled(60, {
      ...night,
      max_daily_calls: 9,
      outreach_override_rules: rules,
    });
    const { body } = await ask(campaign_id, { answer_rate: 0, days: 4 });
    const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
    await dialer.tick();
    await dialer.settle();
    await dialer.pass(4 * 24 * 60 - 6, 6 * 60_000);
    const { rows } = await app.database.pool.query(
      "select day::text as date, first_attempts::int from campaign_days where campaign_id = $1 order by 1",
      [campaign_id],
    );
    const days = body.days.map(({ date, first_attempts }: Record<string, unknown>) => ({
      date,
      first_attempts,
    }));
    expect(days.filter((day: { first_attempts: number }) => day.first_attempts > 0)).toEqual(rows);
    expect(rows.length).toBeGreaterThan(2);
  });

  test("and the board say that a rate is per batch, and what all batches make together", async () => {
    const { campaign_id } = await filled(2, { hourly_rate: 60 });
    const { batch_id } = await dialing.outbound.createBatch({ campaign_id, call_rate: 100 });
    await dialing.outbound.add(batch_id, [request("other", dialing.person())]);
    // One in which nobody waits any more makes none.
    const done = await dialing.outbound.createBatch({ campaign_id });
    await dialing.outbound.add(done.batch_id, [request("done", dialing.person())]);
    await app.db
      .updateTable("requests")
      .set({ request_status: "FAILED", due_at: null })
      .where("reference_id", "=", "done")
      .execute();
    const { body } = await ask(campaign_id, { answer_rate: 0.5 });
    expect(body).toMatchObject({ hourly_rate: 60, total_rate: 160 });
    expect(body.assumptions.join(" ")).toContain("these 2 batches make up to 160 attempts an hour together");
    const board = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
    expect(board.body).toMatchObject({ hourly_rate: 60, total_rate: 160 });
  });

  test("before anybody was added works from a number of people, and says what it assumes", async () => {
    const { campaign_id } = await filled(1, {
      hourly_rate: 100,
      daily_start_time: "09:00",
      daily_end_time: "17:00",
    });
    const { body } = await ask(campaign_id, {
      requests: 1000,
      answer_rate: 0.3,
      skip_rate: 0.1,
      from: "2026-11-19T00:00:00-05:00",
      days: 5,
    });
    expect(body.totals).toMatchObject({ first_attempts: 900, skipped: 100, completed: 270 });
    expect(body.days.map((day: { first_attempts: number }) => day.first_attempts)).toEqual([800, 100]);
    expect(body.assumptions[0]).toBe(
      "30 % of the attempts reach their person; the others count as not answered and may be retried.",
    );
    expect(body.left).toBe(0);
  });

  test("of the highest rate for a month ends after a number of attempts, and says so", async () => {
    const { campaign_id } = await filled(1, { hourly_rate: 3600 });
    const { body } = await ask(campaign_id, { requests: 1_000_000, answer_rate: 0.5, days: 31 });
    expect(body.assumptions.at(-1)).toBe("The forecast stops after 500,000 attempts.");
    expect(body.left).toBeGreaterThan(0);
  });

  test.each([
    [{}, ["body", "answer_rate"]],
    [{ answer_rate: 1.5 }, ["body", "answer_rate"]],
    [{ answer_rate: 0.5, days: 0 }, ["body", "days"]],
    [{ answer_rate: 0.5, auto_call_rate: true }, ["body", "expires_on"]],
  ])("refuses %j at %j", async (body, loc) => {
    const { campaign_id } = await filled(1);
    const answer = await ask(campaign_id, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc).toEqual(loc);
  });
});

test("the board shows what runs and what waits, with reasons", async () => {
  const { campaign_id, batch_id } = await filled(3, { retry_count: 1, retry_interval: "1h" });
  const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
  await dialer.tick();
  await dialer.settle();
  const { body } = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  expect(body).toMatchObject({
    status_counts: { PENDING: 3 },
    under_way: 0,
    days: [{ date: "2026-11-18", cap: null, first_attempts: 1 }],
    batches: [{ batch_id, waiting: 3, rate: 60, next_step: { reason: "rate" } }],
    latest: [{ reference_id: "p0", text: "Attempt 1: busy; retry 1 of 1 from 11:00 America/New_York." }],
  });
});

test("the board says when the next is tried, where all who wait were tried before", async () => {
  const { campaign_id } = await filled(2, { retry_count: 1, retry_interval: "1h" });
  const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
  await dialer.pass(3);
  const { body } = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  expect(body.batches).toMatchObject([
    {
      waiting: 2,
      next_step: {
        kind: "waiting",
        reason: "retry",
        text: expect.stringMatching(
          /^Waiting: nobody is due before the next retry at \d\d:\d\d America\/New_York\.$/,
        ),
        until: expect.any(String),
      },
    },
  ]);
});
