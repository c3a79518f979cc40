import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Readable } from "node:stream";
import type { PostgresPool } from "kysely";
import type pg from "pg";
import { createFairGate } from "../base/fair-gate.ts";

/*
 * Lists, searches, reports and exports have connections of their own, which are read-only and have a statement timeout.
 * Operations that only read run inside `asReader`, as `api/server.ts` does for every authenticated GET; all statements
 * within it, in any room, then use those connections. The alternative, passing two databases to each room, was rejected:
 * among some ninety reading operations, one that used the wrong database would block others, and no test would notice.
 */
type Reader = { tenant: string };
const readers = new AsyncLocalStorage<Reader | null>();

/** All statements of `read` use the reading connections, within this tenant's share of them. */
export const asReader = <T>(tenant: number | string, read: () => T): T =>
  readers.run({ tenant: String(tenant) }, read);

/** Leaves the reading connections, for background work that a reader starts and that may write. */
export const asWriter = <T>(write: () => T): T => readers.run(null, write);

/** Keeps a stream on the reading connections: it continues outside the call that began it, when its receiver has room. */
export function keepReading(stream: Readable): void {
  stream._read = AsyncResource.bind(stream._read.bind(stream));
}

export type Reading = {
  pool: pg.Pool;
  /** Timeout of the wait for a connection. */
  patience_ms: number;
};

/** One pool for Kysely: a reader's statements use the reading connections, all others the writing ones. */
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
