import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { storeFacts } from "../../../src/search/session-facts.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { insertSession } from "../../harness/rows.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

const urlOf = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}/spending`;
const capAt = (campaign_id: number, cap_usd: number | null) =>
  app.send("PUT", urlOf(campaign_id), { cap_usd });
const spendingOf = async (campaign_id: number) => (await app.send("GET", urlOf(campaign_id))).body;

/** A conversation of the campaign that is over, and what it cost; told again, its facts are stored again. */
async function conversation(
  campaign_id: number,
): Promise<(cost_usd: number | null, carrier_usd?: number, known_usd?: number) => Promise<void>> {
  const id = await insertSession(app);
  const now = app.clock.now().toISOString();
  return (cost_usd, carrier_usd = 0, known_usd = cost_usd ?? carrier_usd) =>
    app.db.transaction().execute((tx) =>
      storeFacts(tx, {
        id,
        sub_organization_id: app.admin.sub_organization_id,
        timestamp: now,
        ended_at: now,
        agent_id: 1,
        agent_version: null,
        campaign_id,
        channel: "voice",
        end_reason: "user",
        is_test: false,
        is_error: false,
        is_tool_failure: false,
        turn_count: 1,
        duration: 60,
        waits_ms: [],
        cost_usd,
        known_usd,
        carrier_usd,
        is_speech_unpriced: false,
      }),
    );
}

test("a campaign that has spent its cap contacts nobody more, says so, and goes on when the cap is raised", async () => {
  const { campaign_id } = await dialing.filled(3, { hourly_rate: 3600, retry_count: 0 });
  expect(await capAt(campaign_id, 1)).toMatchObject({ status: 200, body: { cap_usd: 1, spent_usd: 0 } });
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  app.clock.advance(1_000);
  await dialer.tick();
  await dialer.settle();
  expect(dialer.world.handed).toHaveLength(1);

  await (await conversation(campaign_id))(1.25);
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(1);
  const board = (await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`)).body;
  expect(board.batches[0].next_step).toMatchObject({
    reason: "spend-cap",
    text: "Waiting: the campaign has spent $1.25 of its cap of $1.00; it goes on when the cap is raised.",
  });
  const { items } = (
    await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=campaign-spend-cap")
  ).body;
  expect(items).toHaveLength(1);
  expect(items[0].description).toMatch(/^Campaign .* has reached its spend cap of \$1\.00$/);

  await capAt(campaign_id, 2);
  await dialer.pass(1, 1_000);
  expect(dialer.world.handed).toHaveLength(3);
});

test("what a conversation costs counts once, however often its facts are stored, and stays spent when it is deleted", async () => {
  const { campaign_id } = await dialing.filled(1);
  const facts = fc.array(
    fc.tuple(
      fc.nat(3),
      fc.option(fc.nat({ max: 4000 }).map((n) => n / 1024)),
      fc.nat({ max: 40 }).map((n) => n / 1024),
    ),
    { minLength: 1, maxLength: 12 },
  );
  let [expected, fees] = [0, 0];
  await fc.assert(
    fc.asyncProperty(facts, async (told) => {
      const sessions = await Promise.all([0, 1, 2, 3].map(() => conversation(campaign_id)));
      const last = new Map<number, { cost: number | null; fee: number }>();
      for (const [n, models, fee] of told) {
        const cost = models === null ? null : models + fee;
        await sessions[n]?.(cost, fee);
        // A cost that is not known any more was spent all the same; one that never was leaves the fees.
        if (cost !== null || (last.get(n)?.cost ?? null) === null) last.set(n, { cost, fee });
      }
      expected += [...last.values()].reduce((sum, { cost, fee }) => sum + (cost ?? fee), 0);
      fees += [...last.values()].reduce((sum, { fee }) => sum + fee, 0);
      const { spent_usd, carrier_usd } = await spendingOf(campaign_id);
      expect(spent_usd).toBeCloseTo(expected, 6);
      expect(carrier_usd).toBeCloseTo(fees, 6);
    }),
    { numRuns: rounds(20) },
  );
  await app.db.deleteFrom("session_facts").where("campaign_id", "=", campaign_id).execute();
  expect((await spendingOf(campaign_id)).spent_usd).toBeCloseTo(expected, 6);
});

test("what of a conversation has a price is spent, and the rest is added once that has one too", async () => {
  const { campaign_id } = await dialing.filled(1);
  const told = await conversation(campaign_id);
  for (const [cost_usd, known_usd, spent_usd] of [
    [null, 0.5, 0.5],
    [null, 0.5, 0.5],
    [null, 0.75, 0.75],
    [1.25, 1.25, 1.25],
    [null, 0.5, 1.25],
  ] as const) {
    await told(cost_usd, 0.25, known_usd);
    expect(await spendingOf(campaign_id)).toMatchObject({ spent_usd, carrier_usd: 0.25 });
  }
});

test("a cap is a positive amount, and a neighbour neither reads nor sets it", async () => {
  const { campaign_id } = await dialing.filled(1);
  for (const cap_usd of [0, -1, "much", 1e9])
    expect((await capAt(campaign_id, cap_usd as number)).status).toBe(422);
  expect((await app.send("PUT", urlOf(campaign_id), { cap: 5 })).status).toBe(422);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", urlOf(campaign_id))).status).toBe(404);
  expect((await neighbour.send("PUT", urlOf(campaign_id), { cap_usd: null })).status).toBe(404);
  await capAt(campaign_id, 5);
  expect(await capAt(campaign_id, null)).toMatchObject({ body: { cap_usd: null } });
});
