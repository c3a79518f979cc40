import { type RawBuilder, sql } from "kysely";
import { BROWSER } from "../calls/call-store.ts";
import { filesOfLines } from "../calls/recordings/call-recording.ts";
import { recordingFilesOf } from "../calls/recordings/fetch-recording.ts";
import type { Db, Tx } from "../db/database.ts";
import { TEST_SERVICE, testSid } from "../evaluations/recorded-lines.ts";
import { laneSid, REPLAY_SERVICE } from "../replays/lane-session.ts";
import { filesOfRecording } from "../sessions/recordings/rotate-recordings.ts";
import { tellEnd } from "../sessions/session-ends.ts";
import { deleteUnusedSnapshots, lockSnapshots } from "../sessions/session-snapshot.ts";
import { deleteDeliveries } from "../webhooks/delete-deliveries.ts";
import { addCounts, type DeletedCounts, removed } from "./deleted-counts.ts";
import { listFiles } from "./files-to-remove.ts";

/** The most sessions of one transaction: a long call has some thousand rows of trace. */
export const SESSIONS_AT_ONCE = 100;

/**
 * Deletes sessions of one sub-organization with everything that belongs to them, in the caller's transaction, which has
 * locked their rows. Files are listed here and removed after the commit (`files-to-remove.ts`). Audit entries keep who did
 * what; what was said is taken out of them. Suppressions stay, without the words that led to them.
 */
export async function deleteSessions(
  tx: Tx,
  { tenant, ids: named_ids }: { tenant: number; ids: number[] },
): Promise<DeletedCounts> {
  if (named_ids.length === 0) return {};
  const repeated = [...(await replaysOf(tx, tenant, named_ids)), ...(await testsOf(tx, tenant, named_ids))];
  const ids = [...new Set([...named_ids, ...repeated])];
  const copies = await deleteForks(tx, tenant, ids);
  const these = sql`any(${ids}::bigint[])`;
  const named = sql`any(${ids.map(String)}::text[])`;
  const from = (statement: RawBuilder<unknown>) => removed(tx, statement);

  await listCallFiles(tx, tenant, ids);
  const recordings = await sql<{ file_name: string }>`
    delete from recordings where session_id = ${these} returning file_name`.execute(tx);
  await listFiles(
    tx,
    tenant,
    recordings.rows.flatMap(({ file_name }) => filesOfRecording(file_name)),
  );
  const labels = await sql<{ id: string }>`
    delete from session_labels where session_id = ${these} returning id::text as id`.execute(tx);

  const held = await sql<{ name: string }>`
    select 'text-' || id as name from text_messages where held_in = ${these}
    union all select 'mail-' || id from mail_messages where held_in = ${these}`.execute(tx);
  const heldNames = held.rows.map(({ name }) => name);

  const counts: DeletedCounts = {
    recordings: recordings.rows.length,
    labels: labels.rows.length,
    messages: await from(sql`delete from session_messages where session_id = ${these}`),
    tool_calls: await from(sql`delete from session_tool_calls where session_id = ${these}`),
    notes: await from(sql`delete from session_notes where session_id = ${these}`),
    trace: await from(sql`delete from session_trace where session_id = ${these}`),
    model_requests: await from(sql`delete from sent_records where session_id = ${these}`),
    insight_results: await from(sql`delete from insight_outputs where session_id = ${these}`),
    insight_executions: await from(sql`delete from insight_executions where session_id = ${these}`),
    calls: await from(sql`delete from calls where session_id = ${these}`),
    texts: await from(sql`delete from text_messages where session_id = ${these} or held_in = ${these}`),
    mails: await deleteMails(tx, tenant, sql`session_id = ${these} or held_in = ${these}`),
    events: await from(
      sql`delete from events where sub_organization_id = ${tenant} and session_id = ${named}`,
    ),
    audit_entries_blanked: await from(sql`
      update audit_entries set before = null, after = '{"deleted": true}'::json
      where sub_organization_id = ${tenant} and after::text is distinct from '{"deleted": true}'
        and (resource_id = any(${labels.rows.map(({ id }) => id)}::text[]) and resource = 'session_labels'
          or resource_id = any(${heldNames}::text[]) and resource = 'held_messages'
          or resource_id = ${named} and resource = 'sessions')`),
  };
  await sql`delete from judge_labels where session_id = ${these}`.execute(tx);
  await sql`delete from session_search where session_id = ${these}`.execute(tx);
  await sql`delete from session_facts where session_id = ${these}`.execute(tx);
  // An insight that an organization's webhooks were told repeats what was said.
  await deleteDeliveries(tx, sql`session_id = ${these}`);
  await sql`delete from experiment_sessions where session_id = ${these}`.execute(tx);
  await sql`delete from redacted_values where session_id = ${these}`.execute(tx);
  await sql`delete from session_takeovers where session_id = ${these}`.execute(tx);
  await sql`delete from session_forks where session_id = ${these}`.execute(tx);
  await sql`delete from session_end_calls where session_id = ${these}`.execute(tx);
  await sql`delete from text_sessions where session_id = ${these}`.execute(tx);
  await sql`
    update suppressions set session_id = null, said = null, message_id = null where session_id = ${these}`.execute(
    tx,
  );
  // The promise to call stays; where it was made does not.
  await sql`update call_backs set session_id = null where session_id = ${these}`.execute(tx);
  // A result keeps whether it passed; its reasons quote what was said.
  await sql`
    update test_results set session_id = null, verdicts = '[]', notes = '["The session was deleted."]'
    where session_id = ${these}`.execute(tx);
  await sql`
    update replay_pairs set
      baseline_session_id = case when baseline_session_id = ${these} then null else baseline_session_id end,
      candidate_session_id = case when candidate_session_id = ${these} then null else candidate_session_id end
    where baseline_session_id = ${these} or candidate_session_id = ${these}`.execute(tx);
  for (const id of ids) await tellEnd(tx, id, "deleted");
  await lockSnapshots(tx, ids);
  const gone = await sql<{ conversation_id: number; snapshot_key: string }>`
    delete from sessions where id = ${these} returning conversation_id, snapshot_key`.execute(tx);
  await sql`
    delete from conversations c where id = any(${gone.rows.map((row) => row.conversation_id)}::bigint[])
      and not exists (select from sessions s where s.conversation_id = c.id)`.execute(tx);
  const keys = gone.rows.map((row) => row.snapshot_key);
  await deleteUnusedSnapshots(tx, tenant, keys);
  return addCounts({ sessions: gone.rows.length, ...counts }, copies);
}

/** A fork repeats what was said in the session it was forked off. One that a hold keeps stays, and forgets its origin. */
async function deleteForks(tx: Tx, tenant: number, ids: number[]): Promise<DeletedCounts> {
  const { rows } = await sql<{ id: number }>`
    select s.id from session_forks f join sessions s on s.id = f.session_id
    where f.origin_id = any(${ids}::bigint[]) and s.id <> all(${ids}::bigint[]) and s.legal_hold_at is null
    order by s.id for update of s`.execute(tx);
  return deleteSessions(tx, { tenant, ids: rows.map(({ id }) => id) });
}

/**
 * Sessions in which a replay repeated what the person said in these, those that a process left unfinished too. The pairs
 * let the recorded sessions go first: a replay that goes on finds that, and opens no further session. One that a hold
 * keeps stays.
 */
async function replaysOf(tx: Tx, tenant: number, ids: number[]): Promise<number[]> {
  const { rows: pairs } = await sql<{ id: number }>`
    update replay_pairs set session_id = null where session_id = any(${ids}::bigint[]) returning id`.execute(
    tx,
  );
  const sids = pairs.flatMap(({ id }) => [laneSid(id, "baseline"), laneSid(id, "candidate")]);
  // Index: sessions_sid.
  const { rows: replayed } = await sql<{ id: number }>`
    select id from sessions
    where sub_organization_id = ${tenant} and channel_manager_service = ${REPLAY_SERVICE}
      and channel_manager_sid = any(${sids}::text[]) and legal_hold_at is null
    order by id for update`.execute(tx);
  return replayed.map(({ id }) => id);
}

/**
 * Tests in which the person said again what was said in these. The results let them go first, as pairs of replays do. One
 * that a hold keeps stays.
 */
async function testsOf(tx: Tx, tenant: number, ids: number[]): Promise<number[]> {
  const { rows: results } = await sql<{ id: number }>`
    update test_results set recorded_session_id = null
    where recorded_session_id = any(${ids}::bigint[]) returning id`.execute(tx);
  const { rows: played } = await sql<{ id: number }>`
    select id from sessions
    where sub_organization_id = ${tenant} and channel_manager_service = ${TEST_SERVICE}
      and channel_manager_sid = any(${results.map(({ id }) => testSid(id))}::text[])
      and legal_hold_at is null
    order by id for update`.execute(tx);
  return played.map(({ id }) => id);
}

/**
 * Deletes mails with their answers, and lists their files. The answers go in the same statement, because they refer to
 * the mails.
 */
export async function deleteMails(
  tx: Tx,
  tenant: number,
  which: RawBuilder<unknown>,
  most: number | null = null,
): Promise<number> {
  const { rows } = await sql<{ files: { file_name: string }[] }>`
    with asked as (select id from mail_messages where ${which} limit ${most}::bigint)
    delete from mail_messages where id in (select id from asked) or answers in (select id from asked)
    returning attachments as files`.execute(tx);
  const files = rows.flatMap((row) => row.files).filter(({ file_name }) => file_name);
  await listFiles(
    tx,
    tenant,
    files.map(({ file_name }) => `mail/${file_name}`),
  );
  return rows.length;
}

/**
 * Files of recordings that may have no row, because a process died before it stored that. Recordings that are still to be
 * fetched: their jobs go, too. Compared as texts: jobs of other kinds may be looked at first, whose call_id is no number.
 */
async function listCallFiles(tx: Tx, tenant: number, ids: number[]): Promise<void> {
  const { rows: lines } = await sql<{ id: number; leg: number }>`
    select id, leg from calls
    where session_id = any(${ids}::bigint[]) and (is_streamed or carrier = ${BROWSER})`.execute(tx);
  await listFiles(
    tx,
    tenant,
    lines.flatMap(filesOfLines).map((name) => `recordings/${name}`),
  );
  const { rows } = await sql<{ session_id: number; url: string }>`
    with jobs as (
      delete from graphile_worker._private_jobs job
      using graphile_worker._private_tasks task, calls call
      where task.id = job.task_id and task.identifier = 'fetch-recording' and job.locked_at is null
        and call.session_id = any(${ids}::bigint[]) and job.payload ->> 'call_id' = call.id::text
      returning call.session_id, job.payload ->> 'url' as url
    )
    select session_id, url from jobs`.execute(tx);
  await listFiles(
    tx,
    tenant,
    rows.flatMap(({ session_id, url }) =>
      recordingFilesOf(session_id, url).map((name) => `recordings/${name}`),
    ),
  );
}

/** Of a session that can be deleted nobody holds the lease, its call is over and its recording is not being fetched. */
export const busySessions = async (
  db: Db,
  ids: number[],
  now: Date,
): Promise<{ id: number; by: "turn" | "call" | "recording" }[]> => {
  const { rows } = await sql<{ id: number; by: "turn" | "call" | "recording" }>`
    select id, 'turn' as by from sessions
    where id = any(${ids}::bigint[]) and lease_owner is not null and lease_expires_at > ${now.toISOString()}::timestamptz
    union all
    select session_id, 'call' from calls where session_id = any(${ids}::bigint[]) and state <> 'ended'
    union all
    select call.session_id, 'recording' from calls call
    join graphile_worker._private_jobs job on job.payload ->> 'call_id' = call.id::text
    join graphile_worker._private_tasks task on task.id = job.task_id and task.identifier = 'fetch-recording'
    where call.session_id = any(${ids}::bigint[]) and job.locked_at is not null`.execute(db);
  return rows;
};
