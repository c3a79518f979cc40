import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Egress } from "../../../src/egress/egress.ts";
import { claimDeliveries } from "../../../src/webhooks/delivery-claim.ts";
import { FIRST_ROOM, MOST_TO_ONE } from "../../../src/webhooks/delivery-gate.ts";
import { LEASE_ms } from "../../../src/webhooks/delivery-loop.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createTelling, routesTo } from "../../harness/webhooks.ts";

/** One hung receiver with a long backlog beside many good ones: what it may hold, and that it holds up nobody. */
const BACKLOG = 2_000;
const OTHERS = 25;
const EACH = 20;
/** A delivery that hangs hangs to the end of its test. */
const NEVER_ms = 600_000;

let app: TestApp;
let telling: Awaited<ReturnType<typeof createTelling>>;
let good: Peer;
let hung: Peer;
let egress: Egress;
/** The older messages are those of the hung one. */
let hungHook: number;
let people: Awaited<ReturnType<typeof telling.addPeople>>;
beforeAll(async () => {
  app = await createTestApp();
  telling = await createTelling(app);
  [good, hung] = [await createPeer(), await createPeer()];
  egress = routesTo({ "good.example": good, "hung.example": hung });
  const campaign = await telling.createCampaign([{ url: "https://hung.example/" }]);
  hungHook = campaign.webhooks[0]!.id;
  people = await telling.addPeople(campaign, BACKLOG);
  return () => egress.close();
});

beforeEach(async () => {
  app.clock.set(START);
  for (const table of ["webhook_outbox", "webhook_deliveries"] as const)
    await app.db.deleteFrom(table).execute();
  good.requests.length = 0;
  hung.requests.length = 0;
  good.respond((_, response) => json(response, 200, {}));
  hung.respond(() => {});
});

const tellHung = (from: number, to: number) =>
  telling.tell(...people.slice(from, to).map((person) => telling.change(person, "COMPLETED")));

async function tellOthers() {
  const campaign = await telling.createCampaign(
    Array.from({ length: OTHERS }, (_, n) => ({ url: `https://good.example/${n}` })),
  );
  const told = await telling.addPeople(campaign, EACH);
  app.clock.advance(1);
  await telling.tell(...told.map((person) => telling.change(person, "COMPLETED")));
}

describe("a claim", () => {
  const claim = (rooms: { webhook_id: number; room: number }[], most: number) =>
    claimDeliveries(app.db, {
      owner: "me",
      now: app.clock.now(),
      lease_until: new Date(app.clock.now().getTime() + LEASE_ms),
      rooms,
      most,
    });
  const counts = (claimed: { webhook_id: number }[]) => {
    const ofHung = claimed.filter(({ webhook_id }) => webhook_id === hungHook).length;
    return { ofHung, ofOthers: claimed.length - ofHung };
  };

  test("takes nothing of a webhook that has no room, and all there is of the others, however much of it is older", async () => {
    await tellHung(0, BACKLOG);
    await tellOthers();
    const first = await claim([{ webhook_id: hungHook, room: 0 }], OTHERS * FIRST_ROOM);
    expect(counts(first)).toEqual({ ofHung: 0, ofOthers: OTHERS * FIRST_ROOM });
    const heard = new Set(first.map(({ webhook_id }) => webhook_id));
    const roomy = [...heard].map((webhook_id) => ({ webhook_id, room: MOST_TO_ONE }));
    const rest = await claim([{ webhook_id: hungHook, room: 0 }, ...roomy], BACKLOG);
    expect(counts(rest)).toEqual({ ofHung: 0, ofOthers: OTHERS * (EACH - FIRST_ROOM) });
    expect(await claim([{ webhook_id: hungHook, room: 0 }], BACKLOG)).toEqual([]);
  });

  test("takes of a webhook no more than its room, so the rest of the claim is the others'", async () => {
    await tellHung(0, BACKLOG);
    await tellOthers();
    const claimed = await claim([{ webhook_id: hungHook, room: 3 }], 3 + OTHERS * FIRST_ROOM);
    expect(counts(claimed)).toEqual({ ofHung: 3, ofOthers: OTHERS * FIRST_ROOM });
  });

  test("of a webhook that was not heard of takes a few", async () => {
    await tellHung(0, BACKLOG);
    expect(await claim([], BACKLOG)).toHaveLength(FIRST_ROOM);
  });
});

test("everything for the others arrives while a new receiver hangs, which holds no more than a handful", async () => {
  await tellHung(0, BACKLOG);
  await tellOthers();
  const deliverer = telling.deliverer(egress, { timeout_ms: NEVER_ms });
  deliverer.start();
  onTestFinished(() => deliverer.stop());
  await expect.poll(() => good.requests.length).toBe(OTHERS * EACH);
  expect(hung.requests.length).toBe(FIRST_ROOM);
});

test("one that was quick before it hung holds its most and no more, and the others still get everything", async () => {
  hung.respond((_, response) => json(response, 200, {}));
  await tellHung(0, 500);
  const deliverer = telling.deliverer(egress, { timeout_ms: NEVER_ms });
  await deliverer.drain();
  expect(hung.requests.length).toBe(500);

  hung.requests.length = 0;
  hung.respond(() => {});
  await tellHung(500, BACKLOG);
  await tellOthers();
  deliverer.start();
  onTestFinished(() => deliverer.stop());
  await expect.poll(() => good.requests.length).toBe(OTHERS * EACH);
  await expect.poll(() => hung.requests.length).toBe(MOST_TO_ONE);
});

test("twenty that hang at once, and would take more places than there are, hold up nobody for longer than a moment", async () => {
  const receivers = 20;
  const campaign = await telling.createCampaign(
    Array.from({ length: receivers }, (_, n) => ({ url: `https://hung.example/${n}` })),
  );
  const told = await telling.addPeople(campaign, 2 * MOST_TO_ONE);
  const tell = (from: number, to: number) =>
    telling.tell(...told.slice(from, to).map((person) => telling.change(person, "COMPLETED")));
  hung.respond((_, response) => json(response, 200, {}));
  await tell(0, MOST_TO_ONE);
  const deliverer = telling.deliverer(egress, { timeout_ms: NEVER_ms });
  await deliverer.drain();

  hung.requests.length = 0;
  hung.respond(() => {});
  await tell(MOST_TO_ONE, 2 * MOST_TO_ONE);
  await tellOthers();
  deliverer.start();
  onTestFinished(() => deliverer.stop());
  await expect.poll(() => good.requests.length).toBe(OTHERS * EACH);
  // Of these no more than one host's connections are on the wire.
  const held = async () => {
    const [row] = (
      await app.database.pool.query(
        "select count(*)::int as n from webhook_outbox where lease_owner is not null",
      )
    ).rows;
    return row.n;
  };
  await expect.poll(held).toBe(receivers * MOST_TO_ONE);
});

test("once five messages in a row met no answer it is left alone, with nothing under way, and then asked with one", async () => {
  await tellHung(0, 100);
  // Long enough for each request to come to the receiver, however slow the machine.
  const deliverer = telling.deliverer(egress, { timeout_ms: 2_000 });
  await deliverer.drain();
  const before = hung.requests.length;
  expect(before).toBeLessThan(15);
  expect(await deliverer.drain()).toBe(0);
  app.clock.advance(31_000);
  await deliverer.drain();
  expect(hung.requests.length).toBe(before + 1);
});

test("a fault of ours while sending costs a webhook none of its places: it is sent to when the lease ends", async () => {
  await tellHung(0, FIRST_ROOM * 2);
  hung.respond((_, response) => json(response, 200, {}));
  let faults = 0;
  const faulty: Egress = {
    ...egress,
    send: (request) => (faults++ < FIRST_ROOM ? Promise.reject(new Error("a fault")) : egress.send(request)),
  };
  const deliverer = telling.deliverer(faulty);
  await deliverer.drain();
  app.clock.advance(LEASE_ms);
  await deliverer.drain();
  expect(new Set(hung.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(FIRST_ROOM * 2);
});
