import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { SOURCE } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { insertSession } from "../../harness/rows.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
let dialing: Dialing;
beforeEach(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

const PACE = { hourly_rate: 3600 };
const NO_LIMITS = { per_source: 1_000, per_organization: 1_000, kept_for_callers: 0 };
type Dialer = ReturnType<typeof createTestDialer>;
/** Calls that nobody ends before a test does. */
const open = (limits = NO_LIMITS): Dialer => createTestDialer(app, () => ({ tells: [] }), { limits });
/** Calls that end as soon as the test lets them. */
const short = (limits = NO_LIMITS): Dialer =>
  createTestDialer(app, () => ({ tells: ["COMPLETED"] }), { limits });

const setCampaign = async (campaign_id: number, body: object) => {
  const answer = await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/dialing-settings`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const setAgent = async (agent_id: number, max_concurrent: number | null) => {
  const answer = await app.send("PUT", `/api/v1/agents/${agent_id}/dialing-settings`, { max_concurrent });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const agentOf = async (target: string): Promise<number> => {
  const { agent_id } = await app.db
    .selectFrom("channel_targets")
    .select("agent_id")
    .where("target", "=", target)
    .executeTakeFirstOrThrow();
  return agent_id as number;
};
const live = async (campaign_id?: number): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from attempts
    where holds_slot and (${campaign_id ?? null}::bigint is null or campaign_id = ${campaign_id ?? null})`.execute(
    app.db,
  );
  return rows[0]?.n ?? 0;
};
const started = async (campaign_id: number): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from attempts where campaign_id = ${campaign_id}`.execute(app.db);
  return rows[0]?.n ?? 0;
};
const traceOf = async (batch_id: string, reference: string) =>
  (await app.send("GET", `/api/v1/outbound/batches/${batch_id}/requests/${reference}/trace`)).body;
/** A campaign with so many batches, which are the places that it can ask for at once. */
async function campaign(batches: number, people: number, settings: object = {}) {
  const { campaign_id, batch_id } = await dialing.filled(people, { ...PACE, ...settings });
  for (let more = 1; more < batches; more++) {
    const batch = await dialing.outbound.createBatch({ campaign_id });
    await dialing.outbound.add(
      batch.batch_id,
      Array.from({ length: people }, (_, i) => ({
        reference_id: `b${more}-${i}`,
        target: dialing.person(),
        request_variables: {},
      })),
    );
  }
  return { campaign_id, batch_id };
}
/** All at the same moment, second by second. */
async function together(dialers: Dialer[], seconds: number, each: () => Promise<void> = async () => {}) {
  for (let second = 0; second < seconds; second++) {
    app.clock.advance(1_000);
    await Promise.all(dialers.map((dialer) => dialer.tick()));
    await each();
  }
}

test("dialers that claim at the same time never start more of a campaign than it may have at once", async () => {
  const limited = await campaign(6, 8);
  const other = await campaign(2, 8);
  await setCampaign(limited.campaign_id, { max_concurrent: 5 });
  const dialers = [open(), open()];
  await together(dialers, 6, async () => expect(await live(limited.campaign_id)).toBeLessThanOrEqual(5));
  expect(await live(limited.campaign_id)).toBe(5);
  expect(await live(other.campaign_id)).toBe(12);
  const { next_step } = await traceOf(limited.batch_id, "p7");
  expect(next_step).toMatchObject({
    kind: "waiting",
    reason: "campaign-limit",
    until: null,
    text: "Waiting: the campaign has 5 of its 5 attempts at once.",
  });
  const board = await app.send("GET", `/api/v1/outbound/campaigns/${limited.campaign_id}/board`);
  expect(JSON.stringify(board.body.batches)).toContain("the campaign has 5 of its 5 attempts at once");
});

test("a limit that is raised, lowered or removed holds from the next claim on, and ends nothing that runs", async () => {
  const { campaign_id } = await campaign(6, 8);
  await setCampaign(campaign_id, { max_concurrent: 2 });
  const dialer = open();
  await together([dialer], 2);
  expect(await live()).toBe(2);
  expect((await setCampaign(campaign_id, { max_concurrent: 4 })).under_way).toBe(2);
  await together([dialer], 2);
  expect(await live()).toBe(4);
  await setCampaign(campaign_id, { max_concurrent: 1 });
  await together([dialer], 2);
  expect(await live()).toBe(4);
  await setCampaign(campaign_id, { max_concurrent: null });
  await together([dialer], 1);
  expect(await live()).toBe(10);
});

test("dialers that claim at the same time start no call beyond an agent's limit, over all its campaigns", async () => {
  const [one, two] = [await campaign(4, 6), await campaign(4, 6)];
  const agent_id = await agentOf(SOURCE);
  await setAgent(agent_id, 5);
  await together([open(), open(), open()], 5, async () => expect(await live()).toBeLessThanOrEqual(5));
  expect((await live(one.campaign_id)) + (await live(two.campaign_id))).toBe(5);
  expect((await traceOf(one.batch_id, "p5")).next_step).toMatchObject({
    reason: "agent-limit",
    text: "Waiting: the agent has 5 of its 5 calls at once.",
  });
});

test("the forecast keeps the limit of the campaign's agent, and says what it leaves out", async () => {
  const { campaign_id } = await campaign(1, 100);
  const ask = async () => {
    const question = { answer_rate: 1 };
    return (await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/forecast`, question)).body;
  };
  const before = await ask();
  await setAgent(await agentOf(SOURCE), 2);
  const after = await ask();
  const minutes = (Date.parse(after.ends_at) - Date.parse(before.ends_at)) / 60_000;
  expect(Math.round(minutes)).toBe(47);
  expect(after.assumptions).toContain(
    "The agent has at most 2 calls at once, each for 60 s; its inbound calls and those of other campaigns are left out.",
  );
});

test("an agent's inbound calls count against its limit, and campaigns wait for them", async () => {
  const { batch_id } = await campaign(2, 4);
  const agent_id = await agentOf(SOURCE);
  await setAgent(agent_id, 2);
  const inbound = { channel: "voice", is_outbound: false, agent_id, ended_at: null };
  for (let caller = 0; caller < 3; caller++) await insertSession(app, inbound);
  await together([open()], 2);
  expect(await live()).toBe(0);
  expect((await traceOf(batch_id, "p0")).next_step.text).toBe(
    "Waiting: the agent has 3 of its 2 calls at once, 3 of them inbound.",
  );
  const state = await app.send("GET", `/api/v1/agents/${agent_id}/dialing-settings`);
  expect(state.body).toEqual({ max_concurrent: 2, outbound_calls: 0, inbound_calls: 3 });
  await app.db.updateTable("sessions").set({ ended_at: app.clock.now().toISOString() }).execute();
  await together([open()], 2);
  expect(await live()).toBe(2);
});

test("while lines are short, an urgent campaign gets most of them and no other is starved, whichever dialer finds one free", async () => {
  const limits = { ...NO_LIMITS, per_source: 2 };
  const [low, high] = [await campaign(3, 30), await campaign(3, 60)];
  await setCampaign(low.campaign_id, { max_concurrent: null, priority: 2 });
  await setCampaign(high.campaign_id, { max_concurrent: null, priority: 5 });
  const dialers = [short(limits), short(limits)];
  await together(dialers, 60, async () => {
    expect(await live()).toBeLessThanOrEqual(2);
    for (const dialer of dialers) await dialer.settle();
  });
  const [few, many] = [await started(low.campaign_id), await started(high.campaign_id)];
  expect(few + many).toBeGreaterThan(90);
  expect(few).toBeGreaterThanOrEqual(4);
  expect(many / few).toBeGreaterThan(4);
});

test("a line that becomes free is set aside for a more urgent batch that another process looks at", async () => {
  const limits = { ...NO_LIMITS, per_source: 1 };
  const holder = await campaign(1, 1);
  const dialer = short(limits);
  await together([dialer], 1);
  expect(await started(holder.campaign_id)).toBe(1);
  const [low, high] = [await campaign(1, 3), await campaign(1, 3)];
  await setCampaign(high.campaign_id, { max_concurrent: null, priority: 5 });
  await together([dialer], 2);
  await dialer.settle();
  app.clock.advance(1_000);
  await app.db.transaction().execute(async (tx) => {
    await sql`select from batch_pacing p join batches b on b.key = p.batch_key
      where b.campaign_id = ${high.campaign_id} for update of p`.execute(tx);
    await dialer.tick();
    expect(await started(low.campaign_id)).toBe(0);
  });
  await dialer.tick();
  expect(await started(high.campaign_id)).toBe(1);
  expect(await started(low.campaign_id)).toBe(0);
});

test("a batch that was paused while it waited holds a line back for some seconds at most", async () => {
  const limits = { ...NO_LIMITS, per_source: 1 };
  await campaign(1, 1);
  const dialer = short(limits);
  await together([dialer], 1);
  const [low, high] = [await campaign(1, 3), await campaign(1, 3)];
  await setCampaign(high.campaign_id, { max_concurrent: null, priority: 5 });
  await together([dialer], 2);
  await dialer.settle();
  // As if its dialer had died, and no other came to it.
  await sql`update batch_pacing set wake_at = null where batch_key =
    (select key from batches where campaign_id = ${high.campaign_id})`.execute(app.db);
  await together([dialer], 4);
  expect(await started(low.campaign_id)).toBe(1);
  app.clock.advance(120_000);
  await together([dialer], 1, () => dialer.settle());
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from place_waits w join batches b on b.key = w.batch_key
    where b.campaign_id = ${high.campaign_id}`.execute(app.db);
  expect(rows[0]?.n).toBe(0);
});

test("settings are read and replaced with an audit entry, refused out of range, and not found where they are another organization's or an agent's that is gone", async () => {
  const { campaign_id } = await campaign(1, 1);
  const path = `/api/v1/outbound/campaigns/${campaign_id}/dialing-settings`;
  expect((await app.send("GET", path)).body).toEqual({ max_concurrent: null, priority: 3, under_way: 0 });
  await setCampaign(campaign_id, { max_concurrent: 7, priority: 4 });
  expect((await app.send("GET", path)).body).toEqual({ max_concurrent: 7, priority: 4, under_way: 0 });
  for (const body of [
    { max_concurrent: 0 },
    { max_concurrent: 1, priority: 6 },
    { priority: 3 },
    { max_concurrent: 1.5 },
  ])
    expect((await app.send("PUT", path, body)).status).toBe(422);
  const audit = await app.db
    .selectFrom("audit_entries")
    .select("resource")
    .where("resource", "=", "campaign-dialing-settings")
    .execute();
  expect(audit).toHaveLength(1);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", path)).status).toBe(404);
  expect((await neighbour.send("PUT", path, { max_concurrent: 1, priority: 5 })).status).toBe(404);
  const stranger = await createSender(app, app.admin, { target: "+15125559999" });
  await app.db
    .updateTable("agents")
    .set({ deleted_at: app.clock.now().toISOString() })
    .where("id", "=", stranger.agent_id)
    .execute();
  expect((await app.send("GET", `/api/v1/agents/${stranger.agent_id}/dialing-settings`)).status).toBe(404);
});
