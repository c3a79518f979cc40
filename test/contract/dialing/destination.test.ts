import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, DESK } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
let dialing: Dialing;
let shown: Dialing["shown"];
beforeAll(async () => {
  app = await createTestApp({ OUTREACH_COUNTRIES: "US", OUTREACH_ALLOW: "+88216" });
  dialing = await createDialing(app);
  ({ shown } = dialing);
  await createSender(app, app.admin, { target: TEXTER, mode: "sms" });
});
beforeEach(() => dialing.forget());

const PREMIUM = "+19005551234";
const JAMAICAN = "+18765551234";
const THURAYA = "+88216123456";
const TEXTER = "+19032900845";
const ANN = "+15125550001";

const batchOf = async (targets: string[], campaign: object = {}): Promise<string> =>
  (await dialing.filled(targets, { hourly_rate: 3600, ...campaign })).batch_id;
const nextOf = async (batch_id: string, reference_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/${reference_id}/trace`)).body.next_step;

test.each([{ mode: "voice" }, { mode: "sms", source: TEXTER, caller_id: TEXTER }])(
  "who may not be reached is skipped, and told why: %j",
  async (campaign) => {
    const batch_id = await batchOf([PREMIUM, JAMAICAN, THURAYA, ANN], { ...campaign, retry_count: 3 });
    const why = `${PREMIUM} is a premium-rate number, and OUTREACH_ALLOW does not name it.`;
    expect(await nextOf(batch_id, "p0")).toEqual({
      kind: "waiting",
      reason: "destination",
      text: `Will be skipped when its turn comes: ${why}`,
      until: null,
    });
    const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
    await dialer.pass(1, 1_000);
    expect(dialer.world.handed.map(({ target }) => target)).toEqual([THURAYA, ANN]);
    expect(await shown(batch_id)).toEqual([
      "SKIPPED FILTERED_LINE_TYPE 0",
      "SKIPPED FILTERED_LINE_TYPE 0",
      "COMPLETED COMPLETED 1",
      "COMPLETED COMPLETED 1",
    ]);
    expect(await nextOf(batch_id, "p0")).toEqual({
      kind: "over",
      reason: "destination",
      text: `Skipped: ${why}`,
      until: null,
    });
    expect((await nextOf(batch_id, "p1")).text).toBe(
      `Skipped: ${JAMAICAN} is of Jamaica (JM), and OUTREACH_COUNTRIES does not name that.`,
    );
  },
);

test("a retry of a number that was taken off the settings since is not made", async () => {
  const batch_id = await batchOf([JAMAICAN], { retry_count: 3, retry_interval: "1m" });
  const plan = () => ({ tells: ["BUSY" as const] });
  const wide = createTestDialer(app, plan, { destinations: { countries: ["US", "JM"], allowed: [] } });
  await wide.tick();
  await wide.settle();
  expect(await shown(batch_id)).toEqual(["PENDING BUSY 1"]);
  const narrow = createTestDialer(app, plan);
  await narrow.pass(3);
  expect(narrow.world.handed).toEqual([]);
  expect(await shown(batch_id)).toEqual(["SKIPPED FILTERED_LINE_TYPE 1"]);
});

test("nothing is paid to learn what kind of number it is", async () => {
  const asked: string[] = [];
  const lookup = {
    async lookup(_: unknown, number: string) {
      asked.push(number);
      return { facts: { line_type: "mobile" }, cost: 0.008 };
    },
  };
  const carrier = { name: "planned", simulated: true, lookup };
  const carriers = { of: async () => ({ account: { channel_id: 0, credentials: {} }, carrier }) } as never;
  const rules = [{ field: "line_type", op: "in", values: ["mobile"] }];
  const batch_id = await batchOf([JAMAICAN, ANN], { target_filters: { match: "all", rules } });
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }), { carriers });
  await dialer.pass(5);
  expect(asked).toEqual([ANN]);
  expect(await shown(batch_id)).toEqual(["SKIPPED FILTERED_LINE_TYPE 0", "COMPLETED COMPLETED 1"]);
});

test("nobody behind is held up by a list of such numbers", async () => {
  const batch_id = await batchOf([...Array.from({ length: 30 }, (_, i) => `+1876555${1000 + i}`), ANN]);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.pass(1, 1_000);
  expect((await shown(batch_id)).at(-1)).toBe("COMPLETED COMPLETED 1");
});

test("the forecast skips as many as the settings do", async () => {
  const { campaign_id: id } = await dialing.filled([PREMIUM, ANN, JAMAICAN, "+15125550002"]);
  const forecast = async (more: object) =>
    (await app.send("POST", `/api/v1/outbound/campaigns/${id}/forecast`, { answer_rate: 1, ...more })).body;
  const { totals, assumptions } = await forecast({});
  expect(totals).toMatchObject({ first_attempts: 2, skipped: 2 });
  expect(assumptions).toContain("Of the next 4 numbers, 2 may not be reached by the operator's settings.");
  expect((await forecast({ skip_rate: 0 })).totals).toMatchObject({ first_attempts: 4, skipped: 0 });
  expect((await forecast({ requests: 10 })).totals).toMatchObject({ first_attempts: 10 });
});

test("mail has no destination to judge", async () => {
  const mail = { mode: "email", source: DESK, caller_id: DESK };
  const batch_id = await batchOf(["ann@example.com"], mail);
  const dialer = createTestDialer(app, () => ({ tells: ["DELIVERED"] }));
  await dialer.tick();
  await dialer.settle();
  expect(await shown(batch_id)).toEqual(["COMPLETED DELIVERED 1"]);
});
