import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { foldCounts } from "../../../src/batches/request-counts.ts";
import { noteSessions, queueConversations, recountSlice } from "../../../src/board/conversations.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { insertOutput, insertSession } from "../../harness/rows.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
});

const of = (campaign_id: number) => `/api/v1/outbound/campaigns/${campaign_id}`;
const funnel = async (campaign_id: number) => (await app.send("GET", `${of(campaign_id)}/board`)).body.funnel;
const setGoal = (campaign_id: number, goal: object | null) =>
  app.send("PUT", `${of(campaign_id)}/goal`, { goal });

/** A campaign whose calls were all answered, each with a session; in the first the person said nothing. */
async function talked(people: number) {
  const { campaign_id } = await dialing.filled(people, { hourly_rate: 3600, retry_count: 0 });
  await createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] })).pass(people / 30, 1_000);
  const { rows } = await sql<{ key: string }>`
    select key from attempts where campaign_id = ${campaign_id} order by started_at`.execute(app.db);
  const sessions: number[] = [];
  for (const [n, { key }] of rows.entries()) {
    const id = await insertSession(app, { is_outbound: true, ended_at: app.clock.now().toISOString() });
    sessions.push(id);
    await sql`update attempts set session_id = ${id} where key = ${key}`.execute(app.db);
    await sql`
      update requests r set session_id = ${id} from attempts a
      where a.key = ${key} and r.batch_key = a.batch_key and r.id = a.request_id`.execute(app.db);
    if (n > 0)
      await sql`
        insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
        values (${id}, 100, 100, 'user', 'Yes, please', now())`.execute(app.db);
  }
  return { campaign_id, sessions };
}

const recount = async (campaign_id: number, goal: object | null) => {
  let at: Parameters<typeof recountSlice>[1] | null = {
    campaign_id,
    goal: goal === null ? "" : JSON.stringify(goal),
    batch_key: 0,
    after: 0,
  };
  while (at !== null) at = await recountSlice(app.db, at);
};

test("the funnel counts who was tried, answered, talked and reached the goal, each conversation once", async () => {
  const { campaign_id, sessions } = await talked(4);
  const goal = { insight_key: "appointment", value: "booked" };
  expect((await setGoal(campaign_id, goal)).body).toEqual({ goal });
  await insertOutput(app, sessions[1] as number, "appointment", { string_value: "booked" });
  await insertOutput(app, sessions[2] as number, "appointment", { string_value: "declined" });
  await insertOutput(app, sessions[0] as number, "appointment", { string_value: "booked" });
  expect(await funnel(campaign_id)).toEqual({ tried: 4, answered: 4, talked: 0, goal: 0 });
  for (let twice = 0; twice < 2; twice++)
    for (const id of sessions) expect(await noteSessions(app.db, [id])).toEqual(new Set([id]));
  // In the first one nobody spoke, so what an insight makes of it is no success.
  expect(await funnel(campaign_id)).toEqual({ tried: 4, answered: 4, talked: 3, goal: 1 });
  await foldCounts(app.db);
  expect(await funnel(campaign_id)).toEqual({ tried: 4, answered: 4, talked: 3, goal: 1 });
});

test("another goal is counted over the conversations that are over, and none has no figure", async () => {
  const { campaign_id, sessions } = await talked(3);
  await insertOutput(app, sessions[1] as number, "rating", { numeric_value: 5 });
  await insertOutput(app, sessions[2] as number, "rating", { numeric_value: 0 });
  const any = { insight_key: "rating", value: null };
  await setGoal(campaign_id, any);
  await recount(campaign_id, any);
  expect(await funnel(campaign_id)).toEqual({ tried: 3, answered: 3, talked: 2, goal: 1 });
  const zero = { insight_key: "rating", value: "0" };
  await setGoal(campaign_id, zero);
  // A count for a goal that was replaced meanwhile changes nothing.
  await recount(campaign_id, any);
  await recount(campaign_id, zero);
  expect((await funnel(campaign_id)).goal).toBe(1);
  const listed = await app.send("GET", `${of(campaign_id)}/requests?stage=goal`);
  expect(listed.body.requests).toMatchObject([{ reference_id: "p2", stage: "goal" }]);
  expect(listed.body.requests[0].insights).not.toBeNull();
  const operator = app.sendAs(await app.createToken(["outbound_read"]));
  const shown = await operator("GET", `${of(campaign_id)}/requests?stage=goal`);
  expect(shown.body.requests).toMatchObject([{ reference_id: "p2", insights: null }]);
  await setGoal(campaign_id, null);
  expect((await funnel(campaign_id)).goal).toBeNull();
});

test("a list reaches a goal that is one of its entries", async () => {
  const { campaign_id, sessions } = await talked(4);
  const tags = (n: number, ...entries: string[]) =>
    insertOutput(app, sessions[n] as number, "tags", { string_value: JSON.stringify(entries), entries });
  await tags(1, "billing", "delay");
  await tags(2, "delay");
  const goal = { insight_key: "tags", value: "billing" };
  await setGoal(campaign_id, goal);
  await noteSessions(app.db, sessions);
  expect((await funnel(campaign_id)).goal).toBe(1);
  const other = { ...goal, value: "delay" };
  await setGoal(campaign_id, other);
  await recount(campaign_id, other);
  expect((await funnel(campaign_id)).goal).toBe(2);
});

test("what the offline model made up reaches no goal", async () => {
  const { campaign_id, sessions } = await talked(4);
  const goal = { insight_key: "appointment", value: "booked" };
  await setGoal(campaign_id, goal);
  const say = (n: number, string_value: string, model?: string) =>
    insertOutput(app, sessions[n] as number, "appointment", { string_value, ...(model && { model }) });
  await say(1, "booked", "scripted");
  await say(2, "booked");
  await say(2, "declined", "scripted");
  await noteSessions(app.db, sessions);
  expect((await funnel(campaign_id)).goal).toBe(1);
  await recount(campaign_id, goal);
  expect((await funnel(campaign_id)).goal).toBe(1);
});

test("the same goal set again counts nobody anew, whose conversation may be deleted by now", async () => {
  const { campaign_id, sessions } = await talked(3);
  const goal = { insight_key: "appointment", value: "booked" };
  const recounts = async () =>
    (
      await sql<{ n: number }>`
        select count(*)::int as n from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'recount-goal' and (j.payload ->> 'campaign_id')::int = ${campaign_id}`.execute(
        app.db,
      )
    ).rows[0]?.n;
  await setGoal(campaign_id, goal);
  const before = await recounts();
  expect(before).toBeGreaterThan(0);
  await insertOutput(app, sessions[1] as number, "appointment", { string_value: "booked" });
  await noteSessions(app.db, sessions);
  expect((await setGoal(campaign_id, goal)).status).toBe(200);
  expect(await recounts()).toBe(before);
  await setGoal(campaign_id, { ...goal, value: "declined" });
  expect(await recounts()).toBe((before ?? 0) + 1);
});

test("only conversations that we began are looked at", async () => {
  const inbound = await insertSession(app, {});
  const jobs = async () =>
    (
      await sql<{ n: number }>`
      select count(*)::int as n from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'note-conversations'`.execute(
        app.db,
      )
    ).rows[0]?.n;
  const before = await jobs();
  await app.db.transaction().execute((tx) => queueConversations(tx, [inbound]));
  expect(await jobs()).toBe(before);
});
