import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import type { Contender } from "../../planning/places/place-order.ts";
import { laneName } from "../cadences/lanes.ts";
import type { DueBatch } from "../due-batches.ts";
import { type AttemptPlace, placeOf } from "./place.ts";

/** Waits for a place and is not looked at by this claim. */
export type AbsentContender = Contender & { place: AttemptPlace; number_group_id: number | null };

/**
 * A batch that found no free place looks again within a second. Who did not for so long waits for something else by now,
 * or its dialer is too busy; nothing is set aside for it any more.
 */
const LOOKED_WITHIN_ms = 3_000;
/** Rows of batches that were paused or deleted while they waited. */
const FORGOTTEN_ms = 60_000;
/** Places asked for by the absent of one campaign and number; more are rarely free in one claim. */
const MOST_ABSENT = 50;

/**
 * Batches that would start an attempt if a place were free. A claim sees those that another process holds, or that are not
 * due for some tenths of a second, and sets places aside for them. So priorities hold however many dialers there are and
 * whichever of them finds a place first.
 */
export class PlaceQueue {
  readonly absent: AbsentContender[];
  /** Since when each lane of this claim waits, where it has a row. Null: the row is old, because no claim updated it. */
  #since: Map<string, Date | null>;
  #here: DueBatch[];
  /** Organizations with rows that no claim has updated for long. */
  #withStaleRows: number[];
  #waiting = new Map<string, DueBatch>();
  #now: Date;

  private constructor(rows: WaitRow[], here: DueBatch[], now: Date) {
    this.#here = here;
    this.#now = now;
    this.#since = new Map(
      rows.flatMap(({ batch_key, step, since }): [string, Date | null][] =>
        batch_key === null ? [] : [[laneName({ batch_key, step }), dateOf(since)]],
      ),
    );
    const others = rows.filter(({ batch_key }) => batch_key === null);
    this.absent = others.flatMap(
      ({ batch_key: _, step: __, forgotten: ___, n, since, priority, number_group_id, ...place }) =>
        Array.from({ length: Math.min(n, MOST_ABSENT) }, () => ({
          campaign_id: place.campaign_id,
          batch_key: null,
          priority,
          since: dateOf(since),
          number_group_id,
          place,
        })),
    );
    this.#withStaleRows = others.flatMap(({ forgotten, organization_id }) =>
      forgotten > 0 ? [organization_id] : [],
    );
  }

  /**
   * Under the lock of the organizations of `open`. `here`: all lanes that this claim looks at. Few rows or none, unless
   * places are short. Index: `place_waits_organization`.
   */
  static async read(tx: Tx, open: DueBatch[], here: DueBatch[], now: Date): Promise<PlaceQueue> {
    const organizations = [...new Set(open.map(({ organization_id }) => organization_id))];
    const keys = [...new Set(here.map(({ batch_key }) => batch_key))];
    const looked_after = new Date(now.getTime() - LOOKED_WITHIN_ms).toISOString();
    const forgotten_before = new Date(now.getTime() - FORGOTTEN_ms).toISOString();
    const { rows } = await sql<WaitRow>`
      select w.batch_key, w.step, w.organization_id, w.campaign_id, w.agent_id, w.is_call, w.source, w.number_group_id,
        c.priority, c.max_concurrent as campaign_most, a.max_concurrent as agent_most,
        min(w.since) filter (where w.looked_at > ${looked_after}::timestamptz) as since,
        count(*) filter (where w.looked_at > ${looked_after}::timestamptz) as n,
        count(*) filter (where w.looked_at < ${forgotten_before}::timestamptz) as forgotten
      from (
        select case when is_here then batch_key end as batch_key, case when is_here then step else 0 end as step,
          organization_id, campaign_id, agent_id, is_call, source, number_group_id, since, looked_at
        from (
          select *, batch_key = any(${keys}::bigint[]) as is_here from place_waits
          where organization_id = any(${organizations}::bigint[])
        ) all_waits
      ) w
      join campaigns c on c.id = w.campaign_id
      left join agents a on a.id = w.agent_id
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11`.execute(tx);
    return new PlaceQueue(rows, here, now);
  }

  /** Null: it did not wait when it was last looked at. */
  since(batch: DueBatch): Date | null {
    return this.#since.get(laneName(batch)) ?? null;
  }

  note(batch: DueBatch, isShort: boolean): void {
    if (isShort) this.#waiting.set(laneName(batch), batch);
    else this.#waiting.delete(laneName(batch));
  }

  /**
   * `started`: batches that started an attempt. The waiting time of their campaigns starts again, with all batches of
   * each.
   */
  async store(tx: Tx, started: DueBatch[]): Promise<void> {
    const keys = new Set(started.map(({ batch_key }) => batch_key));
    const campaigns = new Set(started.map(({ campaign }) => campaign.id));
    const waiting = [...this.#waiting.values()].filter(({ batch_key }) => !keys.has(batch_key));
    const names = new Set(waiting.map(laneName));
    const gone = this.#here
      .filter((lane) => this.#since.has(laneName(lane)) && !names.has(laneName(lane)))
      .map(({ batch_key, step }) => ({ batch_key, step }));
    const isServed = this.absent.some(({ campaign_id }) => campaigns.has(campaign_id));
    if (waiting.length > 0 || gone.length > 0 || isServed) {
      const at = this.#now.toISOString();
      const rows = waiting.map((batch) => ({
        batch_key: batch.batch_key,
        step: batch.step,
        ...placeOf(batch),
        number_group_id: batch.campaign.number_group_id,
        since: campaigns.has(batch.campaign.id) ? at : (this.since(batch)?.toISOString() ?? at),
        looked_at: at,
      }));
      await sql`
        with gone as (
          delete from place_waits w using json_to_recordset(${JSON.stringify(gone)}::json) as g (batch_key bigint, step smallint)
          where w.batch_key = g.batch_key and w.step = g.step
        ),
        served as (
          update place_waits set since = ${at}::timestamptz
          where organization_id = any(${[...new Set(started.map(({ organization_id }) => organization_id))]}::bigint[])
            and campaign_id = any(${[...campaigns]}::bigint[])
            and batch_key <> all(${this.#here.map(({ batch_key }) => batch_key)}::bigint[])
        )
        insert into place_waits (batch_key, step, organization_id, campaign_id, agent_id, is_call, source,
          number_group_id, since, looked_at)
        select batch_key, step, organization_id, campaign_id, agent_id, is_call, source, number_group_id, since, looked_at
        from json_populate_recordset(null::place_waits, ${JSON.stringify(rows)}::json)
        on conflict (batch_key, step) do update set campaign_id = excluded.campaign_id, agent_id = excluded.agent_id,
          is_call = excluded.is_call, source = excluded.source, number_group_id = excluded.number_group_id,
          since = excluded.since, looked_at = excluded.looked_at`.execute(tx);
    }
    if (this.#withStaleRows.length > 0) await this.#forget(tx);
  }

  async #forget(tx: Tx): Promise<void> {
    await sql`
      delete from place_waits where organization_id = any(${this.#withStaleRows}::bigint[])
        and looked_at < ${new Date(this.#now.getTime() - FORGOTTEN_ms).toISOString()}::timestamptz`.execute(
      tx,
    );
  }
}

/** Of a lane that this claim looks at; `batch_key` null: of all others with the same campaign and number. */
type WaitRow = AttemptPlace & {
  batch_key: number | null;
  step: number;
  number_group_id: number | null;
  priority: number;
  /** Null: none of them was looked at lately. */
  since: string | null;
  n: number;
  forgotten: number;
};

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
