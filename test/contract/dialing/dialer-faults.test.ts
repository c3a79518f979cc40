import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { type OutreachSender, requireGo } from "../../../src/channels/outreach.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { claimDue } from "../../../src/dialing/claim.ts";
import type { FaultPoint } from "../../../src/dialing/dialer.ts";
import { attemptLeases } from "../../../src/dialing/leases.ts";
import { HAND_OVER_ms, LEASE_ms, RENEW_ms } from "../../../src/planning/attempt.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { freePort } from "../../harness/free-port.ts";
import { type Plan, word } from "../../harness/planned-sender.ts";
import { createSender } from "../../harness/sender.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(() => dialing.forget());

/** A batch of one person, who may be tried each second. */
const one = async (campaign: object = {}) =>
  (await dialing.filled(1, { hourly_rate: 3600, ...campaign })).batch_id;
const shown = async (batch_id: string) => (await dialing.shown(batch_id))[0];
const held = () => app.db.selectFrom("attempts").select("key").where("holds_slot", "=", true).execute();
const COMPLETED: Plan = { tells: ["IN-PROGRESS", "COMPLETED"] };

describe("a batch that can't be decided", () => {
  test("because of its agent's zone, which no program knows, holds up no other one and is examined again", async () => {
    const from = "+19032900899";
    const { agent_id } = await createSender(app, app.admin, { target: from });
    const zone = (timezone: string) =>
      app.db.updateTable("agents").set({ timezone }).where("id", "=", agent_id).execute();
    const stuck = await one({ source: from, caller_id: from });
    const other = await one();
    await zone("Mars/Base");
    const dialer = createTestDialer(app, () => COMPLETED);
    for (let second = 0; second < 3; second++) {
      await dialer.tick();
      await dialer.settle();
      app.clock.advance(1000);
    }
    expect(await shown(other)).toBe("COMPLETED COMPLETED 1");
    expect(await shown(stuck)).toBe("PENDING PENDING 0");
    expect(app.errors.splice(0)).toEqual([
      expect.stringContaining("a batch can't be decided and is put off"),
    ]);

    await zone("America/New_York");
    await dialer.pass(1);
    expect(await shown(stuck)).toBe("COMPLETED COMPLETED 1");
  });

  test("because the database refuses what it would store holds up no other one", async () => {
    const stuck = await dialing.filled(1, { hourly_rate: 3600 });
    const other = await one();
    const { pool } = app.database;
    await pool.query(
      `alter table attempts add constraint refused check (campaign_id <> ${stuck.campaign_id}) not valid`,
    );
    const dialer = createTestDialer(app, () => COMPLETED);
    expect(await dialer.tick()).toMatchObject({ claimed: 1 });
    await pool.query("alter table attempts drop constraint refused");
    await dialer.settle();
    expect(await shown(other)).toBe("COMPLETED COMPLETED 1");
    expect(await shown(stuck.batch_id)).toBe("PENDING PENDING 0");
    expect(app.errors.splice(0)).toHaveLength(1);
    await dialer.pass(1);
    expect(await shown(stuck.batch_id)).toBe("COMPLETED COMPLETED 1");
  });
});

describe("a carrier", () => {
  test("that refuses for good ends the attempt as it says", async () => {
    const batch_id = await one({ retry_count: 3 });
    const dialer = createTestDialer(app, () => ({ send: "refused", refused_as: "SIP_NOT_FOUND" }));
    await dialer.tick();
    expect(await shown(batch_id)).toBe("FAILED SIP_NOT_FOUND 1");
  });

  test.each([
    ["have what no database stores", "550 no such user\0 \ud83d", "550 no such user \ufffd"],
    ["are cut within a character", `${"x".repeat(499)}😀 and more`, "x".repeat(499)],
  ])("that refuses in words that %s ends the attempt all the same", async (_, refused_because, stored) => {
    const batch_id = await one({ retry_count: 3 });
    const dialer = createTestDialer(app, () => ({ send: "refused", refused_because }));
    await dialer.tick();
    expect(await shown(batch_id)).toBe("FAILED FAILED 1");
    const { provider_status } = await app.db
      .selectFrom("attempts")
      .select("provider_status")
      .where("key", "=", dialer.world.handed[0]?.key as string)
      .executeTakeFirstOrThrow();
    expect(provider_status).toBe(stored);
  });

  test("that takes nothing costs the person no attempt, and is asked again later and later", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, (_, tries) => (tries < 3 ? { send: "not-sent" } : COMPLETED));
    await dialer.tick();
    expect(await shown(batch_id)).toBe("PENDING PENDING 0");
    await dialer.pass(0.5, 1000);
    expect(dialer.world.handed).toHaveLength(3);
    await dialer.pass(1, 1000);
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
  });

  test("that never takes it is given up after ten tries", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, () => ({ send: "not-sent" }));
    await dialer.pass(120, 30_000);
    expect(dialer.world.handed).toHaveLength(10);
    expect(await shown(batch_id)).toBe("FAILED UNEXPECTED_ERROR 1");
  });

  test("whose answer is lost is asked, and the person is not called twice", async () => {
    const batch_id = await one({ retry_count: 3, retry_interval: "1s" });
    const dialer = createTestDialer(app, () => ({ send: "lost", tells: ["COMPLETED"] }));
    await dialer.tick();
    expect(await shown(batch_id)).toBe("INITIATED PENDING 1");
    for (let i = 0; i < 30; i++) {
      app.clock.advance(1000);
      await dialer.tick();
    }
    expect(dialer.world.handed).toHaveLength(1);
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
  });

  test("that never got it is tried again once it says so", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, (_, tries) => (tries === 0 ? { send: "unknown" } : COMPLETED));
    await dialer.tick();
    app.clock.advance(5_000);
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(1);
    await dialer.pass(1, 1000);
    expect(dialer.world.handed).toHaveLength(2);
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
  });

  test("that can't be asked keeps the person from being called again, for ever", async () => {
    const batch_id = await one({ retry_count: 3, retry_interval: "1m" });
    const dialer = createTestDialer(app, () => ({ send: "unknown" }));
    dialer.world.setDown(true);
    await dialer.pass(26 * 60, 5 * 60_000);
    expect(dialer.world.handed).toHaveLength(1);
    expect(await shown(batch_id)).toBe("FAILED NO_OUTCOME 1");
  });

  test("that shows a call no more when it is asked, twice: the call counts as failed and frees its line", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    dialer.world.taken.clear();
    await dialer.pass(1);
    expect(await shown(batch_id)).toBe("INITIATED QUEUED 1");
    await dialer.pass(0.25, 15_000);
    expect(await shown(batch_id)).toBe("FAILED NO_OUTCOME 1");
    expect(await held()).toEqual([]);
  });

  test("whose callbacks are lost is asked within a minute, lines are freed and the campaign goes on", async () => {
    const { batch_id } = await dialing.filled(3, { hourly_rate: 3600 });
    const limits = { per_source: 1, per_organization: 100, kept_for_callers: 0.3 };
    const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] }), { limits });
    for (let minute = 0; minute < 6; minute++) {
      await dialer.tick();
      await dialer.tick();
      app.clock.advance(60_000);
      dialer.world.tell();
    }
    expect(await dialing.shown(batch_id)).toEqual(Array(3).fill("COMPLETED COMPLETED 1"));
    expect(await held()).toEqual([]);
  });

  test("is asked within a minute of a start about calls that ended while the program was away", async () => {
    const batch_id = await one();
    const before = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] }));
    await before.tick();
    await sql`update attempts set check_at = check_at + interval '14 min'`.execute(app.db);
    const { senders } = before.world;
    const after = createTestDialer(app, () => ({}), { senders });
    await after.tick();
    app.clock.advance(60_000);
    await after.tick();
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
    expect(await held()).toEqual([]);
  });

  test("is asked once a minute about a conversation that goes on, and not more often", async () => {
    await one();
    const dialer = createTestDialer(app, () => ({ first: "IN-PROGRESS" }));
    let asked = 0;
    const find = dialer.world.senders.voice.find;
    dialer.world.senders.voice.find = async (...about) => {
      asked++;
      return find(...about);
    };
    await dialer.tick();
    const { rows } = await sql<{ key: string }>`select key from attempts`.execute(app.db);
    const key = rows[0]?.key ?? "";
    await dialer.attempts.signal([word(key, "HUMAN", app.clock.now())]);
    await dialer.pass(10, 5_000);
    expect(asked).toBe(10);
  });

  test("that can't be asked about a call nobody answered is believed to ring for a quarter of an hour", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    dialer.world.setDown(true);
    await dialer.pass(14);
    expect(await shown(batch_id)).toBe("INITIATED QUEUED 1");
    await dialer.pass(2);
    expect(await shown(batch_id)).toBe("FAILED NO_OUTCOME 1");
  });

  test("that says nothing, but tells when asked that the call goes on, is believed", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    await dialer.pass(40);
    expect(await shown(batch_id)).toBe("INITIATED QUEUED 1");
  });

  test("that can't be asked does not have somebody called who answered, and may still be talking", async () => {
    const batch_id = await one({ retry_count: 1, retry_interval: "1m" });
    const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS"] }));
    await dialer.tick();
    await dialer.settle();
    dialer.world.setDown(true);
    await dialer.pass(70);
    expect(dialer.world.handed).toHaveLength(1);
    expect(await shown(batch_id)).toBe("CONNECTED IN-PROGRESS 1");
    await dialer.pass(20);
    expect(
      (await app.db.selectFrom("events").select("id").where("description", "like", "%NO_OUTCOME%").execute())
        .length,
    ).toBeGreaterThan(0);
  });

  test("an error nobody foresaw is treated as an unknown fate", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, (_, tries) => (tries === 0 ? { send: "crash" } : COMPLETED));
    await dialer.pass(1, 1000);
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
  });
});

describe("what a carrier tells", () => {
  test("counts once, in whatever order and however often it comes", async () => {
    const batch_id = await one({ retry_count: 2 });
    const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "HUMAN", "COMPLETED"] }));
    await dialer.tick();
    const told = dialer.world.tell();
    await dialer.attempts.signal([...told].reverse());
    await dialer.attempts.signal([...told, ...told]);
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
    const changes = await app.db
      .selectFrom("events")
      .select("attributes")
      .where("type", "=", "request-status")
      .where("user_id", "=", dialer.world.handed[0]?.target as string)
      .orderBy("id")
      .execute();
    expect(changes.map(({ attributes }) => (attributes as { status: string }).status)).toEqual([
      "QUEUED",
      "COMPLETED",
    ]);
  });

  test("before its answer arrives is taken in", async () => {
    const batch_id = await one();
    const dialer = createTestDialer(app, () => COMPLETED, {
      faultPoint: async (name) => {
        if (name === "after-send") await dialer.settle();
      },
    });
    await dialer.tick();
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
  });

  test("an hour late, after the attempt counted as failed, ends the retry that was waiting", async () => {
    const batch_id = await one({ retry_count: 1, retry_interval: "2h" });
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    const [key] = [...dialer.world.taken.keys()] as [string];
    dialer.world.taken.clear();
    await dialer.pass(60);
    expect(await shown(batch_id)).toBe("PENDING NO_OUTCOME 1");
    await dialer.attempts.signal([word(key, "COMPLETED", app.clock.now())]);
    expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
    await dialer.pass(180);
    expect(dialer.world.handed).toHaveLength(1);
  });

  test("of an attempt that never was changes nothing", async () => {
    const dialer = createTestDialer(app, () => COMPLETED);
    await dialer.attempts.signal([word("nobody", "COMPLETED", app.clock.now())]);
    expect(await dialer.attempts.find("nobody")).toBeNull();
  });
});

describe("a dialer that dies", () => {
  class Died extends Error {}

  /** A process that stops at a point and never comes back: what it had begun stays as it is. */
  const dyingAt = (point: FaultPoint) => (name: FaultPoint) => {
    if (name === point) throw new Died(point);
  };

  test.each(["before-claim", "after-claim", "before-send", "after-send", "after-settle"] as const)(
    "at %s leaves nothing undone and nobody called twice",
    async (point) => {
      const batch_id = await one();
      const dead = createTestDialer(app, () => COMPLETED, { faultPoint: dyingAt(point) });
      await dead.tick().catch(() => {});
      const other = createTestDialer(app, () => COMPLETED, { senders: dead.world.senders });
      for (let i = 0; i < 30; i++) {
        app.clock.advance(1000);
        await other.tick();
        await other.attempts.signal(dead.world.tell());
      }
      expect(await shown(batch_id)).toBe("COMPLETED COMPLETED 1");
      expect(dead.world.handed).toHaveLength(1);
    },
  );

  test("is not missed for longer than its lease", async () => {
    await one();
    const dead = createTestDialer(app, () => COMPLETED, { faultPoint: dyingAt("after-send") });
    await dead.tick();
    const other = createTestDialer(app, () => COMPLETED, { senders: dead.world.senders });
    app.clock.advance(LEASE_ms - 1);
    expect((await other.tick()).asked).toBe(0);
    app.clock.advance(1);
    expect((await other.tick()).asked).toBe(1);
  });

  test("leaves nobody in the dark for longer than 10 s", async () => {
    const batch_id = await one();
    const dead = createTestDialer(app, () => COMPLETED, { faultPoint: dyingAt("before-send") });
    await dead.tick();
    const other = createTestDialer(app, () => COMPLETED, { senders: dead.world.senders });
    for (let i = 0; i < 9; i++) {
      app.clock.advance(1000);
      await other.tick();
    }
    expect(dead.world.handed).toHaveLength(0);
    expect(await shown(batch_id)).toBe("PENDING PENDING 0");
  });

  test("does not count against the number that it would have called from", async () => {
    for (let i = 0; i < 8; i++) await one();
    const dead = createTestDialer(app, () => COMPLETED, { faultPoint: dyingAt("before-send") });
    await dead.tick();
    const other = createTestDialer(app, () => COMPLETED, { senders: dead.world.senders });
    await other.pass(0.25, 1000);
    expect(dead.world.handed).toHaveLength(8);
    const { closed } = await app.db
      .selectFrom("dial_sources")
      .select(({ fn }) => fn.count("closed_until").as("closed"))
      .executeTakeFirstOrThrow();
    expect(closed).toBe(0);
  });

  test("that hands over for long keeps its lease, and is not asked about", async () => {
    const { leases, key } = await claimed();
    for (let i = 0; i < 10; i++) {
      app.clock.advance(RENEW_ms);
      await leases.renew();
    }
    expect(leases.holds(key, HAND_OVER_ms)).toBe(true);
    expect((await createTestDialer(app, () => COMPLETED).tick()).asked).toBe(0);
  });
});

describe("a dialer that is held up", () => {
  /** Stands still at a point until it is let go. */
  function stoppedAt(point: FaultPoint) {
    const stop = Promise.withResolvers<void>();
    const there = Promise.withResolvers<void>();
    const faultPoint = async (name: FaultPoint) => {
      if (name === "before-renew") throw new Error("it stands still");
      if (name !== point) return;
      there.resolve();
      await stop.promise;
    };
    return { faultPoint, there: there.promise, goOn: stop.resolve };
  }

  test("does not call somebody whom another has taken over", async () => {
    await one();
    const { faultPoint, there, goOn } = stoppedAt("before-send");
    const slow = createTestDialer(app, () => COMPLETED, { faultPoint });
    const ticking = slow.tick();
    await there;
    const other = createTestDialer(app, () => COMPLETED, { senders: slow.world.senders });
    app.clock.advance(LEASE_ms);
    await other.tick();
    goOn();
    await ticking;
    expect(slow.world.handed).toHaveLength(0);
  });

  test("calls once it has said again that the attempt is its own", async () => {
    await one();
    const { faultPoint, there, goOn } = stoppedAt("before-send");
    const slow = createTestDialer(app, () => COMPLETED, { faultPoint });
    const ticking = slow.tick();
    await there;
    app.clock.advance(HAND_OVER_ms);
    goOn();
    await ticking;
    expect(slow.world.handed).toHaveLength(1);
  });

  test("on the way to its carrier does not call any more, and the person is tried again", async () => {
    const batch_id = await one();
    const went: (boolean | undefined)[] = [];
    const slow = createTestDialer(app, () => COMPLETED);
    const { send, ...sender } = slow.world.senders.voice;
    const voice: OutreachSender = {
      ...sender,
      async send(outreach, mayGo) {
        if (went.length === 0) app.clock.advance(HAND_OVER_ms);
        went.push(await mayGo?.());
        await requireGo(mayGo);
        return send(outreach);
      },
    };
    const dialer = createTestDialer(app, () => COMPLETED, { senders: { ...slow.world.senders, voice } });
    await dialer.tick();
    expect(slow.world.handed).toHaveLength(0);
    expect(await shown(batch_id)).toBe("PENDING PENDING 0");
    app.clock.advance(5_000);
    await dialer.tick();
    expect(went).toEqual([false, true]);
  });
});

test("while the database is away each kind of the dialer's work is one line of the log, however often it is tried", async () => {
  const away = openDatabase({ connectionString: `postgres://127.0.0.1:${await freePort()}/parley` });
  let rounds = 0;
  const log = createLog({
    level: "warn",
    destination: { write: (line: string) => said.push(JSON.parse(line)) } as never,
  });
  const said: { msg: string; of?: string }[] = [];
  const dialer = createTestDialer(app, () => COMPLETED, {
    db: away.db,
    log,
    clock: {
      ...app.clock,
      now() {
        rounds++;
        return app.clock.now();
      },
    },
  });
  dialer.start();
  // The clock is read for each of three kinds of work.
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(12), WAITING);
  await dialer.stop();
  await away.close();
  expect(said.map(({ msg, of }) => [msg, of]).sort()).toEqual([
    ["could not claim work", "attempts"],
    ["numbers could not be looked up ahead of their calls", undefined],
    ["the fate of attempts could not be found out", undefined],
  ]);
});

/** An attempt that a process has claimed, and its leases. */
async function claimed() {
  await one();
  const leases = attemptLeases({ ...app, owner: "slow" });
  const said = leases.moment();
  const limits = { per_source: 20, per_organization: 100, kept_for_callers: 0.3 };
  const { destinations } = app.config;
  const parts = { db: app.db, clock: app.clock, log: app.log, owner: "slow", limits, destinations };
  const { attempts } = await claimDue(parts, 10);
  const key = attempts[0]?.outreach.key as string;
  leases.hold(key, said);
  return { leases, key };
}
