import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { DB } from "./types.ts";

/*
 * How PostgreSQL comes to the plan of a statement, and where it is told what it can't know.
 *
 * Every statement is prepared: a connection names it by its text, and PostgreSQL keeps it parsed and, from the sixth time
 * on, its plan where one for any values is no dearer. Naming none costs a chat turn 1.36 and a read of the API 1.3 to 2.1
 * times as long (docs/decisions/0093).
 *
 * Plans follow statistics, which are a minute old at best. A table that fills within that minute is taken for an empty
 * one. Where that was seen to cost, the transaction or the statement says how its rows are found, by one of the ways below.
 */

/** Past this many texts a connection stops naming new ones. */
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
 * For a handful of rows by their keys, in tables that grow by the thousand in a minute. A kept plan is of when it was made:
 * one made while `attempts` was nearly empty reads all of it for each request, and a minute of dialing later that takes
 * 0.5 s for 200 requests. Planning anew takes 1 to 2 ms. A merge join, misled by statistics of what is gone, reads
 * everything in front of the keys that are wanted, such as a batch of a million beside a small one, which takes as long.
 */
export const FEW_BY_KEY: Settings = { plan_cache_mode: "force_custom_plan", enable_mergejoin: "off" };

/** For a queue that is empty most of the time: a plan kept from then reads a full one from end to end. */
export const EMPTY_AT_TIMES: Settings = { enable_seqscan: "off" };

/**
 * For rows that are each found by their key, in tables that are being filled: by statistics of a minute ago, reading all of
 * one looks cheaper, which took 5 ms to update 24 of 4,000. That goes for what foreign keys look up as well, whose
 * statements nobody here writes.
 */
export const EACH_BY_KEY: Settings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/**
 * For counts over years, planned for the very values and without nested loops. A plan for any values takes such a span for
 * a few rows and looks the rest up one by one: 3 s for 100,000 sessions of which 1,000 are claimed, where hashing takes 35 ms.
 */
export const MANY_ROWS: Settings = {
  plan_cache_mode: "force_custom_plan",
  enable_nestloop: "off",
  random_page_cost: "1.1",
  work_mem: "64MB",
};

/** For what follows in this transaction. */
export const setForTransaction = (tx: AnyTx, settings: Settings): Promise<unknown> =>
  sql`
    select set_config(key, value, true) from json_each_text(${JSON.stringify(settings)}::json)`.execute(tx);

/** In a transaction of its own, or within the caller's, of which the rest is planned as ever. */
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
 * At the end of a subquery: it is asked of each row by itself, by its index. PostgreSQL would make a join of it, and by
 * statistics of an empty table begin at its far end, with everything that is under way in a campaign or all of a batch.
 * `offset 0` changes no result, and no setting says the same.
 */
export const FOR_EACH: RawBuilder<unknown> = sql`offset 0`;
