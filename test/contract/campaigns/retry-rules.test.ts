import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  // 10:00 in New York.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
});

const rulesOf = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}/retry-rules`;
const BUSY = { outcome: "BUSY", wait: "10m", max_retries: 2 };
const NO_ANSWER = { outcome: "NO-ANSWER", wait: "1d", max_retries: 1, another_hour: true };
const CAMPAIGN = { hourly_rate: 3600, retry_count: 1, retry_interval: "2h" };

test("a campaign tries again by outcome: busy after minutes, no answer the next day at another hour", async () => {
  const { campaign_id, batch_id } = await dialing.filled(1, CAMPAIGN);
  expect((await app.send("GET", rulesOf(campaign_id))).body).toEqual({ rules: [] });
  expect((await app.send("PUT", rulesOf(campaign_id), { rules: [BUSY, NO_ANSWER] })).status).toBe(200);
  const dialer = createTestDialer(app, (_, tries) => ({ tells: [tries < 2 ? "BUSY" : "NO-ANSWER"] }));
  await dialer.tick();
  await dialer.settle();
  const next = async () => (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body;
  expect(await next()).toMatchObject({
    next_step: { reason: "retry", until: "2026-11-18T15:10:00.000Z" },
    attempts: [{ text: expect.stringMatching(/busy; retry 1 of 2 from/) }],
  });
  await dialer.pass(22);
  expect(await dialing.shown(batch_id)).toEqual(["PENDING NO-ANSWER 3"]);
  // 15:21 is when it was not answered: the next day, three hours later.
  const { until } = (await next()).next_step;
  expect(until).toMatch(/^2026-11-19T18:2/);
  app.clock.set(until);
  await dialer.pass(2);
  expect(await dialing.shown(batch_id)).toEqual(["FAILED NO-ANSWER 4"]);
  expect((await next()).attempts[3].text).toMatch(/all retries are used up/);
});

test("an outcome without a rule keeps the campaign's two fields, and one with none is not tried again", async () => {
  const rules = [{ outcome: "BUSY", max_retries: 0 }];
  const [busy, failed] = [await dialing.filled(1, CAMPAIGN), await dialing.filled(1, CAMPAIGN)];
  for (const { campaign_id } of [busy, failed]) await app.send("PUT", rulesOf(campaign_id), { rules });
  const { batch_id } = busy;
  const [{ target }] = (await dialing.outbound.results(batch_id)).body;
  const dialer = createTestDialer(app, (outreach) => ({
    tells: [outreach.target === target ? "BUSY" : "FAILED"],
  }));
  await dialer.tick();
  await dialer.settle();
  expect(await dialing.shown(batch_id)).toEqual(["FAILED BUSY 1"]);
  expect(await dialing.shown(failed.batch_id)).toEqual(["PENDING FAILED 1"]);
  const { attempts } = (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body;
  expect(attempts[0].text).toBe("Attempt 1: busy; the campaign retries nobody after this outcome.");
});

test("the forecast counts retries by the rules", async () => {
  const { campaign_id } = await dialing.filled(0, CAMPAIGN);
  const ask = { answer_rate: 0, requests: 10, days: 3 };
  const forecast = async () =>
    (await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/forecast`, ask)).body.totals;
  expect(await forecast()).toMatchObject({ first_attempts: 10, retries: 10, given_up: 10 });
  await app.send("PUT", rulesOf(campaign_id), { rules: [{ ...NO_ANSWER, wait: "4h", max_retries: 3 }] });
  expect(await forecast()).toMatchObject({ first_attempts: 10, retries: 30, given_up: 10 });
});

test("a rule twice, an unknown outcome and a wait that is none are refused at their place", async () => {
  const { campaign_id } = await dialing.filled(0, CAMPAIGN);
  const refused = async (rules: object[]) => {
    const { status, body } = await app.send("PUT", rulesOf(campaign_id), { rules });
    expect(status).toBe(422);
    return body.detail[0].loc;
  };
  expect(await refused([BUSY, BUSY])).toEqual(["body", "rules"]);
  expect(await refused([{ ...BUSY, outcome: "DECLINED" }])).toEqual(["body", "rules", 0, "outcome"]);
  expect(await refused([{ ...BUSY, wait: "soon" }])).toEqual(["body", "rules", 0, "wait"]);
  expect(await refused([{ ...BUSY, max_retries: 21 }])).toEqual(["body", "rules", 0, "max_retries"]);
});
