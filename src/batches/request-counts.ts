import { sql } from "kysely";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { RequestStatus } from "../channels/request-status.ts";
import type { Db } from "../db/database.ts";
import type { BatchDetails, OutcomeCounts } from "./batch-schema.ts";
import { ENDED_EARLY, isCanceling } from "./request-selection.ts";

/** How many requests of a batch have which statuses; triggers keep the count (src/db/schema.sql). */
export type Counts = Required<
  Pick<BatchDetails, "status_counts" | "detailed_status_counts" | "outcome_counts">
>;

export type RequestCount = {
  request_status: RequestStatus;
  channel_manager_status: ChannelStatus;
  n: number;
};

/**
 * Rows of a file that is being read count as PENDING; they will be stored all at once or not at all. What waits in a
 * batch that is over, or whose time is up, counts as CANCELED, written or not (`cancel-waiting.ts`). One statement, so that the moment in which
 * something is stored shows it once.
 */
export async function countRequests(db: Db, batch_key: number, now: Date): Promise<Counts> {
  const { rows } = await sql<RequestCount>`
    select request_status, channel_manager_status, sum(n) as n
    from (
      select
        case when is_canceled then 'CANCELED' else request_status end as request_status,
        case when is_canceled then 'CANCELED' else channel_manager_status end as channel_manager_status,
        n
      from request_counts
      cross join lateral (
        select request_status = 'PENDING'
          and (cancels_waiting or coalesce(expires_on <= ${now.toISOString()}::timestamptz, false)) as is_canceled
        from batches where key = ${batch_key}
      ) as batch
      where batch_key = ${batch_key}
      union all
      select 'PENDING', 'PENDING', rows_read from batch_uploads where batch_key = ${batch_key}
    ) as counted
    group by 1, 2
    having sum(n) <> 0
    order by 1, 2
  `.execute(db);
  const counts = tally(rows);
  const progress = await readProgress(db, [batch_key]);
  return {
    ...counts,
    outcome_counts: outcomes(counts.status_counts, progress, await countEndedTried(db, [batch_key], now)),
  };
}

/** Requests that ended as canceled, skipped or invalid although somebody had been tried; those who talked, and the others. */
export type EndedTried = { reached: number; in_vain: number };

/** Index: `requests_ended_tried`. What waits in a batch that is over is read only until `cancel-waiting.ts` has written it. */
export async function countEndedTried(db: Db, batch_keys: number[], now: Date): Promise<EndedTried> {
  const { rows } = await sql<EndedTried>`
    select count(*) filter (where talked) as reached, count(*) filter (where not talked) as in_vain
    from (
      select talked from requests
      where batch_key = any(${batch_keys}::bigint[]) and (attempt_count > 0 or talked)
        and request_status in ${ENDED_EARLY}
      union all
      select r.talked from batches b join requests r on r.batch_key = b.key
      where b.key = any(${batch_keys}::bigint[]) and ${isCanceling(now)}
        and r.request_status = 'PENDING' and (r.attempt_count > 0 or r.talked)
    ) as ended`.execute(db);
  return rows[0] ?? { reached: 0, in_vain: 0 };
}

/** How far the requests of some batches came, kept by triggers like the counts (src/db/schema.sql). */
export type RequestProgress = {
  /** Requests with an attempt; of these, those that a person answered or that were delivered, and so on. */
  tried: number;
  answered: number;
  talked: number;
  reached_goal: number;
  /** Calls that a machine answered and that are over; those on which a message was left. */
  machines: number;
  voicemails_left: number;
  /** Skipped requests by reason. */
  skipped: Record<string, number>;
};

/** Index: `request_progress_batch`. */
export async function readProgress(db: Db, batch_keys: number[]): Promise<RequestProgress> {
  const { rows } = await sql<Omit<RequestProgress, "skipped"> & { skip_reason: string | null; n: number }>`
    select skip_reason, sum(skipped) as n, sum(tried) as tried, sum(answered) as answered, sum(talked) as talked,
      sum(reached_goal) as reached_goal, sum(machines) as machines, sum(voicemails_left) as voicemails_left
    from request_progress where batch_key = any(${batch_keys}::bigint[])
    group by 1 order by 1`.execute(db);
  const sum = (of: keyof (typeof rows)[number]) => rows.reduce((total, row) => total + Number(row[of]), 0);
  return {
    tried: sum("tried"),
    answered: sum("answered"),
    talked: sum("talked"),
    reached_goal: sum("reached_goal"),
    machines: sum("machines"),
    voicemails_left: sum("voicemails_left"),
    skipped: Object.fromEntries(
      rows.flatMap(({ skip_reason, n }) => (skip_reason === null || n === 0 ? [] : [[skip_reason, n]])),
    ),
  };
}

export function outcomes(
  status_counts: Record<string, number>,
  { machines, voicemails_left }: Pick<RequestProgress, "machines" | "voicemails_left">,
  ended: EndedTried,
): OutcomeCounts {
  const sum = (...statuses: RequestStatus[]) =>
    statuses.reduce((total, status) => total + (status_counts[status] ?? 0), 0);
  return {
    reached: Math.max(sum("COMPLETED") - machines, 0) + ended.reached,
    voicemail_left: voicemails_left,
    not_reached: sum("FAILED") + machines - voicemails_left + ended.in_vain,
    not_tried: Math.max(
      sum("SKIPPED", "CANCELED", "INVALID", "DUPLICATE") - ended.reached - ended.in_vain,
      0,
    ),
    open: sum("PENDING", "INITIATED", "CONNECTED"),
  };
}

/** Rows a batch may gather before they are worth adding up; reading that many takes no time. */
const MAX_ROWS = 100;

/** Adds up what the triggers appended. Nothing waits for it, and it may run twice at once. */
export async function foldCounts(db: Db): Promise<void> {
  await sql`
    with folded as (
      delete from request_counts
      where batch_key in (
        select batch_key from request_counts group by batch_key having count(*) > ${MAX_ROWS}::integer
      )
      returning *
    )
    insert into request_counts
    select batch_key, request_status, channel_manager_status, sum(n) from folded
    group by 1, 2, 3
    having sum(n) <> 0
  `.execute(db);
  await sql`
    with folded as (
      delete from request_progress
      where batch_key in (
        select batch_key from request_progress group by batch_key having count(*) > ${MAX_ROWS}::integer
      )
      returning *
    )
    insert into request_progress
    select batch_key, skip_reason, sum(skipped), sum(tried), sum(answered), sum(talked), sum(reached_goal),
      sum(machines), sum(voicemails_left)
    from folded group by 1, 2`.execute(db);
}

/** By status, and within it by channel status. */
export function tally(rows: RequestCount[]) {
  const status_counts: Record<string, number> = {};
  const detailed_status_counts: Record<string, { total_count: number; counts: Record<string, number> }> = {};
  for (const { request_status, channel_manager_status, n } of rows) {
    detailed_status_counts[request_status] ??= { total_count: 0, counts: {} };
    const of = detailed_status_counts[request_status];
    of.counts[channel_manager_status] = n;
    of.total_count += n;
    status_counts[request_status] = of.total_count;
  }
  return { status_counts, detailed_status_counts };
}
