import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { insightsAnalysed } from "../batches/request-insights.ts";
import { type CampaignGoal, type FoundInsight, reachesGoal, readGoal } from "../campaigns/goal.ts";
import type { Db, Tx } from "../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";

/*
 * Notes on requests that their person talked, and that the goal was reached in it; the board counts both. By jobs, because
 * turns and insights know nothing of campaigns and must not wait for a request's lock. A note is never taken back but by
 * another goal, so a job may run twice, late, and in any order.
 */

type Ended = { session_ids: number[]; round: number };

const noteConversations: Job<Ended> = {
  name: "note-conversations",
  payload: z.object({ session_ids: z.array(z.int()), round: z.int() }),
  max_attempts: 10,
};

/** The attempt may not know its session yet when that is over already. */
const AGAIN_ms = [1_000, 10_000, 60_000];

/** In the transaction that ends sessions, or that stores what was found in them. */
export async function queueConversations(tx: Tx, session_ids: readonly number[]): Promise<void> {
  if (session_ids.length === 0) return;
  const { rows } = await sql<{ id: number }>`
    select id from sessions where id = any(${session_ids}::bigint[]) and is_outbound`.execute(tx);
  if (rows.length > 0)
    await enqueue(tx, noteConversations, { session_ids: rows.map(({ id }) => id), round: 0 });
}

/** A conversation of a request, with what was said and found in it. */
type Conversation = {
  batch_key: number;
  id: number;
  campaign_id: number;
  has_talked: boolean;
  found: Record<string, FoundInsight> | null;
};

const HAS_TALKED = sql`exists (
  select from session_messages m where m.session_id = requests.session_id and m.role = 'user' and m.text <> '')`;

export const noteConversationsHandler = ({ db, clock }: { db: Db; clock: Clock }): JobHandler =>
  handle(noteConversations, async ({ session_ids, round }) => {
    const linked = await noteSessions(db, session_ids);
    const left = session_ids.filter((id) => !linked.has(id));
    const wait_ms = AGAIN_ms[round];
    if (left.length === 0 || wait_ms === undefined) return;
    const run_at = new Date(clock.now().getTime() + wait_ms);
    const again = { session_ids: left, round: round + 1 };
    await db.transaction().execute((tx) => enqueue(tx, noteConversations, again, { run_at }));
  });

/** Returns the sessions that belong to an attempt. Index: `attempts_session`. */
export async function noteSessions(db: Db, session_ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<Conversation & { session_id: number }>`
    select a.session_id, requests.batch_key, requests.id, a.campaign_id,
      a.answerer is distinct from 'MACHINE' and ${HAS_TALKED} as has_talked, ${insightsAnalysed} as found
    from attempts a join requests on requests.batch_key = a.batch_key and requests.id = a.request_id
    where a.session_id = any(${session_ids}::bigint[]) and requests.session_id = a.session_id`.execute(db);
  const goals = new Map<number, CampaignGoal | null>();
  for (const row of rows) {
    const { campaign_id } = row;
    const goal = goals.has(campaign_id) ? (goals.get(campaign_id) ?? null) : await readGoal(db, campaign_id);
    goals.set(campaign_id, goal);
    await note(db, row, reachesGoal(goal, row.found));
  }
  return new Set(rows.map(({ session_id }) => session_id));
}

/** One request at a time, so that no other transaction waits for this one while it waits for theirs. */
async function note(db: Db, { batch_key, id, has_talked }: Conversation, reached: boolean): Promise<void> {
  if (!has_talked) return;
  await sql`
    update requests set talked = true, reached_goal = reached_goal or ${reached}::boolean
    where batch_key = ${batch_key} and id = ${id} and not (talked and (reached_goal or not ${reached}::boolean))`.execute(
    db,
  );
}

type Recount = { campaign_id: number; goal: string; batch_key: number; after: number };

const recountGoal: Job<Recount> = {
  name: "recount-goal",
  payload: z.object({ campaign_id: z.int(), goal: z.string(), batch_key: z.int(), after: z.int() }),
  max_attempts: 10,
};

/** Requests that are looked at before the job stores how far it is. */
const SLICE = 2_000;

const goalText = (goal: CampaignGoal | null): string => (goal === null ? "" : JSON.stringify(goal));

/** In the transaction that sets another goal. */
export async function queueRecount(tx: Tx, campaign_id: number): Promise<void> {
  const goal = goalText(await readGoal(tx, campaign_id));
  await enqueue(tx, recountGoal, { campaign_id, goal, batch_key: 0, after: 0 });
}

export const recountGoalHandler = ({ db }: { db: Db }): JobHandler =>
  handle(recountGoal, async (from, { stopping }) => {
    let at: Recount | null = from;
    while (at !== null && !stopping.aborted) at = await recountSlice(db, at);
    const next = at;
    if (next !== null) await db.transaction().execute((tx) => enqueue(tx, recountGoal, next));
  });

/** The next slice, or null: none is left, or the goal is another one by now. */
export async function recountSlice(db: Db, at: Recount): Promise<Recount | null> {
  const goal = await readGoal(db, at.campaign_id);
  if (goalText(goal) !== at.goal) return null;
  const { rows } = await sql<Conversation & { talked: boolean; reached_goal: boolean }>`
    select requests.batch_key, requests.id, requests.talked, requests.reached_goal, ${insightsAnalysed} as found,
      ${HAS_TALKED} and requests.answered_by is distinct from 'MACHINE' as has_talked
    from batches b cross join lateral (
      select * from requests
      where batch_key = b.key and (batch_key, id) > (${at.batch_key}::bigint, ${at.after}::bigint)
      order by id limit ${SLICE}
    ) requests
    where b.campaign_id = ${at.campaign_id} and b.key >= ${at.batch_key}
    order by requests.batch_key, requests.id limit ${SLICE}`.execute(db);
  for (const { batch_key, id, talked, reached_goal, has_talked, found } of rows) {
    const reached = reachesGoal(goal, found);
    if ((talked || !has_talked) && reached_goal === (reached && (talked || has_talked))) continue;
    await sql`
      update requests set talked = talked or ${has_talked}::boolean,
        reached_goal = (talked or ${has_talked}::boolean) and ${reached}::boolean
      where batch_key = ${batch_key} and id = ${id}`.execute(db);
  }
  const last = rows.at(-1);
  return rows.length < SLICE || !last ? null : { ...at, batch_key: last.batch_key, after: last.id };
}
