import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { asWriter } from "../db/reading.ts";

const DAY_MS = 86_400_000;

/** What a sub-organization may use up in a period. */
export type Allowance = {
  /** Of the row, and of its event: the event of `model-tokens` is `model-tokens-used-up`. */
  name: "model-tokens" | "model-cost" | "visitors";
  most: number;
  period_ms: number;
  /** Of the event. */
  description: string;
};

export type Use = { allowance: Allowance; amount: number };

/** Periods are the same in every process: days and minutes of UTC. */
export const periodOf = (at: Date, period_ms: number): Date =>
  new Date(Math.floor(at.getTime() / period_ms) * period_ms);

/** Until the next period, at least a second. */
export const untilNext_ms = (at: Date, period_ms: number): number =>
  Math.max(1000, periodOf(at, period_ms).getTime() + period_ms - at.getTime());

/** Whether the row counts another period than the one that is added to. */
const isOver = sql`(a.began_at < excluded.began_at
  or a.began_at > (select next_at from added where added.name = a.name))`;

/**
 * Adds to what is used, of all processes together, and resolves with the sums in the same order. The event tells once a day
 * that an allowance is used up. One statement for all of them, in no transaction of others: who holds the rows is done in a
 * moment. Its commit waits for no disk: a database server that crashes may forget what half a second added.
 */
export async function addUsed(
  db: Db,
  sub_organization_id: number,
  uses: readonly Use[],
  now: Date,
): Promise<number[]> {
  const at = now.toISOString();
  const day = periodOf(now, DAY_MS).toISOString();
  const added = JSON.stringify(
    uses.map(({ allowance: { name, most, period_ms, description }, amount }) => {
      const began_at = periodOf(now, period_ms);
      // Another process may be slightly ahead, and in the next period already. A row beyond that was counted by a clock
      // that has been set back since.
      const next_at = new Date(began_at.getTime() + period_ms);
      return {
        name,
        most,
        amount,
        description,
        began_at: began_at.toISOString(),
        next_at: next_at.toISOString(),
      };
    }),
  );
  const { rows } = await asWriter(() =>
    sql<{ name: string; used: number }>`
      with added as (
        select * from json_to_recordset(${added}::json)
          as (name text, most numeric, amount bigint, description text, began_at timestamptz, next_at timestamptz)),
      before as (
        select name, told_at from allowances
        where sub_organization_id = ${sub_organization_id} and name in (select name from added)),
      counted as (
        insert into allowances as a (sub_organization_id, name, began_at, used, told_at)
        select ${sub_organization_id}, name, began_at, amount, case when amount >= most then ${at}::timestamptz end
        from added, set_config('synchronous_commit', 'off', true)
        order by name
        on conflict (sub_organization_id, name) do update set
          used = case when ${isOver} then 0 else a.used end + excluded.used,
          began_at = case when ${isOver} then excluded.began_at else a.began_at end,
          told_at = case
            when (a.told_at is null or a.told_at < ${day}::timestamptz)
              and case when ${isOver} then 0 else a.used end + excluded.used
                >= (select most from added where added.name = a.name)
            then ${at}::timestamptz else a.told_at end
        returning name, used, told_at),
      told as (
        insert into events (sub_organization_id, timestamp, source, category, type, description, attributes)
        select ${sub_organization_id}, ${at}::timestamptz, 'api', 'limits', name || '-used-up', description,
          json_build_object('limit', most)
        from counted join added using (name)
        where counted.told_at = ${at}::timestamptz and used - amount < most
          and not exists (
            select from before where before.name = counted.name and before.told_at >= ${day}::timestamptz))
      select name, used from counted`.execute(db),
  );
  const sums = new Map(rows.map(({ name, used }) => [name, used]));
  return uses.map(({ allowance, amount }) => sums.get(allowance.name) ?? amount);
}
