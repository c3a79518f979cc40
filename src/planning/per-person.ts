import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/**
 * How often one address may be tried within any stretch of this length, over all campaigns of a sub-organization: first
 * attempts and retries, calls and texts alike. What the carrier did not take reached nobody and is not counted.
 */
export type PersonLimit = { attempts: number; window_ms: number };

/** An address that was tried as often as it may be; `until`: when the first of these tries is long enough ago. */
export type TooOften = PersonLimit & { until: Date };

type Address = { sub_organization_id: number; target: string };

const nameOf = ({ sub_organization_id, target }: Address): string => `${sub_organization_id} ${target}`;

/** Pure. `tried`: when the address was tried within the window, the latest first. */
export function tooOften(tried: readonly Date[], limit: PersonLimit): TooOften | null {
  const first = tried[limit.attempts - 1];
  return first === undefined ? null : { ...limit, until: new Date(first.getTime() + limit.window_ms) };
}

/** When addresses were tried lately; whoever starts an attempt says so with `add`. */
export class Tried {
  #limit: PersonLimit | null;
  #times: Map<string, Date[]>;

  constructor(limit: PersonLimit | null, times: Map<string, Date[]>) {
    this.#limit = limit;
    this.#times = times;
  }

  tooOften(address: Address): TooOften | null {
    return this.#limit && tooOften(this.#times.get(nameOf(address)) ?? [], this.#limit);
  }

  add(address: Address, at: Date): void {
    this.#times.set(nameOf(address), [at, ...(this.#times.get(nameOf(address)) ?? [])]);
  }
}

/**
 * As of now; final where the organization is locked (lines.ts), for no other process starts an attempt of it then.
 * Index: `attempts_target`.
 */
export async function readTried(
  db: Db,
  limit: PersonLimit | null,
  addresses: Address[],
  now: Date,
): Promise<Tried> {
  if (limit === null || addresses.length === 0) return new Tried(limit, new Map());
  const wanted = [...new Map(addresses.map((address) => [nameOf(address), address])).values()];
  const since = new Date(now.getTime() - limit.window_ms).toISOString();
  const { rows } = await sql<Address & { times: string[] }>`
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
  return new Tried(limit, new Map(rows.map((row) => [nameOf(row), row.times.map((at) => new Date(at))])));
}
