import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { CALL_SILENCE_ms, LEASE_ms } from "../planning/attempt.ts";
import { UNPLACED } from "../planning/attempt-state.ts";
import { MOST_MOVED_ms } from "../planning/retries/outcome-rules.ts";
import { retryWait_s } from "../planning/retry-interval.ts";
import { WAITS_FOR_RETRY, waitsForStep } from "./candidates.ts";

/**
 * Makes wake times earlier, never later. Waits for the locks of all rows, in the order of their keys: a dialer that examines
 * a batch right now does not see this transaction yet, and could otherwise store a later wake time over this one.
 */
export async function wakeAt(tx: Tx, wakes: { batch_key: number; at: string }[]): Promise<void> {
  if (wakes.length === 0) return;
  await sql`
    with due as (
      select batch_key, min(at) as at
      from json_to_recordset(${JSON.stringify(wakes)}::json) as w (batch_key bigint, at timestamptz)
      group by batch_key
    ),
    locked as (
      select p.batch_key, least(p.wake_at, due.at) as at
      from batch_pacing p join due using (batch_key)
      order by p.batch_key
      for update of p
    )
    update batch_pacing p set wake_at = locked.at from locked where p.batch_key = locked.batch_key`.execute(
    tx,
  );
}

/**
 * Limits waiting retries to one interval from now, because a clock that was ahead set them too late. Calls that people
 * asked for stay. Runs only when a
 * dialer's clock was set back. Index: `requests_waiting`.
 */
export async function advanceRetries(db: Db, now: Date): Promise<void> {
  const { rows } = await sql<{
    id: number;
    retry_interval: string | null;
    waits: (string | null)[];
    step_waits: string[];
  }>`
    select distinct on (c.id) c.id, c.retry_interval,
      array(select rule ->> 'wait' from json_array_elements(c.retry_rules) rule) as waits,
      array(select step ->> 'wait' from json_array_elements(c.cadence -> 'steps') step) as step_waits
    from campaigns c join batches b on b.campaign_id = c.id
    where b.status = 'ACTIVE' and (c.retry_count > 0 or c.retry_rules is not null or c.cadence is not null)`.execute(
    db,
  );
  for (const { id, retry_interval, waits, step_waits } of rows) {
    for (const [index, wait] of step_waits.entries()) {
      const latest = new Date(now.getTime() + retryWait_s(wait) * 1000).toISOString();
      await sql`
        update requests r set due_at = ${latest}::timestamptz
        from batches b
        where b.campaign_id = ${id} and r.batch_key = b.key and ${waitsForStep(sql.lit(index + 1))}
          and r.call_back_after is distinct from r.attempt_count and r.due_at > ${latest}::timestamptz`.execute(
        db,
      );
    }
    const longest_s = Math.max(
      ...[retry_interval, ...waits.filter((wait) => wait !== null)].map(retryWait_s),
    );
    // Rules may move a retry to another hour.
    const moved_ms = waits.length === 0 ? 0 : MOST_MOVED_ms;
    const latest = new Date(now.getTime() + longest_s * 1000 + moved_ms).toISOString();
    await sql`
      update requests r set due_at = ${latest}::timestamptz
      from batches b
      where b.campaign_id = ${id} and r.batch_key = b.key and ${WAITS_FOR_RETRY}
        and r.call_back_after is distinct from r.attempt_count and r.due_at > ${latest}::timestamptz`.execute(
      db,
    );
  }
}

/**
 * Wakes all batches. Runs only when a dialer starts and when its clock was set back. Live calls are looked up with their
 * carrier within a minute, because callbacks may have been lost meanwhile.
 */
export async function lookAtAll(db: Db, now: Date): Promise<void> {
  const at = now.toISOString();
  const lease_end = new Date(now.getTime() + LEASE_ms).toISOString();
  await sql`
    update batch_pacing set wake_at = ${at} where batch_key in (
      select batch_key from batch_pacing where wake_at > ${at} order by batch_key for update skip locked
    )`.execute(db);
  await sql`
    update attempts set check_at = ${lease_end}::timestamptz
    where state in (${sql.join(UNPLACED.map((phase) => sql.lit(phase)))}) and check_at > ${lease_end}::timestamptz`.execute(
    db,
  );
  const silence_end = new Date(now.getTime() + CALL_SILENCE_ms).toISOString();
  await sql`
    update attempts set check_at = ${silence_end}::timestamptz
    where state = 'PLACED' and mode = 'voice' and check_at > ${silence_end}::timestamptz`.execute(db);
}
