import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { takeLease } from "../../src/sessions/lease.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type Send, type TestApp } from "../harness/app.ts";
import { createPeer, json } from "../harness/peer.ts";
import { createTelling, routesTo } from "../harness/webhooks.ts";

/*
 * Searches that take long: lists of exports, of which a lock on their table makes as slow a statement as one likes. One
 * after the other would take minutes here; whatever goes on meanwhile does so without their connections.
 */
const LIST = "/api/v1/takeouts/";

/** Nobody can read the list until what this resolves with is called. */
async function makeSlow(app: TestApp): Promise<() => Promise<void>> {
  const client = await app.database.pool.connect();
  await client.query("begin");
  await client.query("lock table takeouts in access exclusive mode");
  let isSlow = true;
  const end = async () => {
    if (!isSlow) return;
    isSlow = false;
    await client.query("rollback");
    client.release();
  };
  onTestFinished(end);
  return end;
}

const lists = (send: Send, count: number) => Array.from({ length: count }, () => send("GET", LIST));

const waitingForLock = async (app: TestApp): Promise<number> =>
  (
    await app.database.pool.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%takeouts%'`,
    )
  ).rowCount ?? 0;

describe("while searches hold every reading connection", () => {
  let app: TestApp;
  let neighbour: Send;
  let chat: (text: string) => Promise<{ status: number; body: { events: { text: string }[] } }>;
  beforeAll(async () => {
    app = await createTestApp({ DATABASE_READING_CONNECTIONS: "4", DATABASE_READING_TIMEOUT: "600" });
    neighbour = (await app.createNeighbour()).send;
    const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
    const stranger = app.sendAs(null);
    const { body } = await stranger("POST", "/chat/v1/sessions", { client_id: target });
    chat = (text) =>
      stranger("POST", `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, { text });
  });

  test("chats, readiness, webhooks, leases and changes go on, and the lists answer when they can", async () => {
    const telling = await createTelling(app);
    const receiver = await createPeer();
    receiver.respond((_, response) => json(response, 200, {}));
    const egress = routesTo({ "receiver.example": receiver });
    onTestFinished(() => egress.close());
    const campaign = await telling.createCampaign([{ url: "https://receiver.example/" }]);
    const people = await telling.addPeople(campaign, 1);
    const deliverer = telling.deliverer(egress);

    const end = await makeSlow(app);
    const searches = [...lists(app.send, 30), ...lists(neighbour, 30)];
    // Two of the four are the first one's at the most, and one of the rest the other's.
    await expect.poll(() => waitingForLock(app)).toBe(3);

    expect((await chat("hello")).body.events.map(({ text }) => text)).toEqual(["Noted."]);
    expect(await app.sendAs(null)("GET", "/readyz")).toMatchObject({ status: 200 });
    expect((await app.send("POST", "/api/v1/services/", { name: "New", description: "" })).status).toBe(200);
    const [session] = await app.db.selectFrom("sessions").select("id").execute();
    const { session: leased } = await takeLease(app.engine, session?.id ?? 0);
    const renewed = await app.db
      .updateTable("sessions")
      .set({ lease_expires_at: app.clock.now().toISOString() })
      .where("lease_owner", "=", leased.lease)
      .executeTakeFirst();
    expect(renewed.numUpdatedRows).toBe(1n);
    await telling.tell(...people.map((person) => telling.change(person, "COMPLETED")));
    deliverer.start();
    onTestFinished(() => deliverer.stop());
    await expect.poll(() => receiver.requests.length).toBe(1);
    await app.dialer.tick();

    expect(await waitingForLock(app)).toBe(3);
    await end();
    expect(new Set((await Promise.all(searches)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("one organization's searches leave a place for another's", async () => {
    const end = await makeSlow(app);
    const searches = lists(app.send, 30);
    await expect.poll(() => waitingForLock(app)).toBe(2);
    expect((await neighbour("GET", "/api/v1/services/")).status).toBe(200);
    expect(await waitingForLock(app)).toBe(2);
    await end();
    await Promise.all(searches);
  });

  test("what was just written is in the next list", async () => {
    const made = await app.send("POST", "/api/v1/services/", { name: "Just now", description: "" });
    const listed = await app.send("GET", "/api/v1/services/");
    expect(listed.body.items.map(({ id }: { id: number }) => id)).toContain(made.body.id);
  });
});

test("a search that takes too long is refused with advice, and so is one that found no connection", async () => {
  const app = await createTestApp({ DATABASE_READING_CONNECTIONS: "2", DATABASE_READING_TIMEOUT: "1" });
  const end = await makeSlow(app);
  expect(await app.send("GET", LIST)).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/would take too long.*start_datetime.*exact id/s) },
  });
  const crowd = await Promise.all(lists(app.send, 5));
  expect(crowd.find(({ status }) => status !== 400)).toMatchObject({
    status: 429,
    headers: { "retry-after": "5" },
    body: { detail: expect.stringMatching(/Too many lists.*again/s) },
  });
  await end();
  await expect.poll(async () => (await app.send("GET", LIST)).status).toBe(200);
});
