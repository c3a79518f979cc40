import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { asWriter } from "../db/reading.ts";

const DAY_MS = 86_400_000;

/** What a sub-organization may use up in a period. */
export type Allowance = {
  /** Of the row, and of its event: `model-tokens` is told as `model-tokens-used-up`. */
  name: "model-tokens" | "model-cost" | "visitors";
  most: number;
  period_ms: number;
  /** Of the event. */
  description: string;
};

/** Periods are the same in every process: days and minutes of UTC. */
export const periodOf = (at: Date, period_ms: number): Date =>
  new Date(Math.floor(at.getTime() / period_ms) * period_ms);

/** Until the next period, at least a second. */
export const untilNext_ms = (at: Date, period_ms: number): number =>
  Math.max(1000, periodOf(at, period_ms).getTime() + period_ms - at.getTime());

/**
 * Adds to what is used, of all processes together, and resolves with the sum. The event tells once a day that it is used up.
 * One statement, in no transaction of others: who holds the row is done in a moment.
 */
export async function addUsed(
  db: Db,
  sub_organization_id: number,
  { name, most, period_ms, description }: Allowance,
  amount: number,
  now: Date,
): Promise<number> {
  const began = periodOf(now, period_ms).toISOString();
  const at = now.toISOString();
  const day = periodOf(now, DAY_MS).toISOString();
  const { rows } = await asWriter(() =>
    sql<{ used: number }>`
      with before as (
        select told_at from allowances where sub_organization_id = ${sub_organization_id} and name = ${name}),
      counted as (
        insert into allowances as a (sub_organization_id, name, began_at, used, told_at)
        values (${sub_organization_id}, ${name}, ${began}::timestamptz, ${amount}::bigint,
          case when ${amount}::bigint >= ${most}::bigint then ${at}::timestamptz end)
        on conflict (sub_organization_id, name) do update set
          used = case when a.began_at < excluded.began_at then 0 else a.used end + excluded.used,
          began_at = greatest(a.began_at, excluded.began_at),
          told_at = case
            when (a.told_at is null or a.told_at < ${day}::timestamptz)
              and case when a.began_at < excluded.began_at then 0 else a.used end + excluded.used >= ${most}::bigint
            then ${at}::timestamptz else a.told_at end
        returning used, told_at),
      told as (
        insert into events (sub_organization_id, timestamp, source, category, type, description, attributes)
        select ${sub_organization_id}, ${at}::timestamptz, 'api', 'limits', ${`${name}-used-up`}, ${description},
          ${JSON.stringify({ limit: most })}::json
        from counted
        where counted.told_at = ${at}::timestamptz and used - ${amount}::bigint < ${most}::bigint
          and not exists (select from before where before.told_at >= ${day}::timestamptz))
      select used from counted`.execute(db),
  );
  return rows[0]?.used ?? amount;
}
