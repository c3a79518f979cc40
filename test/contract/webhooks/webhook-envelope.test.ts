import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Egress } from "../../../src/egress/egress.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createTelling, routesTo, secretOf } from "../../harness/webhooks.ts";

let app: TestApp;
let telling: Awaited<ReturnType<typeof createTelling>>;
let peer: Peer;
let egress: Egress;
beforeAll(async () => {
  app = await createTestApp();
  telling = await createTelling(app);
  peer = await createPeer();
  egress = routesTo({ "good.example": peer });
  return () => egress.close();
});
beforeEach(async () => {
  app.clock.set(START);
  await app.db.deleteFrom("webhook_outbox").execute();
  peer.requests.length = 0;
  peer.respond((_, response) => json(response, 200, {}));
});

const HOOK = { url: "https://good.example/hook" };
const drain = () => telling.deliverer(egress).drain();
const bodies = () => peer.requests.map(({ body }) => JSON.parse(body));

test("every field says what stood in the request when its status changed", async () => {
  const campaign = await telling.createCampaign([HOOK], { retry_count: 2, retry_interval: "30m" });
  const [person] = await telling.addPeople(campaign, 1, { first_name: "Ada", note: 'a "b" é' });
  await app.db
    .updateTable("requests")
    .set({
      channel_manager_sid: "CA5f",
      session_id: 311,
      conversation_id: 290,
      sent_at: "2026-11-18T11:58:10.412Z",
    })
    .where("batch_key", "=", person!.batch_key)
    .execute();
  const at = app.clock.now();
  app.clock.advance(60_000);
  await telling.tell(
    telling.change(person!, "COMPLETED", {
      attempt_count: 2,
      previous: "IN-PROGRESS",
      provider_status: "completed",
      at,
    }),
  );
  await drain();
  const [message] = bodies();
  expect(message).toEqual({
    type: "outbound.request.status",
    id: peer.requests[0]!.headers["webhook-id"],
    timestamp: "2026-11-18T12:00:00+00:00",
    data: {
      campaign_id: campaign.id,
      campaign_name: campaign.campaign_name,
      batch_id: person!.batch_id,
      request_id: person!.request_id,
      reference_id: person!.reference_id,
      target: expect.stringMatching(/^\+1512555\d{4}$/),
      mode: "voice",
      request_status: "COMPLETED",
      channel_manager_status: "COMPLETED",
      previous_channel_manager_status: "IN-PROGRESS",
      provider_status: "completed",
      channel_manager_sid: "CA5f",
      attempt_count: 2,
      max_attempts: 3,
      session_id: 311,
      conversation_id: 290,
      request_variables: { first_name: "Ada", note: 'a "b" é' },
      sent_at: "2026-11-18T11:58:10.412+00:00",
      occurred_at: "2026-11-18T12:00:00+00:00",
      sequence: expect.any(Number),
      is_test: false,
    },
  });
});

test("every try sends the same id and bytes, with a webhook-timestamp and signatures of its own", async () => {
  const campaign = await telling.createCampaign([{ ...HOOK, auth_values: { hmac_secret: secretOf(1) } }]);
  const [person] = await telling.addPeople(campaign, 1);
  await telling.tell(telling.change(person!, "COMPLETED"));
  peer.respond((_, response) => json(response, 500, {}));
  for (const wait_s of [0, 5, 300]) {
    app.clock.advance(wait_s * 1000);
    expect(await drain()).toBe(1);
  }
  const different = (pick: (request: (typeof peer.requests)[number]) => unknown) =>
    new Set(peer.requests.map(pick)).size;
  expect(different(({ body }) => body)).toBe(1);
  expect(different(({ headers }) => headers["webhook-id"])).toBe(1);
  expect(peer.requests.map(({ headers }) => Number(headers["webhook-timestamp"]))).toEqual(
    [0, 5, 305].map((later_s) => Date.parse(START) / 1000 + later_s),
  );
  expect(different(({ headers }) => headers["webhook-signature"])).toBe(3);
  expect(different(({ headers }) => headers["x-parley-signature"])).toBe(3);
});

test("sequence grows from change to change of a request, also of those told at once or at one moment", async () => {
  const campaign = await telling.createCampaign([
    { ...HOOK, trigger_statuses: ["QUEUED", "HUMAN", "COMPLETED", "BUSY"] },
  ]);
  const [person] = await telling.addPeople(campaign, 1);
  const at = app.clock.now();
  await telling.tell(
    telling.change(person!, "BUSY"),
    telling.change(person!, "QUEUED", { attempt_count: 2 }),
  );
  app.clock.advance(1);
  // As they happened, in whatever order they are told.
  await telling.tell(
    telling.change(person!, "COMPLETED", { attempt_count: 2 }),
    telling.change(person!, "HUMAN", { attempt_count: 2, at }),
  );
  await drain();
  const told = bodies()
    .map(({ data }) => data)
    .toSorted((a, b) => a.sequence - b.sequence)
    .map((data) => data.channel_manager_status);
  expect(told).toEqual(["BUSY", "QUEUED", "HUMAN", "COMPLETED"]);
});

test("the longest message is below 20,000 bytes; variables too long for that are null", async () => {
  const worst = (length: number) => "\u0001".repeat(length);
  const campaign = await telling.createCampaign([HOOK], { campaign_name: worst(255) });
  const [person, other] = await telling.addPeople(campaign, 2, { story: "x".repeat(9_988) });
  await app.db
    .updateTable("requests")
    .set({ reference_id: worst(255), target: worst(320), channel_manager_sid: worst(10_000) })
    .where("id", "=", person!.request_id)
    .execute();
  await app.db
    .updateTable("requests")
    .set({ request_variables: JSON.stringify({ story: "x".repeat(9_989) }) })
    .where("id", "=", other!.request_id)
    .execute();
  for (const one of [person!, other!])
    await telling.tell(telling.change(one, "COMPLETED", { provider_status: worst(100_000) }));
  await drain();
  const [longest, shortened] = bodies().toSorted((a, b) => a.data.sequence - b.data.sequence);
  for (const { body } of peer.requests) expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  expect(longest.data.request_variables.story).toHaveLength(9_988);
  expect(shortened.data.request_variables).toBeNull();
});

test("no secret is in a message or its headers, of the webhook or of the campaign's channel", async () => {
  const [first, second] = [secretOf(201), secretOf(202)];
  const campaign = await telling.createCampaign([{ ...HOOK, auth_values: { hmac_secret: first } }]);
  await telling.replaceWebhooks(campaign, [
    { ...campaign.webhooks[0], auth_values: { hmac_secret: second } },
  ]);
  const [person] = await telling.addPeople(campaign, 1);
  await telling.tell(telling.change(person!, "COMPLETED"));
  await drain();
  const sent = JSON.stringify(peer.requests[0]);
  const { rows } = await app.database.pool.query("select row_to_json(c)::text as row from channels c");
  const sealed = rows.flatMap(({ row }) => row.match(/v1\.[\w-]+\.[\w-]+\.[\w-]+/g) ?? []);
  for (const secret of [first, second, ...sealed]) {
    expect(sent).not.toContain(secret);
    expect(sent).not.toContain(Buffer.from(secret, "base64").toString("hex"));
  }
});
