import { sql } from "kysely";
import { sha256 } from "../../base/crypto.ts";
import type { Db } from "../../db/database.ts";

/** So many within a window that begins with the first. */
export type AttemptLimit = { key: string; most: number; window_ms: number };
type AttemptCount = { count: number; window_ends: Date };

/** Forgotten in passing, a few at a time. */
const FORGOTTEN_AT_ONCE = 50;

/**
 * Counts one more before it is tried, so that many at once don't get past the limit together. One statement; rows are
 * taken in the order of their keys, so that two of them never wait for each other.
 */
export async function countAttempt(
  db: Db,
  now: Date,
  allowances: AttemptLimit[],
): Promise<Map<string, AttemptCount>> {
  const at = now.toISOString();
  const rows = allowances
    .map(({ key, window_ms }) => ({
      key,
      hash: sha256(key),
      window_ends: new Date(now.getTime() + window_ms).toISOString(),
    }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  await sql`delete from attempt_counts where key in (
    select key from attempt_counts where window_ends <= ${at} order by window_ends limit ${FORGOTTEN_AT_ONCE}::bigint
    for update skip locked)`.execute(db);
  // One that ends well after a window that begins now is of a clock that was ahead; machines differ by seconds.
  const isOver = sql`(a.window_ends <= ${at} or a.window_ends > excluded.window_ends + interval '1 minute')`;
  const counted = await sql<{ key: string; count: number; window_ends: string }>`
    insert into attempt_counts as a (key, count, window_ends)
    select key, 1, window_ends::timestamptz
    from unnest(${rows.map((row) => row.hash)}::text[], ${rows.map((row) => row.window_ends)}::text[]) as t (key, window_ends)
    on conflict (key) do update set
      count = case when ${isOver} then 1 else least(a.count + 1, 1000000) end,
      window_ends = case when ${isOver} then excluded.window_ends else a.window_ends end
    returning key, count, window_ends`.execute(db);
  const byHash = new Map(counted.rows.map((row) => [row.key, row]));
  return new Map(
    rows.map(({ key, hash, window_ends }) => {
      const row = byHash.get(hash);
      return [key, { count: row?.count ?? 1, window_ends: new Date(row?.window_ends ?? window_ends) }];
    }),
  );
}

/** Takes one back, where it turned out to be none that counts. */
export async function uncountAttempt(db: Db, keys: string[]): Promise<void> {
  await sql`update attempt_counts set count = greatest(count - 1, 0)
    where key in (select key from attempt_counts where key = any(${keys.map(sha256)}::text[]) order by key for update)`.execute(
    db,
  );
}
