import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import type { Plan } from "../../harness/planned-sender.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

const figures = async (tile: object, period: object = {}) => {
  const { status, body } = await app.send("POST", "/api/v1/boards/tile_figures", { tile, period });
  expect({ status, body }).toMatchObject({ status: 200, body: { problem: null } });
  return body;
};

test("people are those of the campaign's funnel, also whom no carrier took", async () => {
  const { campaign_id } = await dialing.filled(4, { hourly_rate: 3600, retry_count: 0 });
  const plans: Plan[] = [
    { tells: ["IN-PROGRESS", "COMPLETED"] },
    { send: "refused", refused_as: "FAILED" },
    { tells: ["BUSY"] },
    { send: "refused", refused_as: "FAILED" },
  ];
  let next = 0;
  const dialer = createTestDialer(app, () => plans[next++] ?? {});
  await dialer.pass(1, 1_000);
  app.clock.advance(1_000);
  const { funnel } = (await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`)).body;
  expect(funnel).toMatchObject({ tried: 4, answered: 1 });

  const of = { search_fields: ["campaign_id"], search_field_values: [String(campaign_id)] };
  const tried = { metric: { name: "people_tried" }, ...of };
  expect((await figures(tried)).total).toMatchObject({ value: 4, count: 4 });
  expect((await figures({ metric: { name: "people_answered" }, ...of })).total).toMatchObject({
    value: 0.25,
    count: 4,
  });
  const days = await figures({ ...tried, split: { by: "day" } });
  expect(days.points.at(-1)).toMatchObject({ value: 4 });
  const campaigns = await figures({ metric: tried.metric, split: { by: "campaign" } });
  expect(campaigns.points).toMatchObject([{ key: String(campaign_id), value: 4 }]);
  // Tomorrow nobody was tried yet.
  app.clock.advance(2 * 86_400_000);
  expect((await figures(tried, { last_days: 1 })).total).toMatchObject({ value: 0 });
});

test("the share that reached the goal is of people whose campaign has one", async () => {
  const campaigns = [];
  for (const goal of [{ insight_key: "appointment", value: "booked" }, null]) {
    const { campaign_id } = await dialing.filled(2, { hourly_rate: 3600, retry_count: 0 });
    await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/goal`, { goal });
    campaigns.push(campaign_id);
  }
  await createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] })).pass(1, 1_000);
  app.clock.advance(1_000);
  await app.database.pool.query(
    `update requests set talked = true, reached_goal = true where (batch_key, id) in (
      select r.batch_key, r.id from requests r join batches b on b.key = r.batch_key where b.campaign_id = $1 order by r.id limit 1)`,
    [campaigns[0]],
  );
  const split = { by: "campaign" };
  const { points } = await figures({ metric: { name: "people_goal" }, split }, { last_days: 1 });
  expect(points).toMatchObject([{ key: String(campaigns[0]), value: 0.5, count: 2 }]);
});
