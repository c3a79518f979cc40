import { type Selectable, sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Tx } from "../../../src/db/database.ts";
import type { InsightExecutions } from "../../../src/db/types.ts";
import { FEED_AHEAD, feedBackfill, feedNext } from "../../../src/executions/backfill.ts";
import { claimExecutions } from "../../../src/executions/claim.ts";
import { queueEndedSession } from "../../../src/executions/trigger.ts";
import { ENDED_COLUMNS, type EndedSession } from "../../../src/sessions/engine.ts";
import { endSession } from "../../../src/turns/end-session.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, manySessions, pastSession, runInsights } from "../../harness/insights.ts";
import { insertSession } from "../../harness/rows.ts";
import { StatementCounter } from "../../harness/statement-counter.ts";
import { WAITING } from "../../harness/waiting.ts";

const workflows = "/api/v1/insights/workflows";
const YEARS_AGO = "2020-01-01T00:00:00Z";

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
let tool: { id: number };
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
});
beforeEach(async () => {
  // Each test has its own sessions and nothing else that works on them.
  await sql`truncate sessions, insight_executions, insight_backfills cascade`.execute(app.db);
  await app.db.updateTable("insight_workflows").set({ status: "INACTIVE" }).execute();
  app.clock.advance(86_400_000);
  tool = await make.tool({ insight_tool_definition_id: 5, tool_arguments: { pattern: "refund" } });
});

const workflow = (more: object = {}) =>
  make.workflow({ insight_tool_ids: [tool.id], start_datetime: YEARS_AGO, ...more });
const backfill = async (id: number) => (await app.send("GET", `${workflows}/${id}/backfill`)).body;
const act = (id: number, action: "pause" | "resume") =>
  app.send("POST", `${workflows}/${id}/backfill/${action}`);
const setRate = (id: number, rate_per_minute: number | null) =>
  app.send("PUT", `${workflows}/${id}/backfill`, { rate_per_minute });
const read = async (id: number) => (await app.send("GET", `${workflows}/${id}`)).body;
const countOf = async (workflow_id: number, status?: Selectable<InsightExecutions>["status"]) => {
  let rows = app.db
    .selectFrom("insight_executions")
    .select(sql<number>`count(*)`.as("n"))
    .where("workflow_id", "=", workflow_id);
  if (status) rows = rows.where("status", "=", status);
  return (await rows.executeTakeFirstOrThrow()).n;
};

describe("a backfill", () => {
  test("is fed piece by piece, oldest first, and analyses every session once", async () => {
    const count = FEED_AHEAD * 2 + 345;
    const first = await manySessions(app, count);
    const { id } = await workflow();
    const activated = await make.activate(id);
    // The first piece is queued with the answer; what is to come counts as queued.
    expect(activated.body).toMatchObject({
      queue_count: count,
      estimate: { backfill_count: count - FEED_AHEAD },
    });
    expect(await countOf(id)).toBe(FEED_AHEAD);
    expect(await backfill(id)).toMatchObject({
      rate_per_minute: null,
      backfill: {
        status: "RUNNING",
        planned: { count },
        queued_count: FEED_AHEAD,
        waiting_count: FEED_AHEAD,
      },
    });

    await runInsights(app);
    expect(await countOf(id)).toBe(count);
    expect(await countOf(id, "COMPLETED")).toBe(count);
    const { rows } = await sql<{ session_id: number; started_at: string }>`
      select session_id from insight_executions where workflow_id = ${id} order by id`.execute(app.db);
    expect(rows.map(({ session_id }) => session_id)).toEqual(
      Array.from({ length: count }, (_, n) => first + n),
    );
    expect(await backfill(id)).toMatchObject({
      backfill: {
        status: "COMPLETED",
        queued_count: count,
        waiting_count: 0,
        failed_count: 0,
        actual: { count },
      },
    });
    expect(await read(id)).toMatchObject({
      queue_count: 0,
      failed_count: 0,
      estimate: { backfill_count: 0 },
    });
    const { body } = await app.send(
      "GET",
      "/api/v1/events/?search_fields=type&search_field_values=insight-backfill-completed",
    );
    expect(body.items[0]).toMatchObject({ attributes: { workflow_id: id, analysed: count } });
  });

  test("whose feeding fails ends its run after the claim beside it, and then nobody holds anything", async () => {
    const count = FEED_AHEAD + 200;
    await manySessions(app, count);
    const { id } = await workflow();
    await make.activate(id);
    const { pool } = app.database;
    await pool.query(`create sequence failed_feeds;
      create function fail_feeds() returns trigger language plpgsql as
        $$ begin perform nextval('failed_feeds'); raise exception 'no more is fed'; end $$;
      create trigger fail_feeds before update on insight_backfills for each row execute function fail_feeds();
      create function hold_claim() returns trigger language plpgsql as
        $$ begin
          if current_query() like '%interruptions = 0%skip locked%'
            and (select count(*) from insight_executions where attempts > 0) >= ${FEED_AHEAD / 2}
          then perform pg_advisory_xact_lock_shared(7); end if;
          return null;
        end $$;
      create trigger hold_claim before update on insight_executions for each statement execute function hold_claim()`);
    const holder = await pool.connect();
    await holder.query("select pg_advisory_lock(7)");
    const order: string[] = [];
    const running = runInsights(app).catch((error) => order.push(error.message));
    await expect
      .poll(async () => {
        const { rows } = await holder.query(`select (select is_called from failed_feeds) and exists (
          select from pg_locks where locktype = 'advisory' and not granted) as both`);
        return rows[0].both;
      }, WAITING)
      .toBe(true);
    await expect(feedNow()).rejects.toThrow("no more is fed");
    order.push("the claim goes on");
    await holder.query("select pg_advisory_unlock(7)");
    holder.release();
    await running;
    expect(order).toEqual(["the claim goes on", "no more is fed"]);
    expect(await countOf(id, "PROCESSING")).toBe(0);

    await pool.query("drop function fail_feeds, hold_claim cascade; drop sequence failed_feeds");
    await runInsights(app);
    expect(await countOf(id, "COMPLETED")).toBe(count);
  });
  const feedNow = () => app.db.transaction().execute((tx) => feedNext(tx, app.clock.now()));

  test("that is paused begins nothing, also nothing of what waits; resumed it goes on where it was", async () => {
    await manySessions(app, FEED_AHEAD + 200);
    const { id } = await workflow();
    await make.activate(id);
    expect((await act(id, "resume")).status).toBe(412);
    expect((await act(id, "pause")).body).toMatchObject({ backfill: { status: "PAUSED" } });
    expect((await act(id, "pause")).status).toBe(412);
    await runInsights(app);
    expect(await countOf(id, "PENDING")).toBe(FEED_AHEAD);
    // What ends now is analysed all the same.
    const live = await insertSession(app, {});
    await app.db
      .insertInto("session_messages")
      .values({
        session_id: live,
        seq: 0,
        turn_index: 1,
        role: "user",
        text: "refund",
        timestamp: app.clock.now().toISOString(),
      })
      .execute();
    await endSession(app.engine, live, "user");
    await runInsights(app);
    expect(await countOf(id, "COMPLETED")).toBe(1);

    expect((await act(id, "resume")).body).toMatchObject({ backfill: { status: "RUNNING" } });
    await runInsights(app);
    expect(await countOf(id, "COMPLETED")).toBe(FEED_AHEAD + 201);
    expect(await backfill(id)).toMatchObject({
      backfill: { status: "COMPLETED", queued_count: FEED_AHEAD + 200 },
    });
  });

  test("goes at the rate that was chosen, also while it runs", async () => {
    await manySessions(app, 500);
    const { id } = await workflow();
    expect((await setRate(id, 60)).body).toEqual({ workflow_id: id, rate_per_minute: 60, backfill: null });
    await make.activate(id);
    const done: number[] = [];
    for (let second = 0; second <= 10; second++) {
      await runInsights(app);
      done.push(await countOf(id, "COMPLETED"));
      app.clock.advance(1000);
    }
    expect(done).toEqual(Array.from({ length: 11 }, (_, second) => second + 1));
    await setRate(id, 600);
    for (let second = 0; second < 10; second++) {
      await runInsights(app);
      app.clock.advance(1000);
    }
    const faster = (await countOf(id, "COMPLETED")) - 11;
    expect(faster).toBeGreaterThanOrEqual(90);
    expect(faster).toBeLessThanOrEqual(110);
    await setRate(id, null);
    await runInsights(app);
    expect(await countOf(id, "COMPLETED")).toBe(500);
    for (const wrong of [0, -1, 1.5, "fast"]) expect((await setRate(id, wrong as number)).status).toBe(422);
  });

  test("that two processes find due at once is fed by the first, and the second skips no session", async () => {
    await manySessions(app, 5);
    const { id: workflow_id } = await workflow();
    await setRate(workflow_id, 1);
    await make.activate(workflow_id);
    const { id } = await app.db
      .selectFrom("insight_backfills")
      .select("id")
      .where("workflow_id", "=", workflow_id)
      .executeTakeFirstOrThrow();
    app.clock.advance(60_000);
    const now = app.clock.now();
    const feed = () => app.db.transaction().execute((tx) => feedBackfill(tx, { id, workflow_id }, now));
    expect([await feed(), await feed()]).toEqual([1, null]);
    for (let minute = 0; minute < 4; minute++) {
      await runInsights(app);
      app.clock.advance(60_000);
    }
    expect(await countOf(workflow_id, "COMPLETED")).toBe(5);
  });

  test("takes what its conditions ask for and no more, however sparse that is", async () => {
    await manySessions(app, 5_000);
    const wanted = [];
    for (let n = 0; n < 3; n++) {
      const at = new Date(app.clock.now().getTime() - (n * 1_600 + 10) * 60_000).toISOString();
      wanted.push(
        await pastSession(app, app.admin, { agent_name: "Rare", timestamp: at, said: [["user", "x"]] }),
      );
    }
    const { id } = await workflow({ conditions: { agent_list: ["Rare"] } });
    expect((await make.activate(id)).body).toMatchObject({ queue_count: 3 });
    await runInsights(app);
    const { rows } = await sql<{ session_id: number }>`
      select session_id from insight_executions where workflow_id = ${id} order by id`.execute(app.db);
    expect(rows.map(({ session_id }) => session_id)).toEqual(wanted.toReversed());
    expect((await backfill(id)).backfill.status).toBe("COMPLETED");
  });

  test("activated twice, also while it runs, queues nothing twice", async () => {
    const count = FEED_AHEAD + 300;
    await manySessions(app, count);
    const { id } = await workflow();
    await make.activate(id);
    app.clock.advance(1000);
    await make.activate(id);
    expect((await backfill(id)).backfill).toMatchObject({ status: "RUNNING", planned: { count: 300 } });
    await runInsights(app);
    // The queue was full when it was looked at; a second later it is looked at again.
    app.clock.advance(1000);
    await runInsights(app);
    expect(await countOf(id)).toBe(count);
    expect(await countOf(id, "COMPLETED")).toBe(count);
    app.clock.advance(1000);
    expect((await make.activate(id)).body).toMatchObject({ queue_count: 0 });
    await runInsights(app);
    expect(await countOf(id)).toBe(count);
  });

  test("after its tool was raised takes everything up again, each session once at the new version", async () => {
    await manySessions(app, 50);
    const { id } = await workflow();
    await make.activate(id);
    await runInsights(app);
    app.clock.advance(1000);
    await app.send("PUT", `/api/v1/insights/tool-configurations/${tool.id}`, { ...tool, version: 2 });
    expect((await make.activate(id)).body).toMatchObject({ queue_count: 50 });
    await runInsights(app);
    const { rows } = await sql<{ version: number; n: number }>`
      select insight_tool_version as version, count(distinct session_id) as n, count(*) as claims
      from insight_execution_tools where workflow_id = ${id} group by 1 order by 1`.execute(app.db);
    expect(rows).toEqual([
      { version: 1, n: 50, claims: 50 },
      { version: 2, n: 50, claims: 50 },
    ]);
  });

  test("ends with the workflow's inactivation, and what waited can be taken up later", async () => {
    await manySessions(app, FEED_AHEAD + 10);
    const { id } = await workflow();
    await make.activate(id);
    await app.send("PUT", `${workflows}/${id}/inactivate`);
    expect(await countOf(id)).toBe(0);
    // What was dropped was not analysed.
    expect((await backfill(id)).backfill).toMatchObject({
      status: "CANCELED",
      queued_count: 0,
      actual: { count: 0 },
    });
    await runInsights(app);
    expect(await countOf(id)).toBe(0);
    app.clock.advance(1000);
    await make.activate(id);
    await runInsights(app);
    expect(await countOf(id, "COMPLETED")).toBe(FEED_AHEAD + 10);
  });

  test("fed by several processes at once queues each session once", async () => {
    const count = 5_000;
    await manySessions(app, count);
    const { id } = await workflow();
    await make.activate(id);
    const process = async (n: number) => {
      for (let idle = 0; idle < 40; ) {
        const claimed = await claimExecutions(app.db, { owner: `p${n}`, now: app.clock.now(), most: 200 });
        await app.db
          .updateTable("insight_executions")
          .set({ status: "COMPLETED", lease_owner: null })
          .where("lease_owner", "=", `p${n}`)
          .execute();
        const fed = await app.db.transaction().execute((tx) => feedNext(tx, app.clock.now()));
        if (claimed.length === 0 && !fed) idle += 1;
        if (fed === 0 || fed === null) app.clock.advance(100);
      }
    };
    await Promise.all([1, 2, 3].map(process));
    expect(await countOf(id, "COMPLETED")).toBe(count);
  });
});

describe("a session that ends while its workflow is activated", () => {
  test("is analysed once, whichever comes first", async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await workflow();
      const { estimate } = await read(id);
      const live = await Promise.all([0, 1, 2].map(() => insertSession(app, {})));
      const activate = () =>
        app.send("PUT", `${workflows}/${id}/activate`, {
          is_acknowledged: true,
          // Whatever ended meanwhile is within its tolerance.
          estimate: { ...estimate, backfill_count: estimate.backfill_count },
        });
      const ending = live.map((session_id) => endSession(app.engine, session_id, "user"));
      let activated = await activate();
      await Promise.all(ending);
      if (activated.status === 412) activated = await make.activate(id);
      expect(activated.status).toBe(200);
      await runInsights(app);
      const { rows } = await sql<{ session_id: number; n: number }>`
        select session_id, count(*) as n from insight_execution_tools
        where workflow_id = ${id} and session_id = any(${live}::bigint[]) group by 1`.execute(app.db);
      expect(rows.map(({ n }) => n)).toEqual([1, 1, 1]);
      await app.send("PUT", `${workflows}/${id}/inactivate`);
    }
  });
});

describe("a session that ends", () => {
  test("is queued for the workflows that want it, by their conditions, and for no other", async () => {
    const wanting = [
      await workflow(),
      await workflow({ start_datetime: null }),
      await workflow({ conditions: { agent_list: ["Receptionist"] } }),
      await workflow({ conditions: { prompt_list: ["Prompt"], sample_rate: 100 } }),
    ];
    const others = [
      await workflow({ conditions: { sample_rate: 0 } }),
      await workflow({ conditions: { min_duration: 3600 } }),
      await workflow({ conditions: { agent_list: ["Somebody else"] } }),
      await workflow({ source: "transfer" }),
      await workflow({ source: "manual" }),
      await workflow({ end_datetime: "2021-01-01T00:00:00Z" }),
    ];
    const inactive = await workflow();
    for (const { id } of [...wanting, ...others]) expect((await make.activate(id)).status).toBe(200);
    const session_id = await insertSession(app, {});
    await endSession(app.engine, session_id, "user");
    const rows = await app.db
      .selectFrom("insight_executions")
      .select(["workflow_id", "cause"])
      .where("session_id", "=", session_id)
      .orderBy("workflow_id")
      .execute();
    expect(rows).toEqual(wanting.map(({ id }) => ({ workflow_id: id, cause: "session" })));
    expect(await countOf(inactive.id)).toBe(0);
  });

  test("does not wait for the estimate of an activation, which may take a second", async () => {
    const { id } = await workflow();
    const { body: read } = await app.send("GET", `${workflows}/${id}`);
    const session_id = await insertSession(app, {});
    const released = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    // Estimates read what was said; nothing else here does.
    const holding = app.db.transaction().execute(async (tx) => {
      await sql`lock table session_tool_calls in access exclusive mode`.execute(tx);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const activating = app.send("PUT", `${workflows}/${id}/activate`, {
      is_acknowledged: true,
      estimate: read.estimate,
    });
    await vi.waitFor(async () => expect(await waitingForLocks()).toBe(1), WAITING);
    const ended = await app.db
      .selectFrom("sessions")
      .select(ENDED_COLUMNS)
      .where("id", "=", session_id)
      .executeTakeFirstOrThrow();
    await app.db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '5s'`.execute(tx);
      await queueEndedSession(tx, ended as EndedSession, app.clock.now());
    });
    released.resolve();
    await holding;
    expect((await activating).status).toBe(200);
  });

  test("asks the database no more for ten workflows that want it than for one", async () => {
    const made = [await workflow()];
    expect((await make.activate(made[0].id)).status).toBe(200);
    const statements = async () => {
      const id = await pastSession(app, app.admin);
      const ended = await app.db
        .selectFrom("sessions")
        .select(ENDED_COLUMNS)
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const counter = new StatementCounter();
      await app.db.transaction().execute(async (tx) => {
        await queueEndedSession(tx.withPlugin(counter) as Tx, ended as EndedSession, app.clock.now());
      });
      return { statements: counter.count, queued: await countOf(made.at(-1).id, "PENDING") };
    };
    const one = await statements();
    expect(one.queued).toBe(1);
    for (let n = 0; n < 9; n++) {
      const another = await workflow({ start_datetime: null });
      await make.activate(another.id);
      made.push(another);
    }
    expect(await statements()).toEqual(one);
  });
});

const waitingForLocks = async () => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
    app.db,
  );
  return rows[0]?.n;
};
