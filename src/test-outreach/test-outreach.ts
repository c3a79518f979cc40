import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import { ChannelManagerStatus, type ChannelStatus } from "../channels/channel-status.ts";
import type { Outreach, SentOutreach } from "../channels/outreach.ts";
import type { Db, Tx } from "../db/database.ts";
import { newAttemptKey } from "../planning/attempt.ts";
import { leadsFurther } from "../planning/progress.ts";
import type { DocumentSealer } from "../redaction/text-sealer.ts";

const STATES = ["QUEUED", "SENDING", "SENT", "FAILED", "UNKNOWN"] as const;

/** One try of a campaign with somebody who asked for it. It belongs to no batch and counts nowhere. */
export const TestOutreach = z
  .object({
    key: z.string(),
    campaign_id: z.int(),
    mode: z.enum(["voice", "sms", "whatsapp", "email"]),
    target: z.string(),
    state: z
      .enum(STATES)
      .describe(
        "`SENT`: the carrier has it, and `channel_status` says what became of it. `FAILED`: nobody was contacted. `UNKNOWN`: the carrier does not tell whether it has it.",
      ),
    channel_status: ChannelManagerStatus,
    problem: z.string().nullable().describe("Why it failed, or why nothing is known of it."),
    session_id: z.int().nullable().describe("The conversation, once it has begun."),
    started_by: z.string(),
    started_at: timestamp(),
  })
  .meta({ id: "TestOutreach" });
export type TestOutreach = z.output<typeof TestOutreach>;

/** Older ones of a campaign are deleted when another is made. */
export const MOST_KEPT = 50;

/** A key that no attempt has: theirs begin with the time, whose first digit stays 0 for ten thousand years. */
const MARK = "f";
export const newTestKey = (now: Date): string => `${MARK}${newAttemptKey(now).slice(1)}`;
export const isTestKey = (key: string): boolean => key.startsWith(MARK);

const COLUMNS = sql`
  key, campaign_id, outreach ->> 'mode' as mode, target, state, channel_status, problem, session_id, started_by, started_at`;

/** The newest first. Index: `test_outreach_campaign`. */
export async function listTests(db: Db, campaign_id: number): Promise<TestOutreach[]> {
  const { rows } = await sql<TestOutreach>`
    select ${COLUMNS} from test_outreach where campaign_id = ${campaign_id}
    order by started_at desc, key limit ${MOST_KEPT}`.execute(db);
  return rows;
}

/** `seal`: variables may hold what is known of a person; all else is looked into by statements. */
type NewTest = { organization_id: number; outreach: Outreach; seal: DocumentSealer; by: string; at: Date };

export async function insertTest(
  tx: Tx,
  { organization_id, outreach, seal, by, at }: NewTest,
): Promise<TestOutreach> {
  const { key, sub_organization_id, campaign_id, target } = outreach;
  const now = sql`${at.toISOString()}::timestamptz`;
  const stored = { ...outreach, variables: seal(outreach.variables) };
  const { rows } = await sql<TestOutreach>`
    insert into test_outreach (key, organization_id, sub_organization_id, campaign_id, outreach, target, state, channel_status,
      status_at, started_by, started_at)
    values (${key}, ${organization_id}, ${sub_organization_id}, ${campaign_id}, ${JSON.stringify(stored)}, ${target}, 'QUEUED',
      'PENDING', ${now}, ${by}, ${now})
    returning ${COLUMNS}`.execute(tx);
  await sql`
    delete from test_outreach where campaign_id = ${campaign_id} and key in (
      select key from test_outreach where campaign_id = ${campaign_id} order by started_at desc, key offset ${MOST_KEPT})`.execute(
    tx,
  );
  return rows[0] as TestOutreach;
}

/**
 * How many an organization started since then. Two campaigns of one organization are counted one after the other: the lock
 * is held until the transaction ends, so the second sees what the first has started. Index: `test_outreach_organization`.
 */
export async function countTestsLocked(tx: Tx, organization_id: number, since: Date): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`test_outreach/${organization_id}`}, 0))`.execute(
    tx,
  );
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from test_outreach
    where organization_id = ${organization_id} and started_at > ${since.toISOString()}::timestamptz`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}

export async function findTest(db: Db, key: string): Promise<Outreach | null> {
  const { rows } = await sql<{ outreach: Outreach }>`
    select outreach from test_outreach where key = ${key}`.execute(db);
  return rows[0]?.outreach ?? null;
}

type Begun = { outreach: Outreach; organization_id: number; started_at: string; was_begun: boolean };

/** Marks it as being handed over. `was_begun`: an earlier process may have handed it over already. Null: that is done. */
export async function beginTest(db: Db, key: string): Promise<Begun | null> {
  const { rows } = await sql<Begun>`
    with before as (select key, state from test_outreach where key = ${key} for update)
    update test_outreach t set state = 'SENDING' from before
    where t.key = before.key and before.state in ('QUEUED', 'SENDING')
    returning t.outreach, t.organization_id, t.started_at, before.state = 'SENDING' as was_begun`.execute(db);
  return rows[0] ?? null;
}

/** The carrier has it. What it said since stays. */
export const testSent = (db: Db, key: string, sent: SentOutreach): Promise<unknown> =>
  sql`
    update test_outreach set state = 'SENT', problem = null, sid = ${sent.sid}, session_id = coalesce(session_id, ${sent.session_id}),
      channel_status = case when channel_status = 'PENDING' then ${sent.status} else channel_status end
    where key = ${key}`.execute(db);

/** Whether a run of its job is still about it. */
export async function isUnderWay(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql`select from test_outreach where key = ${key} and state = 'SENDING'`.execute(db);
  return rows.length > 0;
}

/** Nobody was contacted. */
export const testFailed = (
  db: Db,
  key: string,
  { status, problem }: { status: ChannelStatus; problem: string },
): Promise<unknown> =>
  sql`
    update test_outreach set state = 'FAILED', channel_status = ${status}, problem = ${problem}
    where key = ${key} and state = 'SENDING'`.execute(db);

export const UNKNOWN_FATE =
  "The carrier did not tell whether it received this test, so it may still contact the person. Start another test if nothing arrives.";

/** Every look at the carrier failed. What it says later still counts. */
export const testUnknown = (db: Db, key: string): Promise<unknown> =>
  sql`
    update test_outreach set state = 'UNKNOWN', problem = ${UNKNOWN_FATE} where key = ${key} and state = 'SENDING'`.execute(
    db,
  );

/**
 * Ends what began before then and is not over: the process of its last run died. What was not begun has contacted nobody,
 * and its job finds nothing to do afterwards. Index: `test_outreach_open`.
 */
export const endAbandonedTests = (db: Db, before: Date): Promise<unknown> =>
  sql`
    update test_outreach set
      state = case when state = 'QUEUED' then 'FAILED' else 'UNKNOWN' end,
      channel_status = case when state = 'QUEUED' then 'CANCELED' else channel_status end,
      problem = case when state = 'QUEUED' then 'It waited too long and was not sent. Start another test.' else ${UNKNOWN_FATE} end
    where state in ('QUEUED', 'SENDING') and started_at < ${before.toISOString()}::timestamptz`.execute(db);

/** A carrier that speaks of it has it. */
const HEARD_OF = sql`
  state = case when state = 'UNKNOWN' then 'SENT' else state end,
  problem = case when state = 'UNKNOWN' then null else problem end`;

/** What a carrier says of it: twice, late and out of order, so a word only counts where it leads further. */
export const testHeard = (
  db: Db,
  { key, status, at }: { key: string; status: ChannelStatus; at: Date },
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ known: ChannelStatus }>`
      select channel_status as known from test_outreach where key = ${key} for update`.execute(tx);
    const [test] = rows;
    if (!test) return;
    const heard = leadsFurther(test.known, status)
      ? sql`, channel_status = ${status}, status_at = ${at.toISOString()}::timestamptz`
      : sql``;
    await sql`update test_outreach set ${HEARD_OF} ${heard} where key = ${key}`.execute(tx);
  });

export const testTalks = (tx: Tx, key: string, session_id: number): Promise<unknown> =>
  sql`update test_outreach set ${HEARD_OF}, session_id = ${session_id} where key = ${key}`.execute(tx);
