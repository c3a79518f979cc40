import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Readable } from "node:stream";
import type { PostgresPool } from "kysely";
import type pg from "pg";
import { createFairGate } from "../base/fair-gate.ts";

/*
 * Lists, searches, reports and exports have connections of their own, which can't write and end a statement that takes
 * too long. Whoever answers something that only reads runs it inside `asReader`, as `api/server.ts` does for every GET of
 * somebody signed in; each statement below it then goes there, whatever area it is in and through however many calls.
 * Handing each area two databases was refused: of some ninety reading operations, one that took the wrong one would
 * hold up everybody, and nothing would tell.
 */
type Reader = { tenant: string };
const readers = new AsyncLocalStorage<Reader | null>();

/** Everything that `read` asks of the database goes to the reading connections, within this tenant's share of them. */
export const asReader = <T>(tenant: number | string, read: () => T): T =>
  readers.run({ tenant: String(tenant) }, read);

/** For what a reader sets off and does not wait for, which may write. */
export const asWriter = <T>(write: () => T): T => readers.run(null, write);

/** A stream is read on whenever the line to its receiver has room again, which is outside of what began it. */
export function keepReading(stream: Readable): void {
  stream._read = AsyncResource.bind(stream._read.bind(stream));
}

export type Reading = {
  pool: pg.Pool;
  /** Waits for a connection no longer than this. */
  patience_ms: number;
};

/** What Kysely takes for one pool: a reader's statements go to the reading connections, all others to those that write. */
export function poolByPurpose(writing: pg.Pool, { pool: reading, patience_ms }: Reading): PostgresPool {
  const gate = createFairGate(reading.options.max ?? 1);
  const forReader = async (tenant: string): Promise<pg.PoolClient> => {
    const leave = await gate.enter(tenant, patience_ms, CROWDED);
    try {
      const client = await reading.connect();
      const release = client.release;
      client.release = (error) => {
        release.call(client, error);
        leave();
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  };
  return {
    options: writing.options,
    connect() {
      const reader = readers.getStore();
      return reader ? forReader(reader.tenant) : writing.connect();
    },
    async end() {
      await Promise.all([writing, reading].map(async (pool) => pool.ending || pool.end()));
    },
  };
}

const CROWDED =
  "Too many lists, searches and reports are running. Try again in a few seconds; ask for less at once, such as an exact id or a shorter span of dates.";
