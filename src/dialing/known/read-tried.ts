import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { type PersonLimit, Tried, type TriedAddress, triedName } from "../../planning/per-person.ts";

/**
 * Attempts per person so far. Exact while the organization is locked (lines.ts), since no other process then starts one.
 * Index: `attempts_target`.
 */
export async function readTried(
  db: Db,
  limit: PersonLimit | null,
  addresses: TriedAddress[],
  now: Date,
): Promise<Tried> {
  if (limit === null || addresses.length === 0) return new Tried(limit, new Map());
  const wanted = [...new Map(addresses.map((address) => [triedName(address), address])).values()];
  const since = new Date(now.getTime() - limit.window_ms).toISOString();
  const { rows } = await sql<TriedAddress & { times: string[] }>`
    select w.sub_organization_id, w.target, tried.times
    from json_to_recordset(${JSON.stringify(wanted)}::json) as w (sub_organization_id bigint, target text)
    cross join lateral (
      select json_agg(started_at order by started_at desc) as times from (
        select started_at from attempts a
        where a.sub_organization_id = w.sub_organization_id and a.target = w.target
          and a.started_at > ${since}::timestamptz and (a.state <> 'ENDED' or a.channel_status <> 'PENDING')
        order by started_at desc limit ${limit.attempts}
      ) latest
    ) tried
    where tried.times is not null`.execute(db);
  return new Tried(limit, new Map(rows.map((row) => [triedName(row), row.times.map((at) => new Date(at))])));
}
