import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { DB } from "./types.ts";

/*
 * How PostgreSQL plans a statement, and how statements tell the planner what its statistics can't.
 *
 * Every statement is prepared: a connection names it by its text. PostgreSQL keeps it parsed and, from the sixth execution
 * on, uses a generic plan when that is no more expensive. Without names, a chat turn takes 1.36 times as long and a read of
 * the API 1.3 to 2.1 times (docs/decisions/0093).
 *
 * Plans depend on statistics, which are a minute old at best, so a table that fills within that minute is planned as an
 * empty one. Where this was measured to be slow, the transaction or the statement uses one of the settings below.
 */

/** After this many texts a connection prepares no new ones. */
const MAX_NAMED_STATEMENTS = 500;

/** The names of the statements that one connection has prepared. */
export class StatementNames {
  #names = new Map<string, string>();

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known) return known;
    if (this.#names.size >= MAX_NAMED_STATEMENTS) return undefined;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

// As in database.ts, which imports this file.
type AnyDb = Kysely<DB>;
type AnyTx = Transaction<DB>;

/** PostgreSQL's settings, by name. */
type Settings = Record<string, string>;

/**
 * For a handful of rows by their keys, in tables that grow by the thousand in a minute. A generic plan made while `attempts`
 * was nearly empty reads the whole table for each request, which a minute of dialing later takes 0.5 s for 200 requests.
 * Planning each time takes 1 to 2 ms. Merge joins are off, because with statistics of deleted rows they read everything
 * before the wanted keys, such as a batch of a million beside a small one, which takes as long.
 */
export const FEW_BY_KEY: Settings = { plan_cache_mode: "force_custom_plan", enable_mergejoin: "off" };

/** For a queue that is empty most of the time: a generic plan made while it was empty scans a full queue from end to end. */
export const EMPTY_AT_TIMES: Settings = { enable_seqscan: "off" };

/**
 * For rows that are each found by their key, in tables that are being filled: with statistics of a minute ago a sequential
 * scan looks cheaper, which took 5 ms to update 24 of 4,000. It applies to the lookups of foreign keys as well, whose
 * statements are PostgreSQL's own.
 */
export const EACH_BY_KEY: Settings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/**
 * For counts over years: planned for the actual values and without nested loops. A generic plan expects a few rows in such a
 * span and looks the rest up one by one: 3 s for 100,000 sessions of which 1,000 are claimed, where a hash join takes 35 ms.
 */
export const MANY_ROWS: Settings = {
  plan_cache_mode: "force_custom_plan",
  enable_nestloop: "off",
  random_page_cost: "1.1",
  work_mem: "64MB",
};

/** Applies to the following statements of this transaction. */
export const setForTransaction = (tx: AnyTx, settings: Settings): Promise<unknown> =>
  sql`
    select set_config(key, value, true) from json_each_text(${JSON.stringify(settings)}::json)`.execute(tx);

/** Runs in a transaction of its own, or within the caller's, and resets the settings to their defaults afterwards. */
export async function planned<T>(db: AnyDb, settings: Settings, read: (tx: AnyTx) => Promise<T>): Promise<T> {
  if (!db.isTransaction) {
    return db.transaction().execute(async (tx) => {
      await setForTransaction(tx, settings);
      return read(tx);
    });
  }
  const tx = db as AnyTx;
  await setForTransaction(tx, settings);
  const result = await read(tx);
  await sql`
    select set_config(name, reset_val, true) from pg_settings
    where name = any(${Object.keys(settings)}::text[])`.execute(tx);
  return result;
}

/**
 * At the end of a subquery: makes PostgreSQL run it for each row, by its index. Otherwise it becomes a join that, with
 * statistics of an empty table, begins with everything under way in a campaign or with a whole batch. `offset 0` changes
 * no result, and there is no setting with the same effect.
 */
export const FOR_EACH: RawBuilder<unknown> = sql`offset 0`;
