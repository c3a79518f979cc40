import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createModelAllowance } from "../../../src/accounts/model-allowance.ts";
import { createOwnLimits } from "../../../src/accounts/own-limits.ts";
import { createVisitorAllowance } from "../../../src/accounts/visitor-allowance.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp({
    LINES: "10",
    LINES_KEPT_PERCENT: "0",
    LINES_PER_NUMBER: "8",
    VISITORS_PER_MINUTE: "5",
  });
  dialing = await createDialing(app);
});

const PATH = "/api/v1/organizations/limits";
const NONE = {
  calls_at_once: null,
  attempts_per_number: null,
  model_usd_per_day: null,
  model_tokens_per_day: null,
  visitors_per_minute: null,
};
const set = (limits: object) => app.send("PUT", PATH, { ...NONE, ...limits });

test("an organization sees what it uses of each limit, and may set its own below the installation's, never above", async () => {
  expect((await app.send("GET", PATH)).body).toMatchObject({
    calls_at_once: { own: null, installation: 10, used: 0 },
    attempts_per_number: { own: null, installation: 8, used: 0 },
    visitors_per_minute: { own: null, installation: 5, used: 0 },
    updated_at: null,
  });
  const { status, body } = await set({ calls_at_once: 11, visitors_per_minute: 5, attempts_per_number: 9 });
  expect({ status, detail: body.detail }).toMatchObject({
    status: 422,
    detail: [
      { loc: ["body", "calls_at_once"], msg: "This installation allows 10 at most" },
      { loc: ["body", "attempts_per_number"], msg: "This installation allows 8 at most" },
    ],
  });
  expect(await set({ calls_at_once: 4 })).toMatchObject({
    status: 200,
    body: { calls_at_once: { own: 4, installation: 10 }, updated_by: "admin@example.com" },
  });
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", PATH)).body.calls_at_once.own).toBe(null);
});

test("campaigns never have more attempts at once than the lower of the two limits, whatever they are", async () => {
  const limits = fc.record({
    calls: fc.option(fc.integer({ min: 1, max: 10 })),
    per_number: fc.option(fc.integer({ min: 1, max: 8 })),
  });
  await fc.assert(
    fc.asyncProperty(limits, async ({ calls, per_number }) => {
      await dialing.forget();
      await set({ calls_at_once: calls, attempts_per_number: per_number });
      const batches = await Promise.all(
        Array.from({ length: 12 }, () => dialing.filled(1, { hourly_rate: 3600, retry_count: 0 })),
      );
      // Nobody's call ends.
      const dialer = createTestDialer(app, () => ({ tells: [] }), {
        limits: { per_source: 8, per_organization: 10, kept_for_callers: 0 },
      });
      app.clock.advance(5_000);
      for (const _ of batches) await dialer.tick();
      expect(dialer.world.handed).toHaveLength(Math.min(calls ?? 10, per_number ?? 8));
      const { body } = await app.send("GET", PATH);
      expect(body.calls_at_once.used).toBe(dialer.world.handed.length);
    }),
    { numRuns: rounds(8) },
  );
  await dialing.forget();
});

test("a limit of models or visitors that is lowered holds at once in this process, and within a second in others", async () => {
  await set({});
  const tenant = app.admin.sub_organization_id;
  const others = createOwnLimits(app);
  const models = createModelAllowance({
    ...app,
    own: others,
    limits: { tokens_per_day: 1000, usd_per_day: 10 },
  });
  await models.admit(tenant, "openai");
  models.count(tenant, { tokens: 50, cost_usd: 0 });
  await models.stored();
  await set({ model_tokens_per_day: 40, visitors_per_minute: 1 });
  expect((await app.send("GET", PATH)).body.model_tokens_per_day).toMatchObject({ own: 40, used: 50 });
  await models.admit(tenant, "openai");
  app.clock.advance(1_000);
  await expect(models.admit(tenant, "openai")).rejects.toThrow(
    /allowance of 40 model tokens a day is used up.*an administrator raises it \(Settings, Organization, Limits\)/,
  );
  const visitors = createVisitorAllowance({ ...app, own: others, per_minute: 5 });
  expect(await visitors.admit(tenant)).toMatchObject({ "ratelimit-limit": 1, "ratelimit-remaining": 0 });
  await expect(visitors.admit(tenant)).rejects.toThrow(/Many people are writing/);
  await set({ model_tokens_per_day: 60 });
  app.clock.advance(60_000);
  await models.admit(tenant, "openai");
  expect(await visitors.admit(tenant)).toMatchObject({ "ratelimit-limit": 5 });
});
