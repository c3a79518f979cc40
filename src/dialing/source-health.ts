import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { afterOutcomes, healthy, type SourceHealth, type Tally } from "../planning/breaker.ts";

export type Source = { organization_id: number; source: string };

type Row = Source & {
  since: string;
  ended: number;
  failed: number;
  closed_until: string | null;
  trips: number;
  reason: string | null;
};

export const healthOf = (
  row: Pick<Row, "since" | "ended" | "failed" | "closed_until" | "trips" | "reason">,
): SourceHealth => ({
  since: new Date(row.since),
  ended: row.ended,
  failed: row.failed,
  closed_until: row.closed_until === null ? null : new Date(row.closed_until),
  trips: row.trips,
  reason: row.reason,
});

/**
 * Counts outcomes by source, and pauses sources from which nearly all attempts fail, with an event. A transaction locks
 * these rows last, in the order of their keys, because claims wait for them (claim.ts).
 */
export async function recordOutcomes(
  tx: Tx,
  outcomes: (Source & { tally: Tally })[],
  now: Date,
): Promise<void> {
  if (outcomes.length === 0) return;
  const found = await lockHealth(tx, outcomes);
  const rows = found.length < outcomes.length ? await lockNewHealth(tx, outcomes, now) : found;
  const known = new Map(rows.map((row) => [nameOf(row), healthOf(row)]));
  const changed = outcomes.map((outcome) => ({
    ...outcome,
    ...afterOutcomes(known.get(nameOf(outcome)) ?? healthy(now), outcome.tally, now),
  }));
  const written = changed.map(({ health, organization_id, source }) => ({
    ...health,
    organization_id,
    source,
  }));
  await sql`
    insert into dial_sources (organization_id, source, since, ended, failed, closed_until, trips, reason)
    select organization_id, source, since, ended, failed, closed_until, trips, reason
    from json_populate_recordset(null::dial_sources, ${JSON.stringify(written)}::json)
    order by organization_id, source
    on conflict (organization_id, source) do update set since = excluded.since, ended = excluded.ended,
      failed = excluded.failed, closed_until = excluded.closed_until, trips = excluded.trips,
      reason = excluded.reason`.execute(tx);
  for (const { organization_id, source, health, tripped } of changed) {
    if (tripped) await tellOfClosing(tx, { organization_id, source }, health, now);
  }
}

async function lockHealth(tx: Tx, sources: readonly Source[]): Promise<Row[]> {
  const wanted = sources.map(({ organization_id, source }) => ({ organization_id, source }));
  const { rows } = await sql<Row>`
    select s.* from dial_sources s
    join json_to_recordset(${JSON.stringify(wanted)}::json) as w (organization_id bigint, source text) using (organization_id, source)
    order by s.organization_id, s.source
    for update of s`.execute(tx);
  return rows;
}

/** Of sources that nothing was counted of: of two transactions that are the first, the later one counts on. */
async function lockNewHealth(tx: Tx, sources: readonly Source[], now: Date): Promise<Row[]> {
  const rows = sources.map(({ organization_id, source }) => ({ organization_id, source, ...healthy(now) }));
  await sql`
    insert into dial_sources (organization_id, source, since, ended, failed, trips)
    select organization_id, source, since, ended, failed, trips
    from json_populate_recordset(null::dial_sources, ${JSON.stringify(rows)}::json)
    order by organization_id, source
    on conflict do nothing`.execute(tx);
  return lockHealth(tx, sources);
}

const nameOf = ({ organization_id, source }: Source): string => `${organization_id} ${source}`;

/** The sub-organizations whose campaigns send from it. */
export async function organizationsSendingFrom(
  tx: Tx,
  { organization_id, source }: Source,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct c.sub_organization_id as id
    from campaigns c join sub_organizations s on s.id = c.sub_organization_id
    where s.organization_id = ${organization_id} and c.deleted_at is null
      and (
        ltrim(lower(${source}), '+') in (ltrim(lower(c.source), '+'), ltrim(lower(c.caller_id), '+'))
        or exists (
          select from number_group_numbers m join channel_targets t on t.id = m.channel_target_id
          where m.group_id = c.number_group_id and t.target = ${source}
        )
      )`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Writes the event for every sub-organization whose campaigns send from it. */
async function tellOfClosing(
  tx: Tx,
  { organization_id, source }: Source,
  { closed_until, trips, reason }: SourceHealth,
  at: Date,
): Promise<void> {
  for (const id of await organizationsSendingFrom(tx, { organization_id, source })) {
    await publish(tx, id, [
      {
        at,
        source: "outbound",
        source_id: null,
        category: "outbound",
        type: "source-paused",
        description: `${reason === null ? `Nearly all attempts from ${source} failed` : `The carrier refuses ${source}: ${reason}`}; nothing is tried from it until ${closed_until?.toISOString()}`,
        attributes: { source, until: closed_until, trips, reason },
      },
    ]);
  }
}
