import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

const url = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}/answer-times`;

test("calls are counted by the hour of the person's own clock, and a voicemail is no answer", async () => {
  app.clock.set("2026-11-18T20:00:00Z");
  // Austin at 14:00, Seattle at 12:00, and one more in Austin whose machine answers.
  const people = ["+15125550001", "+12065580001", "+15125550002", "+15125550003"];
  const { campaign_id } = await dialing.filled(people, { hourly_rate: 3600, retry_count: 0 });
  const dialer = createTestDialer(app, ({ target }) => ({
    tells: target.endsWith("2") ? ["MACHINE", "COMPLETED"] : target.endsWith("3") ? ["BUSY"] : ["COMPLETED"],
  }));
  await dialer.pass(0.5, 1_000);
  const { body } = await app.send("GET", url(campaign_id));
  expect(body.total).toMatchObject({ tried: 4, answered: 2, rate: 0.5 });
  expect(body.hours).toMatchObject([
    { day: "wed", hour: 12, tried: 1, answered: 1, rate: 1, high: 1 },
    { day: "wed", hour: 14, tried: 3, answered: 1 },
  ]);
  expect(body.hours[1].low).toBeCloseTo(0.0615, 3);
  app.clock.advance(2 * 86_400_000);
  expect((await app.send("GET", `${url(campaign_id)}?days=1`)).body).toMatchObject({
    total: { tried: 0, answered: 0, rate: null, low: null },
    hours: [],
  });
});

test("a neighbour's campaign is unknown, and so are spans beyond ninety days", async () => {
  const { campaign_id } = await dialing.filled(1);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", url(campaign_id))).status).toBe(404);
  expect((await app.send("GET", `${url(campaign_id)}?days=91`)).status).toBe(422);
});
