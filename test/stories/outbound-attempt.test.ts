import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createOutbound, request } from "../harness/batch.ts";
import { createTestDialer } from "../harness/dialer.ts";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
});

test("story C: one outbound attempt is dialled inside its window, settled once, and told to the webhook", async () => {
  // 08:59:30 on a Wednesday in New York, where the agent is.
  app.clock.set("2026-11-18T13:59:30Z");
  const campaign = await outbound.createCampaign({
    active_days: ["wed"],
    daily_start_time: "09:00",
    daily_end_time: "17:00",
    campaign_variables: { clinic: "North" },
    webhooks: [
      {
        url: "https://hooks.example/status",
        request_method: "POST",
        trigger_statuses: ["HUMAN", "COMPLETED"],
      },
    ],
  });
  const { batch_id } = await outbound.createBatch({ campaign_id: campaign.id });
  await outbound.add(batch_id, [request("ann", "512-555-0100", { name: "Ann" })]);
  const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "HUMAN", "COMPLETED"] }));

  // The tick: not open yet, and asleep until it is.
  expect((await dialer.tick()).claimed).toBe(0);
  app.clock.advance(29_999);
  expect((await dialer.tick()).claimed).toBe(0);
  app.clock.advance(1);
  expect((await dialer.tick()).claimed).toBe(1);

  // The attempt was there before its carrier was called, and knew all that the channel needs.
  const [handed] = dialer.world.handed;
  expect(handed).toMatchObject({
    mode: "voice",
    agent_id: campaign.agent_id,
    target: "+15125550100",
    variables: { "vars.clinic": "North", "vars.name": "Ann" },
  });
  expect((await outbound.results(batch_id)).body).toMatchObject([
    { request_status: "INITIATED", channel_manager_status: "QUEUED", attempt_count: 1 },
  ]);

  // The carrier tells, every word twice and out of order.
  const told = dialer.world.tell();
  await dialer.attempts.signal(told.slice(0, 2));
  await dialer.attempts.signal([...told, ...told].reverse());
  expect((await outbound.results(batch_id)).body).toMatchObject([
    {
      request_status: "COMPLETED",
      channel_manager_status: "COMPLETED",
      attempt_count: 1,
      channel_manager_sid: `sid-${handed?.key}`,
      sent_at: "2026-11-18T14:00:00+00:00",
    },
  ]);

  // Settled once: each status that the webhook asked for waits to be delivered, once.
  const deliveries = await app.db
    .selectFrom("webhook_deliveries")
    .select(["channel_manager_status", "attempt_count", "body"])
    .where("campaign_id", "=", campaign.id)
    .orderBy("key")
    .execute();
  expect(deliveries.map((d) => `${d.channel_manager_status} ${d.attempt_count}`)).toEqual([
    "HUMAN 1",
    "COMPLETED 1",
  ]);
  expect(JSON.parse(deliveries[1]?.body ?? "").data).toMatchObject({
    reference_id: "ann",
    channel_manager_status: "COMPLETED",
    previous_channel_manager_status: "HUMAN",
    request_status: "COMPLETED",
  });
  const events = await app.db
    .selectFrom("events")
    .select("attributes")
    .where("type", "=", "request-status")
    .orderBy("id")
    .execute();
  expect(events.map(({ attributes }) => (attributes as { status: string }).status)).toEqual([
    "QUEUED",
    "IN-PROGRESS",
    "HUMAN",
    "COMPLETED",
  ]);

  // Nobody is called again.
  await dialer.pass(60);
  expect(dialer.world.handed).toHaveLength(1);
});
