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

test.each([
  // India is 5:30 ahead of UTC, Nepal 5:45, Iran 3:30: their hours begin within one of UTC's.
  ["+919876543210", "+919876543211", "2026-11-18T14:10:00Z", 19],
  ["+9779801234560", "+9779801234561", "2026-11-18T14:05:00Z", 19],
  ["+989121234567", "+989121234568", "2026-11-18T14:10:00Z", 17],
])(
  "calls to %s are counted by that clock's hours also where it is not whole hours ahead of UTC",
  async (first, second, at, hour) => {
    app.clock.set(at);
    const { campaign_id } = await dialing.filled([first, second], { hourly_rate: 2, retry_count: 0 });
    const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
    await dialer.pass(0.5, 1_000);
    app.clock.advance(30 * 60_000);
    await dialer.pass(0.5, 1_000);
    const { body } = await app.send("GET", url(campaign_id));
    expect(body.hours.map(({ hour, tried }: { hour: number; tried: number }) => [hour, tried])).toEqual([
      [hour, 1],
      [hour + 1, 1],
    ]);
  },
);

test("a neighbour's campaign is unknown, and so are spans beyond ninety days", async () => {
  const { campaign_id } = await dialing.filled(1);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", url(campaign_id))).status).toBe(404);
  expect((await app.send("GET", `${url(campaign_id)}?days=91`)).status).toBe(422);
});
