import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { hangUpRinging } from "../../../src/dialing/hang-up-ringing.ts";
import { attemptLeases } from "../../../src/dialing/leases.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  await dialing.forget();
  await resume();
});

const ANN = "+15125588001";
const BOB = "+15125588002";
const FAST = { hourly_rate: 3600 };
const stop = () => app.send("POST", "/api/v1/outbound/stop");
const resume = () => app.send("POST", "/api/v1/outbound/resume");
const started = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from attempts`.execute(app.db);
  return rows[0]?.n ?? 0;
};
const hangUp = ({ world }: ReturnType<typeof createTestDialer>) =>
  hangUpRinging({ ...app, senders: world.senders }, app.admin.organization_id);
const nextOf = async (batch_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body.next_step;

test("once a stop is answered no process starts an attempt, whenever it comes between their claims", async () => {
  const dialers = [1, 2].map(() => createTestDialer(app, () => ({ tells: ["COMPLETED"] })));
  const round = async () => {
    app.clock.advance(1_000);
    await Promise.all(dialers.map((dialer) => dialer.tick()));
    for (const dialer of dialers) await dialer.settle();
  };
  for (let batch = 0; batch < 8; batch++) await dialing.filled(rounds(12) * 6, FAST);
  for (let n = 0; n < rounds(12); n++) {
    await round();
    const before = await started();
    const [, at_stop] = await Promise.all([round(), stop().then(started)]);
    const handed = dialers.flatMap(({ world }) => world.handed).length;
    await round();
    await round();
    expect(await started()).toBe(at_stop);
    expect(dialers.flatMap(({ world }) => world.handed)).toHaveLength(handed);
    await resume();
    await round();
    expect(await started()).toBeGreaterThan(before);
  }
});

test("resuming goes on with what ran, and what was paused before stays paused", async () => {
  const running = await dialing.filled(2, FAST);
  const paused = await dialing.filled(2, FAST, { paused: true });
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  expect((await stop()).body).toMatchObject({
    is_stopped: true,
    stopped_by: app.admin.email,
    ringing_calls: 0,
  });
  await dialer.pass(2);
  expect(dialer.world.handed).toEqual([]);
  expect(await nextOf(running.batch_id)).toMatchObject({
    reason: "stopped",
    text: expect.stringMatching(/^Waiting: .+ stopped all outreach of the organization at /),
  });
  expect(await nextOf(paused.batch_id)).toMatchObject({ reason: "batch-paused" });
  expect((await resume()).body).toMatchObject({ is_stopped: false, stopped_at: null });
  await dialer.tick();
  expect(dialer.world.handed).toHaveLength(1);
  await dialer.pass(1);
  expect(await dialing.shown(paused.batch_id)).toEqual(["PENDING PENDING 0", "PENDING PENDING 0"]);
});

test("calls that still ring are hung up and count as no attempt; a conversation goes on", async () => {
  const talking = await dialing.filled([ANN], FAST);
  const ringing = await dialing.filled([BOB], FAST);
  const dialer = createTestDialer(app, ({ target }, tries) => ({
    tells: target === ANN ? ["IN-PROGRESS"] : tries > 0 ? ["COMPLETED"] : [],
  }));
  await dialer.tick();
  await dialer.settle();
  expect((await stop()).body.ringing_calls).toBe(1);
  await hangUp(dialer);
  expect(dialer.world.canceled).toHaveLength(1);
  await dialer.settle();
  // The carrier says it twice.
  await hangUp(dialer);
  expect(await dialing.shown(ringing.batch_id)).toEqual(["PENDING PENDING 0"]);
  expect(await dialing.shown(talking.batch_id)).toEqual(["CONNECTED IN-PROGRESS 1"]);
  const trace = await app.send("GET", `${BATCHES}/${ringing.batch_id}/requests/p0/trace`);
  expect(trace.body.attempts.map(({ text }: { text: string }) => text)).toEqual([
    "Attempt 1 was hung up while it rang, because all outreach was stopped, and does not count.",
  ]);
  await resume();
  await dialer.pass(2);
  expect(await dialing.shown(ringing.batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
});

test("a call that its carrier could not be asked about, or that is being handed over, is hung up later", async () => {
  await dialing.filled([BOB], FAST);
  const dialer = createTestDialer(app, () => ({}));
  await dialer.tick();
  await stop();
  dialer.world.setDown(true);
  expect(await hangUp(dialer)).toBe(true);
  dialer.world.setDown(false);
  await sql`update attempts set sid = null, state = 'CLAIMED', channel_status = 'PENDING'`.execute(app.db);
  expect(await hangUp(dialer)).toBe(true);
  expect(dialer.world.canceled).toEqual([]);
  await sql`update attempts set sid = 'sid-' || key, state = 'PLACED', channel_status = 'QUEUED'`.execute(
    app.db,
  );
  expect(await hangUp(dialer)).toBe(false);
  expect(dialer.world.canceled).toHaveLength(1);
});

test("an attempt that is still being prepared at the stop is not handed over a lease later", async () => {
  await dialing.filled([ANN], FAST);
  const dialer = createTestDialer(app, () => ({}), { owner: "prepares" });
  await dialer.tick();
  await sql`update attempts set state = 'CLAIMED'`.execute(app.db);
  const [attempt] = await app.db.selectFrom("attempts").select("key").execute();
  const key = attempt?.key ?? "";
  const leases = attemptLeases({ ...app, owner: "prepares" });
  leases.hold(key, { running_ms: performance.now() - 2_500, at: app.clock.now() });
  expect(await leases.stillHolds(key, 2_000)).toBe(true);
  leases.hold(key, { running_ms: performance.now() - 2_500, at: app.clock.now() });
  await stop();
  expect(await leases.stillHolds(key, 2_000)).toBe(false);
  leases.stop();
});

test("a stop holds one organization, all its sub-organizations are told, and another's campaigns go on", async () => {
  const neighbour = await app.createNeighbour();
  await dialing.filled(1, FAST);
  const { body } = await neighbour.send("POST", "/api/v1/outbound/stop");
  expect(body).toMatchObject({ is_stopped: true, stopped_by: neighbour.caller.email });
  expect((await app.send("GET", "/api/v1/outbound/stop")).body).toMatchObject({ is_stopped: false });
  const dialer = createTestDialer(app, () => ({}));
  await dialer.tick();
  expect(dialer.world.handed).toHaveLength(1);
  const { body: events } = await neighbour.send("GET", "/api/v1/events/?type=outreach-stopped");
  expect(events.items.map(({ description }: { description: string }) => description)).toEqual([
    `${neighbour.caller.email} stopped all outreach of the organization`,
  ]);
});

test("a stop and a resume that come twice are told once", async () => {
  const { send, caller } = await app.createNeighbour();
  const told = async () =>
    (await send("GET", "/api/v1/events/?search_fields=type&search_field_values=outreach-")).body.items.map(
      ({ type }: { type: string }) => type,
    );
  await send("POST", "/api/v1/outbound/resume");
  for (const action of ["stop", "stop", "resume", "resume"]) {
    const { body } = await send("POST", `/api/v1/outbound/${action}`);
    expect(body.stopped_by).toBe(action === "stop" ? caller.email : null);
  }
  expect((await told()).toSorted()).toEqual(["outreach-resumed", "outreach-stopped"]);
});

test("who may only read campaigns sees the stop and can neither make nor end it", async () => {
  const reader = app.sendAs(await app.createToken(["outbound_read"]));
  expect((await reader("GET", "/api/v1/outbound/stop")).status).toBe(200);
  expect((await reader("POST", "/api/v1/outbound/stop")).status).toBe(403);
  expect((await reader("POST", "/api/v1/outbound/resume")).status).toBe(403);
});
