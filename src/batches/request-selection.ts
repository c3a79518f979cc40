import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { invalid } from "../base/errors.ts";
import { ChannelManagerStatus } from "../channels/channel-status.ts";
import { RequestStatus } from "./batch-schema.ts";

const REQUEST_OUTCOMES = ["reached", "voicemail_left", "not_reached", "not_tried", "open"] as const;
const FUNNEL_STAGES = ["tried", "answered", "talked", "goal"] as const;

/** Which requests of a campaign; all that is named must hold. */
export const RequestFilter = z.object({
  batch_id: z.string().nullish(),
  request_status: RequestStatus.nullish(),
  channel_manager_status: ChannelManagerStatus.nullish(),
  outcome: z.enum(REQUEST_OUTCOMES).nullish(),
  stage: z.enum(FUNNEL_STAGES).nullish(),
  skip_reason: z.string().max(100).nullish(),
  before: z.string().max(60).nullish(),
});
export type RequestFilter = z.output<typeof RequestFilter>;

/**
 * Picked by their numbers, or by what they have in common. A filter that is empty or misspelt is refused: ignored, it would
 * mean more people than the caller does.
 */
export const RequestSelection = z.strictObject({
  ...RequestFilter.shape,
  batch_id: z.string().min(1).nullish(),
  skip_reason: z.string().min(1).max(100).nullish(),
  request_ids: z.array(z.int().min(1)).min(1).max(10_000).nullish(),
});
export type RequestSelection = z.output<typeof RequestSelection>;

/** The place of a request in the list, newest first. */
export type RequestPlace = { batch_key: number; request_id: number };

export const placeText = ({ batch_key, request_id }: RequestPlace): string => `${batch_key}.${request_id}`;

export function readPlace(text: string, where: (string | number)[]): RequestPlace {
  const [, batch_key, request_id] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (batch_key === undefined || request_id === undefined)
    throw invalid([...where, "before"], "Use `next` of the page before.");
  return { batch_key: Number(batch_key), request_id: Number(request_id) };
}

/** Refuses a selection that names nothing: nobody means everybody of a campaign by leaving all out. */
export function refuseEmptySelection(selection: RequestSelection): void {
  const { before: _, ...named } = selection;
  if (Object.values(named).every((value) => value === null || value === undefined))
    throw invalid(["body"], "Name request_ids, or at least one filter.");
}

/** What of a batch `b` is written as PENDING is as good as canceled. */
export const isCanceling = (now: Date) =>
  sql`(b.cancels_waiting or coalesce(b.expires_on <= ${now.toISOString()}::timestamptz, false))`;

/** The status of a request `r` of a batch `b`, as people are told it. */
export const statusShown = (now: Date): RawBuilder<z.output<typeof RequestStatus>> =>
  sql`case when r.request_status = 'PENDING' and ${isCanceling(now)} then 'CANCELED' else r.request_status end`;

const IS_MACHINE = sql`r.request_status = 'COMPLETED' and coalesce(r.answered_by = 'MACHINE', false)`;

/** Statuses that can end a request between two attempts, as when its batch expires before a retry. */
export const ENDED_EARLY = sql`('SKIPPED', 'CANCELED', 'INVALID')`;

export const STAGE_MET = {
  tried: sql`(r.attempt_count > 0 or r.talked)`,
  answered: sql`(r.talked or r.answered_by is distinct from 'MACHINE'
    and (r.answered_by is not null or r.request_status = 'COMPLETED'))`,
  talked: sql`r.talked`,
  goal: sql`(r.talked and r.reached_goal)`,
} as const satisfies Record<(typeof FUNNEL_STAGES)[number], RawBuilder<unknown>>;

function outcomeMet(outcome: (typeof REQUEST_OUTCOMES)[number], now: Date): RawBuilder<unknown> {
  const shown = statusShown(now);
  switch (outcome) {
    case "reached":
      return sql`r.request_status = 'COMPLETED' and r.answered_by is distinct from 'MACHINE'
        or r.talked and ${shown} in ${ENDED_EARLY}`;
    case "voicemail_left":
      return sql`${IS_MACHINE} and r.voicemail_left`;
    case "not_reached":
      return sql`r.request_status = 'FAILED' or ${IS_MACHINE} and r.voicemail_left is not true
        or r.attempt_count > 0 and not r.talked
          and (r.request_status in ${ENDED_EARLY} or r.request_status = 'PENDING' and ${isCanceling(now)})`;
    case "not_tried":
      return sql`r.attempt_count = 0 and not r.talked
        and ${shown} in ('SKIPPED', 'CANCELED', 'INVALID', 'DUPLICATE')`;
    case "open":
      return sql`${shown} in ('PENDING', 'INITIATED', 'CONNECTED')`;
  }
}

/**
 * The condition on a request `r` of a batch `b`. Statuses stand in it as literals, so that PostgreSQL sees that the
 * partial indexes `requests_decided`, `requests_outcome` and `requests_skipped` fit.
 */
function selectionMet(selection: RequestSelection, now: Date): RawBuilder<boolean> {
  const { request_status, channel_manager_status, outcome, stage, skip_reason, request_ids } = selection;
  const all: RawBuilder<unknown>[] = [sql`true`];
  if (request_status === "PENDING" || request_status === "CANCELED") {
    all.push(sql`r.request_status in ('PENDING', 'CANCELED')`);
    all.push(sql`${statusShown(now)} = ${sql.lit(request_status)}`);
  } else if (request_status) all.push(sql`r.request_status = ${sql.lit(request_status)}`);
  if (channel_manager_status) all.push(sql`r.channel_manager_status = ${sql.lit(channel_manager_status)}`);
  if (outcome) all.push(outcomeMet(outcome, now));
  if (stage) all.push(STAGE_MET[stage]);
  if (skip_reason) all.push(sql`r.skip_reason is not null and r.skip_reason ->> 'reason' = ${skip_reason}`);
  if (request_ids) all.push(sql`r.id = any(${request_ids}::bigint[])`);
  return sql`(${sql.join(
    all.map((one) => sql`(${one})`),
    sql` and `,
  )})`;
}

/** Requests `r` of a campaign's batches `b` that a selection means, newest first; `columns` of both. */
export function selectRequests<Row>(
  selection: RequestSelection,
  of: {
    campaign_id: number;
    columns: RawBuilder<unknown>;
    most: number;
    now: Date;
    from: RequestPlace | null;
  },
): RawBuilder<Row> {
  const { campaign_id, columns, most, now, from } = of;
  const beyond =
    from === null
      ? sql`true`
      : sql`(r.batch_key, r.id) < (${from.batch_key}::bigint, ${from.request_id}::bigint)`;
  const batch = selection.batch_id
    ? sql`b.batch_id = ${selection.batch_id}`
    : from === null
      ? sql`true`
      : sql`b.key <= ${from.batch_key}::bigint`;
  return sql<Row>`
    select ${columns}
    from batches b cross join lateral (
      select * from requests r
      where r.batch_key = b.key and ${selectionMet(selection, now)} and ${beyond}
      order by r.id desc limit ${most}
    ) r
    where b.campaign_id = ${campaign_id} and ${batch}
    order by b.key desc, r.id desc limit ${most}`;
}
