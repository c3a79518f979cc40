import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request, SOURCE } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  await createSender(app, app.admin, { target: SOURCE, mode: "sms" });
});
beforeEach(() => dialing.forget());

const ANN = "+15125587001";
const BOB = "+15125587002";
const FAST = { hourly_rate: 3600 };
const live = async (target: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from attempts where target = ${target} and state <> 'ENDED'`.execute(app.db);
  return rows[0]?.n ?? 0;
};

test("a number that several campaigns and batches hold rings once at a time, whichever processes dial", async () => {
  for (let i = 0; i < 3; i++) await dialing.filled([ANN], FAST);
  const { campaign_id } = await dialing.filled([ANN], FAST);
  const { batch_id } = await dialing.outbound.createBatch({ campaign_id });
  await dialing.outbound.add(batch_id, [request("another-reference", ANN)]);
  const dialers = [1, 2, 3].map(() => createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] })));
  const handed = () => dialers.flatMap(({ world }) => world.handed).length;
  for (let call = 1; call <= 5; call++) {
    for (let second = 0; second < 3; second++) {
      await Promise.all(dialers.map((dialer) => dialer.tick()));
      expect(await live(ANN)).toBe(1);
      app.clock.advance(1_000);
    }
    expect(handed()).toBe(call);
    for (const dialer of dialers) await dialer.settle();
  }
});

test("one of two batches looked at in the same moment waits, and who stands behind has their turn", async () => {
  const first = await dialing.filled([ANN], FAST);
  const second = await dialing.filled([ANN, BOB], FAST);
  const dialer = createTestDialer(app, () => ({ tells: [] }));
  await dialer.pass(0.1, 1_000);
  expect(dialer.world.handed.map(({ target }) => target)).toEqual([ANN, BOB]);
  expect(await dialing.shown(first.batch_id)).toEqual(["INITIATED QUEUED 1"]);
  expect(await dialing.shown(second.batch_id)).toEqual(["PENDING PENDING 0", "INITIATED QUEUED 1"]);
});

test("the later one says what it waits for, in its trace and on the board", async () => {
  await dialing.filled([ANN], FAST);
  const dialer = createTestDialer(app, () => ({ tells: [] }));
  await dialer.tick();
  const { batch_id, campaign_id } = await dialing.filled([ANN], FAST);
  await dialer.tick();
  const trace = await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`);
  const text = "Waiting: another attempt to the same person is under way.";
  expect(trace.body.next_step).toEqual({ kind: "waiting", reason: "same-address", text, until: null });
  const board = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  expect(board.body.batches[0].next_step.reason).toBe("same-address");
});

test("a message holds its address until its carrier has it, and no longer", async () => {
  await dialing.filled([ANN], { ...FAST, mode: "sms" });
  const dialer = createTestDialer(app, () => ({ first: "SENT" }));
  await dialer.tick();
  const { batch_id } = await dialing.filled([ANN], FAST);
  await dialer.tick();
  expect((await dialing.shown(batch_id))[0]).toMatch(/ 1$/);
});

test("the database itself refuses a second call to a number, under whatever reference", async () => {
  await dialing.filled([ANN], FAST);
  await createTestDialer(app, () => ({ tells: [] })).tick();
  const again = sql`
    insert into attempts select (json_populate_record(a, '{"key": "planted", "reference_id": "other", "campaign_id": 0}')).*
    from attempts a where target = ${ANN}`.execute(app.db);
  await expect(again).rejects.toThrow("attempts_live_address");
});

test("a call that turns up late is no attempt beside the one that was made from another campaign meanwhile", async () => {
  const first = await dialing.filled([ANN], FAST);
  const dialer = createTestDialer(app, (_, tries) => (tries === 0 ? { send: "unknown" } : { tells: [] }));
  await dialer.tick();
  const [late] = await app.db.selectFrom("attempts").select("key").execute();
  await dialing.outbound.put(first.batch_id, { paused: true });
  await dialing.filled([ANN], FAST);
  await dialer.pass(1, 5_000);
  expect(await live(ANN)).toBe(1);
  const sid = `sid-${late?.key}`;
  const told = { status: "IN-PROGRESS", word: "in-progress", error_code: null, is_transient: null } as const;
  await dialer.attempts.signal([{ key: late?.key ?? "", sid, ...told, at: app.clock.now() }]);
  expect(await live(ANN)).toBe(1);
  expect(await dialing.shown(first.batch_id)).toEqual(["PENDING PENDING 0"]);
});
