import { type RawBuilder, sql } from "kysely";
import type { Db } from "./database.ts";

/**
 * Does the work unless another run of any process is at it: then null. The lock holds a connection and no transaction, so
 * the work may wait for a peer; PostgreSQL gives it back when the process dies.
 */
export const alone = <Result>(
  db: Db,
  lock: RawBuilder<unknown>,
  work: (connection: Db) => Promise<Result>,
): Promise<Result | null> =>
  db.connection().execute(async (connection) => {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${lock}) as held`.execute(
      connection,
    );
    if (!rows[0]?.held) return null;
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
