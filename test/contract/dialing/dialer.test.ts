import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lockCampaign } from "../../../src/campaigns/campaign-store.ts";
import { suppress } from "../../../src/consent/suppression.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { type Plan, word } from "../../harness/planned-sender.ts";

let app: TestApp;
let dialing: Dialing;
let outbound: Dialing["outbound"];
let filled: Dialing["filled"];
let shown: Dialing["shown"];
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  ({ outbound, filled, shown } = dialing);
});
beforeEach(() => dialing.forget());

type Result = { attempt_count: number; sent_at: string | null };
const results = async (batch_id: string): Promise<Result[]> => (await outbound.results(batch_id)).body;
const attemptsOf = (campaign_id: number) =>
  app.db
    .selectFrom("attempts")
    .selectAll()
    .where("campaign_id", "=", campaign_id)
    .orderBy("started_at")
    .orderBy("key")
    .execute();

const ANSWERED: Plan = { tells: ["IN-PROGRESS", "COMPLETED"] };

describe("pace", () => {
  test("a batch starts one attempt an interval, and the request ends as the carrier tells", async () => {
    const { batch_id } = await filled(2);
    const dialer = createTestDialer(app, () => ANSWERED);
    expect(await dialer.tick()).toMatchObject({ claimed: 1 });
    expect(await shown(batch_id)).toEqual(["INITIATED QUEUED 1", "PENDING PENDING 0"]);
    await dialer.settle();
    app.clock.advance(59_999);
    expect(await dialer.tick()).toMatchObject({ claimed: 0 });
    app.clock.advance(1);
    expect(await dialer.tick()).toMatchObject({ claimed: 1 });
    await dialer.settle();
    expect(await shown(batch_id)).toEqual(["COMPLETED COMPLETED 1", "COMPLETED COMPLETED 1"]);
    expect((await results(batch_id))[0]?.sent_at).not.toBeNull();
  });

  test("a list is reached from its top, however its rows lie in the database", async () => {
    const { batch_id } = await filled(5);
    const { rows } = await sql<{ id: number }>`
      select r.id from requests r join batches b on b.key = r.batch_key where b.batch_id = ${batch_id}
      order by r.id desc`.execute(app.db);
    // An update of what is indexed writes a row anew, behind the others.
    for (const by of ["1 s", "-1 s"]) {
      for (const { id } of rows)
        await sql`update requests set due_at = due_at + ${by}::interval where id = ${id}`.execute(app.db);
    }
    const dialer = createTestDialer(app, () => ANSWERED);
    for (let reached = 1; reached <= 5; reached++) {
      await dialer.pass(1);
      const still = 5 - reached;
      expect(await shown(batch_id)).toEqual([
        ...Array(reached).fill("COMPLETED COMPLETED 1"),
        ...Array(still).fill("PENDING PENDING 0"),
      ]);
    }
  });

  test("an outage of ten minutes is not caught up", async () => {
    await filled(30);
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.tick();
    app.clock.advance(600_000);
    const before = dialer.world.handed.length;
    await dialer.tick();
    await dialer.tick();
    expect(dialer.world.handed.length - before).toBe(1);
  });

  test("a batch's own rate goes over the campaign's, and a new one holds at once", async () => {
    const { batch_id } = await filled(10, {}, { call_rate: 3600 });
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.pass(0.05, 1000);
    expect(dialer.world.handed).toHaveLength(3);
    await outbound.put(batch_id, { call_rate: 1800 });
    await dialer.pass(0.1, 1000);
    expect(dialer.world.handed).toHaveLength(6);
  });

  test("what is left is spread over the open hours before a batch expires", async () => {
    const expires_on = new Date(app.clock.now().getTime() + 2 * 3600_000).toISOString();
    const { batch_id } = await filled(240, {}, { expires_on, auto_call_rate: true });
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.tick();
    expect((await outbound.get(batch_id)).body.auto_call_rate_baseline).toBeCloseTo(120, 3);
    await dialer.pass(10, 10_000);
    expect(dialer.world.handed.length).toBeGreaterThanOrEqual(20);
    expect(dialer.world.handed.length).toBeLessThanOrEqual(22);
  });

  test("two dialers at once start no more than one", async () => {
    const { batch_id } = await filled(50, {}, { call_rate: 3600 });
    const [one, two] = [createTestDialer(app, () => ANSWERED), createTestDialer(app, () => ANSWERED)];
    for (let second = 0; second < 20; second++) {
      await Promise.all([one.tick(), two.tick()]);
      app.clock.advance(1000);
    }
    expect(one.world.handed.length + two.world.handed.length).toBe(20);
    expect((await results(batch_id)).filter((r) => r.attempt_count === 1)).toHaveLength(20);
  });

  test("a clock that was two hours ahead and is set back does not stop a batch for two hours", async () => {
    await filled(5);
    const dialer = createTestDialer(app, () => ANSWERED);
    app.clock.advance(2 * 3600_000);
    await dialer.tick();
    app.clock.advance(-2 * 3600_000);
    await dialer.pass(3);
    expect(dialer.world.handed.length).toBeGreaterThanOrEqual(3);
    expect(dialer.world.handed.length).toBeLessThanOrEqual(4);
  });
});

describe("the window", () => {
  test("nobody is tried before it opens, and the first one when it does", async () => {
    app.clock.set("2026-11-18T12:00:00Z");
    // 09:00 in New York is 14:00 UTC.
    await filled(2, { daily_start_time: "09:00", daily_end_time: "17:00" });
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.pass(119);
    expect(dialer.world.handed).toHaveLength(0);
    await dialer.pass(1);
    expect(dialer.world.handed).toHaveLength(1);
  });

  test("a campaign that is edited to open is looked at at once", async () => {
    const { campaign_id } = await filled(1, { active_days: [] });
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.tick();
    const { body } = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}`);
    const active_days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}`, {
      ...body,
      webhooks: [],
      active_days,
    });
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(1);
  });

  test("a campaign that is being edited holds up no attempt, not even the first of its day", async () => {
    const { campaign_id } = await filled(1);
    const dialer = createTestDialer(app, () => ANSWERED);
    await app.db.transaction().execute(async (tx) => {
      await lockCampaign(tx, app.admin, campaign_id);
      await dialer.tick();
      expect(dialer.world.handed).toHaveLength(1);
    });
  });

  test("a paused batch starts no attempt, and goes on when it is resumed", async () => {
    const { batch_id } = await filled(2);
    const dialer = createTestDialer(app, () => ANSWERED);
    await outbound.put(batch_id, { paused: true });
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(0);
    await outbound.put(batch_id, { paused: false });
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(1);
  });

  test("a batch that has expired starts none, before anybody has canceled its requests", async () => {
    const expires_on = new Date(app.clock.now().getTime() + 90_000).toISOString();
    await filled(5, {}, { expires_on });
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.tick();
    app.clock.advance(90_000);
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(1);
  });
});

describe("the cap of a day", () => {
  test("bounds first attempts across the batches of a campaign; retries go on past it", async () => {
    app.clock.set("2026-11-18T15:00:00Z");
    const campaign = { max_daily_calls: 3, retry_count: 1, retry_interval: "30m" };
    const { campaign_id } = await filled(4, campaign);
    const { batch_id } = await outbound.createBatch({ campaign_id });
    await outbound.add(
      batch_id,
      Array.from({ length: 4 }, (_, i) => request(`q${i}`, dialing.person())),
    );
    const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
    await dialer.pass(120);
    expect((await attemptsOf(campaign_id)).map((a) => a.attempt_number)).toEqual([1, 1, 1, 2, 2, 2]);
    // 05:00 UTC is midnight in New York.
    app.clock.set("2026-11-19T05:00:00Z");
    await dialer.pass(20);
    expect((await attemptsOf(campaign_id)).filter((a) => a.attempt_number === 1)).toHaveLength(6);
  });
});

describe("retries", () => {
  test("follow outcomes that may get better, after the interval, as often as the campaign says", async () => {
    const { batch_id, campaign_id } = await filled(1, { retry_count: 2, retry_interval: "10m" });
    const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }));
    await dialer.tick();
    await dialer.settle();
    expect(await shown(batch_id)).toEqual(["PENDING NO-ANSWER 1"]);
    await dialer.pass(60);
    expect(await shown(batch_id)).toEqual(["FAILED NO-ANSWER 3"]);
    const [first, second] = await attemptsOf(campaign_id);
    const gap_ms = Date.parse(second?.started_at ?? "") - Date.parse(first?.ended_at ?? "");
    expect(gap_ms).toBeGreaterThanOrEqual(600_000);
  });

  test("never follow a person who declined, or was reached", async () => {
    const { batch_id } = await filled(2, { retry_count: 5, retry_interval: "1m" });
    const dialer = createTestDialer(app, ({ target }) =>
      Number(target.slice(-4)) % 2 === 0
        ? { tells: ["DECLINED"] }
        : { tells: ["IN-PROGRESS", "HUMAN", "COMPLETED"] },
    );
    await dialer.pass(60);
    expect((await shown(batch_id)).toSorted()).toEqual(["COMPLETED COMPLETED 1", "FAILED DECLINED 1"]);
  });

  test("follow a machine on which nothing was left", async () => {
    const { batch_id } = await filled(1, { retry_count: 1, retry_interval: "1m" });
    const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "MACHINE", "COMPLETED"] }));
    await dialer.tick();
    await dialer.settle();
    expect(await shown(batch_id)).toEqual(["PENDING MACHINE 1"]);
    await dialer.pass(5);
    expect(await shown(batch_id)).toEqual(["COMPLETED COMPLETED 2"]);
  });

  test("go before first attempts that wait longer", async () => {
    const { batch_id } = await filled(10, { retry_count: 1, retry_interval: "1m" });
    const dialer = createTestDialer(app, () => ({ tells: ["BUSY"] }));
    await dialer.pass(3);
    expect((await shown(batch_id)).slice(0, 3)).toEqual([
      "FAILED BUSY 2",
      "PENDING BUSY 1",
      "PENDING PENDING 0",
    ]);
  });
});

describe("who must not be reached", () => {
  test("is skipped at send time, with the reason, and never handed to a carrier", async () => {
    const { batch_id } = await filled(2);
    const [first] = (await outbound.results(batch_id)).body;
    await app.db.transaction().execute((tx) =>
      suppress(
        tx,
        [
          {
            sub_organization_id: app.admin.sub_organization_id,
            address: first.target,
            scope: "all",
            reason: "unsubscribed",
            proof: { at: app.clock.now(), through: "text", said: "STOP", session_id: null, message_id: null },
          },
        ],
        app.clock.now(),
      ),
    );
    const dialer = createTestDialer(app, () => ANSWERED);
    await dialer.pass(3);
    expect(await shown(batch_id)).toEqual(["SKIPPED PRIOR_UNSUBSCRIBED 0", "COMPLETED COMPLETED 1"]);
    expect(dialer.world.handed.map(({ target }) => target)).not.toContain(first.target);
  });
});

describe("lines", () => {
  test("no more attempts run at once from a number than it may have", async () => {
    for (let i = 0; i < 5; i++) await filled(3);
    const limits = { per_source: 2, per_organization: 100, kept_for_callers: 0 };
    const dialer = createTestDialer(app, () => ({}), { limits });
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(2);
    const [{ outreach } = { outreach: { key: "" } }] = [...dialer.world.taken.values()];
    await dialer.attempts.signal([
      {
        key: outreach.key,
        sid: "s",
        status: "COMPLETED",
        word: "completed",
        error_code: null,
        is_transient: null,
        at: app.clock.now(),
      },
    ]);
    await dialer.pass(1);
    expect(dialer.world.handed).toHaveLength(3);
  });

  test("a share of the organization's stays free for people who call", async () => {
    for (let i = 0; i < 8; i++) await filled(1);
    const limits = { per_source: 100, per_organization: 10, kept_for_callers: 0.4 };
    const dialer = createTestDialer(app, () => ({}), { limits });
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(6);
  });

  test("a number from which nearly everything fails pauses, and one attempt tries whether it goes again", async () => {
    for (let i = 0; i < 8; i++) await filled(2);
    let isBroken = true;
    const dialer = createTestDialer(app, () => (isBroken ? { tells: ["FAILED"] } : ANSWERED), {
      limits: { per_source: 5, per_organization: 100, kept_for_callers: 0 },
    });
    await dialer.tick();
    await dialer.settle();
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(5);
    const told = await app.db
      .selectFrom("events")
      .select("description")
      .where("type", "=", "source-paused")
      .execute();
    expect(told).toHaveLength(1);
    isBroken = false;
    app.clock.advance(61_000);
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(6);
    await dialer.settle();
    await dialer.pass(0.5, 1000);
    expect(dialer.world.handed.length).toBeGreaterThan(6);
  });
});

describe("one live attempt", () => {
  test("a reference that is being reached from one batch is not reached from another", async () => {
    const { campaign_id } = await filled(1);
    const { batch_id } = await outbound.createBatch({ campaign_id });
    await outbound.add(batch_id, [request("p0", dialing.person())]);
    const dialer = createTestDialer(app, () => ({}));
    await dialer.pass(5);
    expect(dialer.world.handed).toHaveLength(1);
    // Once the first one is over, nothing else being due, the other batch has its turn.
    const [key] = [...dialer.world.taken.keys()] as [string];
    await dialer.attempts.signal([word(key, "NO-ANSWER", app.clock.now())]);
    await dialer.pass(1);
    expect(dialer.world.handed).toHaveLength(2);
  });

  test("a person who is being reached can't be reached a second time: the database itself refuses", async () => {
    const { campaign_id } = await filled(1);
    await createTestDialer(app, () => ({ tells: [] })).tick();
    expect(await attemptsOf(campaign_id)).toMatchObject([{ state: "PLACED" }]);
    const again = sql`
      insert into attempts
      select (json_populate_record(a, '{"key": "another", "attempt_number": 2}')).* from attempts a
      where campaign_id = ${campaign_id}`.execute(app.db);
    await expect(again).rejects.toMatchObject({ constraint: "attempts_live_reference" });
  });

  test("who was passed over, because somebody else had the row, has their turn soon after", async () => {
    await filled(1);
    const dialer = createTestDialer(app, () => ANSWERED);
    await app.db.transaction().execute(async (tx) => {
      await sql`select from requests where request_status = 'PENDING' for update`.execute(tx);
      await dialer.tick();
      expect(dialer.world.handed).toHaveLength(0);
    });
    app.clock.advance(1_000);
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(1);
  });

  test("a retry that is set while its batch is being looked at is not forgotten", async () => {
    const { batch_id } = await filled(1, { retry_count: 1, retry_interval: "1s" });
    const dialer = createTestDialer(app, () => ({}));
    await dialer.tick();
    const [key] = [...dialer.world.taken.keys()] as [string];
    app.clock.advance(60_000);
    let settling = Promise.resolve();
    await app.db.transaction().execute(async (tx) => {
      // A dialer that saw nobody wait, and is about to say that the batch may sleep.
      await sql`
        select from batch_pacing where batch_key = (select key from batches where batch_id = ${batch_id})
        for update`.execute(tx);
      settling = dialer.attempts.signal([word(key, "BUSY", app.clock.now())]);
      await expect.poll(() => waitsForALock()).toBe(true);
      await sql`update batch_pacing set wake_at = null`.execute(tx);
    });
    await settling;
    await dialer.pass(1, 1_000);
    expect(dialer.world.handed).toHaveLength(2);
  });
});

/** Whether a statement of this database stands still behind another's lock. */
async function waitsForALock(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db);
  return rows.length > 0;
}

describe("webhooks", () => {
  test("are told of requests that are skipped, canceled, taken out, and of every attempt's outcome, once each", async () => {
    const webhooks = [
      {
        url: "https://hooks.example/all",
        request_method: "POST",
        trigger_statuses: ["BUSY", "COMPLETED", "CANCELED", "QUEUED"],
      },
    ];
    const { campaign_id, batch_id } = await filled(4, { webhooks, retry_count: 1, retry_interval: "1m" });
    const dialer = createTestDialer(app, (_, tries) => ({ tells: tries === 0 ? ["BUSY"] : ["COMPLETED"] }));
    await dialer.tick();
    await dialer.settle();
    await dialer.pass(2);
    await app.send("POST", `/api/v1/outbound/batches/${batch_id}/remove-requests`, ["p3"]);
    await outbound.remove(batch_id);
    const told = await app.db
      .selectFrom("webhook_deliveries")
      .innerJoin("requests", (join) =>
        join
          .onRef("requests.batch_key", "=", "webhook_deliveries.batch_key")
          .onRef("requests.id", "=", "webhook_deliveries.request_id"),
      )
      .select(["reference_id", "webhook_deliveries.channel_manager_status as status"])
      .where("webhook_deliveries.campaign_id", "=", campaign_id)
      .orderBy("webhook_deliveries.key")
      .execute();
    const of = (reference: string) => told.filter((t) => t.reference_id === reference).map((t) => t.status);
    expect(of("p0")).toEqual(["QUEUED", "BUSY", "QUEUED", "COMPLETED"]);
    expect(of("p3")).toEqual(["CANCELED"]);
    expect(told.filter((t) => t.status === "CANCELED")).toHaveLength(3);
  });

  test("are told of requests as they come in, by one call or from a file", async () => {
    const webhooks = [
      {
        url: "https://hooks.example/in",
        request_method: "POST",
        trigger_statuses: ["DUPLICATE", "INVALID", "PENDING"],
      },
    ];
    const { campaign_id, batch_id } = await filled(0, { webhooks });
    const [one, two] = [dialing.person(), dialing.person()];
    await outbound.add(batch_id, [request("a", one), request("b", one), request("c", "0001")]);
    await outbound.upload(batch_id, `reference_id,target\nd,${two}\ne,${two}\n`);
    const told = await app.db
      .selectFrom("webhook_deliveries")
      .select("channel_manager_status as status")
      .where("campaign_id", "=", campaign_id)
      .orderBy("key")
      .execute();
    expect(told.map(({ status }) => status).toSorted()).toEqual([
      "DUPLICATE",
      "DUPLICATE",
      "INVALID",
      "PENDING",
      "PENDING",
    ]);
  });
});

describe("filters", () => {
  const mobile = {
    match: "all",
    on_unknown: "exclude",
    rules: [{ field: "line_type", op: "in", values: ["mobile"] }],
  };
  const account = { channel_id: 0, credentials: {} };
  const nothing = {
    mcc: null,
    mnc: null,
    error_code: null,
    caller_name: null,
    caller_type: null,
    carrier_name: null,
  };

  /** Numbers that end evenly are mobile ones. `of`: called for each channel whose carrier is to be asked. */
  function lookingUp(of: (channel: { id: number }) => Promise<void>) {
    const asked: string[] = [];
    const lookup = async (_: unknown, number: string) => {
      asked.push(number);
      const line_type = Number(number.at(-1)) % 2 === 0 ? "mobile" : "landline";
      return { facts: { ...nothing, line_type }, cost: 0.008 };
    };
    const carrier = { name: "planned", simulated: true, lookup: { lookup } };
    const carriers = {
      async of(channel: { id: number }) {
        await of(channel);
        return { account, carrier };
      },
    } as never;
    return { asked, carriers };
  }

  test("whose carrier can't be asked, as with credentials that nobody can read, hold up no other organization", async () => {
    const neighbour = await app.createNeighbour();
    const theirs = await createDialing({ ...app, send: neighbour.send, admin: neighbour.caller });
    await theirs.filled(2, { target_filters: mobile });
    app.clock.advance(1);
    const { batch_id } = await filled(2, { target_filters: mobile });
    const { asked, carriers } = lookingUp(async ({ id }) => {
      const channel = app.db.selectFrom("channels").select("organization_id").where("id", "=", id);
      const { organization_id } = await channel.executeTakeFirstOrThrow();
      if (organization_id === neighbour.caller.organization_id)
        throw new Error("sealed under a secret key that is not known here");
    });
    const dialer = createTestDialer(app, () => ANSWERED, { carriers });
    await dialer.pass(3);
    expect(asked).toHaveLength(2);
    expect((await shown(batch_id)).toSorted()).toEqual([
      "COMPLETED COMPLETED 1",
      "SKIPPED FILTERED_LINE_TYPE 0",
    ]);
  });

  test("ask the carrier ahead what they need to know, skip who fails them and reach the others", async () => {
    const { asked, carriers } = lookingUp(async () => {});
    const { batch_id } = await filled(4, { target_filters: mobile });
    const dialer = createTestDialer(app, () => ANSWERED, { carriers });
    await dialer.pass(5);
    expect(asked).toHaveLength(4);
    expect((await shown(batch_id)).toSorted()).toEqual([
      "COMPLETED COMPLETED 1",
      "COMPLETED COMPLETED 1",
      "SKIPPED FILTERED_LINE_TYPE 0",
      "SKIPPED FILTERED_LINE_TYPE 0",
    ]);
  });
});
