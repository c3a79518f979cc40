import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

const RULE = "/api/v1/outbound/confirmation";
const urlOf = (batch_id: string) => `/api/v1/outbound/batches/${batch_id}/confirmation`;
const rule = (above: number | null) => app.send("PUT", RULE, { above });
const confirmationOf = async (batch_id: string) => (await app.send("GET", urlOf(batch_id))).body;
const confirm = (batch_id: string, people: number) => app.send("POST", urlOf(batch_id), { people });
const FAST = { hourly_rate: 3600, retry_count: 0 };

test("a batch above the rule contacts nobody until somebody confirms just as many people as it has", async () => {
  await rule(3);
  const { batch_id, campaign_id } = await dialing.filled(4, FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.pass(0.5, 1_000);
  expect(dialer.world.handed).toEqual([]);
  expect(await confirmationOf(batch_id)).toEqual({
    is_needed: true,
    people: 4,
    above: 3,
    confirmed_people: null,
    confirmed_by: null,
    confirmed_at: null,
  });
  const board = (await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`)).body;
  expect(board.batches[0].next_step).toMatchObject({
    reason: "confirmation",
    text: "Waiting: the batch has 4 people, and more than 3 need a confirmation.",
  });

  expect(await confirm(batch_id, 5)).toMatchObject({
    status: 409,
    body: { detail: "The batch has 4 people now." },
  });
  expect(await confirm(batch_id, 4)).toMatchObject({
    status: 200,
    body: { is_needed: false, confirmed_people: 4, confirmed_by: "admin@example.com" },
  });
  await dialer.pass(0.5, 1_000);
  expect(dialer.world.handed).toHaveLength(4);

  // Three more may be added; the fourth asks again.
  await dialing.outbound.add(
    batch_id,
    [1, 2, 3].map((n) => request(`more-${n}`, dialing.person())),
  );
  await dialer.pass(0.5, 1_000);
  expect(dialer.world.handed).toHaveLength(7);
  await dialing.outbound.add(batch_id, [request("one too many", dialing.person())]);
  await dialer.pass(0.5, 1_000);
  expect(dialer.world.handed).toHaveLength(7);
  expect(await confirmationOf(batch_id)).toMatchObject({ is_needed: true, people: 8 });
  await confirm(batch_id, 8);
  await dialer.pass(0.5, 1_000);
  expect(dialer.world.handed).toHaveLength(8);
});

test("a batch that runs goes on when the rule is introduced, and one that waits starts when it is lifted", async () => {
  await rule(null);
  const running = await dialing.filled(6, FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  app.clock.advance(1_000);
  await dialer.tick();
  await dialer.settle();
  await rule(2);
  const waiting = await dialing.filled(3, FAST);
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(6);
  expect(await confirmationOf(running.batch_id)).toMatchObject({ is_needed: false, confirmed_people: 6 });
  expect(await confirmationOf(waiting.batch_id)).toMatchObject({ is_needed: true });
  await rule(null);
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(9);
});

test("duplicates and invalid numbers are no people, and a neighbour's rule holds for the neighbour", async () => {
  await rule(2);
  const { batch_id } = await dialing.filled(2, FAST);
  await dialing.outbound.add(batch_id, [request("bad", "12")]);
  expect(await confirmationOf(batch_id)).toMatchObject({ is_needed: false, people: 2 });
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", RULE)).body).toEqual({ above: null });
  expect((await neighbour.send("GET", urlOf(batch_id))).status).toBe(404);
  expect((await neighbour.send("POST", urlOf(batch_id), { people: 2 })).status).toBe(404);
  for (const above of [0, 1.5, "many"]) expect((await rule(above as number)).status).toBe(422);
});
