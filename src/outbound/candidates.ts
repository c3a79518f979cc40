import { sql } from "kysely";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { suppressed } from "../channels/suppression.ts";
import type { Tx } from "../db/database.ts";
import type { DueBatch } from "./due-batches.ts";
import { missingFields } from "./enrichment.ts";
import type { Day, Obstacle, RequestView } from "./next-step.ts";
import { filterTarget } from "./target-filter.ts";

/** A request that may be the next one of its batch. */
export type Candidate = {
  batch_key: number;
  request_id: number;
  reference_id: string;
  target: string;
  channel_status: ChannelStatus;
  attempt_count: number;
  refusals: number;
  due_at: string;
  request_variables: Record<string, string>;
  enrichment: Record<string, unknown> | null;
  counted_on: string[];
};

/** A campaign that filters may skip many before it finds somebody to reach. */
const FILTERED_FIRSTS = 20;

/**
 * Of each batch the retry that is due first, and the requests that wait longest for a first attempt: in that order they
 * are taken. Reads a handful of rows however many wait (indexes: `requests_retry`, `requests_due`); those that somebody
 * changes right now, or whose reference is being reached, are passed over.
 */
export async function lockCandidates(
  tx: Tx,
  batches: { batch: DueBatch; days: Day[] }[],
): Promise<Map<number, Candidate[]>> {
  const given = batches.map(({ batch, days }) => ({
    batch_key: batch.batch_key,
    campaign_id: batch.campaign.id,
    days: days.map(({ date }) => date),
    firsts: isFiltered(batch) ? FILTERED_FIRSTS : 1,
  }));
  const { rows } = await sql<Candidate>`
    select w.batch_key, r.*, array(
      select distinct a.counted_on::text from attempts a
      where a.campaign_id = w.campaign_id and a.reference_id = r.reference_id and a.counted_on = any(w.days)
    ) as counted_on
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (batch_key bigint, campaign_id bigint, days date[], firsts integer)
    cross join lateral (
      select * from (
        select ${REQUEST} from requests r
        where r.batch_key = w.batch_key and r.request_status = 'PENDING' and r.attempt_count > 0 and ${NOT_LIVE}
        order by r.due_at limit 1 for update skip locked
      ) retry
      union all
      select * from (
        select ${REQUEST} from requests r
        where r.batch_key = w.batch_key and r.request_status = 'PENDING' and r.attempt_count = 0 and ${NOT_LIVE}
        order by r.due_at limit w.firsts for update skip locked
      ) first
    ) r`.execute(tx);
  return Map.groupBy(rows, ({ batch_key }) => batch_key);
}

const REQUEST = sql`
  r.id as request_id, r.reference_id, r.target, r.channel_manager_status as channel_status, r.attempt_count,
  r.refusals, r.due_at, r.request_variables, r.enrichment`;

const NOT_LIVE = sql`not exists (
  select from attempts a
  where a.campaign_id = w.campaign_id and a.reference_id = r.reference_id and a.state <> 'ENDED')`;

const isFiltered = ({ campaign }: DueBatch): boolean =>
  (campaign.target_filters?.rules.length ?? 0) > 0 || (campaign.allowed_line_types?.length ?? 0) > 0;

/** Who must not be reached, by batch and address; one question per organization and mode. */
export async function findSuppressed(
  tx: Tx,
  batches: DueBatch[],
  candidates: Map<number, Candidate[]>,
): Promise<(batch: DueBatch, address: string) => ChannelStatus | null> {
  const found = new Map<string, Map<string, ChannelStatus>>();
  for (const [name, group] of Map.groupBy(batches, listName)) {
    const [first] = group as [DueBatch, ...DueBatch[]];
    const addresses = group.flatMap(({ batch_key }) =>
      (candidates.get(batch_key) ?? []).map(({ target }) => target),
    );
    found.set(
      name,
      await suppressed(tx, first.sub_organization_id, first.campaign.mode, [...new Set(addresses)]),
    );
  }
  return (batch, address) => found.get(listName(batch))?.get(address) ?? null;
}

const listName = ({ sub_organization_id, campaign }: DueBatch): string =>
  `${sub_organization_id} ${campaign.mode}`;

/** What stands in the way of a request; null: nothing. */
export function obstacleOf(
  { campaign }: DueBatch,
  { target, enrichment }: { target: string; enrichment: Candidate["enrichment"] },
  blocked: ChannelStatus | null,
): Obstacle | null {
  if (blocked !== null)
    return {
      kind: "suppressed",
      status: blocked,
      text: `Skipped: ${target} is on the list of those who must not be reached (${blocked}).`,
    };
  if (campaign.mode === "email") return null;
  if (missingFields(campaign, enrichment).length > 0) return { kind: "lookup" };
  const verdict = filterTarget(campaign, enrichment);
  return verdict.kind === "pass"
    ? null
    : { kind: "filtered", status: "FILTERED_LINE_TYPE", text: `Skipped: ${verdict.reason}.` };
}

export const requestView = (
  candidate: Candidate,
  retry_count: number,
  obstacle: Obstacle | null,
): RequestView => ({
  ...candidate,
  retry_count,
  due_at: new Date(candidate.due_at),
  is_reached_elsewhere: false,
  obstacle,
});
