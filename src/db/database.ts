import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from "kysely";
import pg from "pg";
import type { CopyStreamQuery } from "pg-copy-streams";
import { createNotices, type Notices } from "./notices.ts";
import { StatementNames } from "./plans.ts";
import { poolByPurpose } from "./reading.ts";
import type { DB } from "./types.ts";

export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

/** Where PostgreSQL is: a URL, or the socket of the embedded server. */
export type Connection = pg.PoolConfig;

/**
 * Timestamps stay text from column to JSON ("2026-11-20T18:42:58.123+00:00"), the same spelling that PostgreSQL
 * gives inside `json_agg`; a `Date` would be parsed and printed again for every row of every list.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number;
    if (oid === pg.types.builtins.TIMESTAMPTZ) return isoTimestamp;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

const isoTimestamp = (text: string): string => `${text.replace(" ", "T")}:00`;

/**
 * Names each statement, so that PostgreSQL keeps it prepared (plans.ts). Kysely sends every statement as a text with its
 * values; a text alone may hold several statements and is left as it is.
 */
class NamingClient extends pg.Client {
  #names = new StatementNames();

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads of query() can't be spelled again in one signature
  override query(config: any, values?: any, callback?: any): any {
    if (isCopy(values?.[0])) return this.#copy(values[0]);
    if (typeof config === "string" && Array.isArray(values)) {
      const name = this.#names.nameOf(config);
      if (name) return super.query({ text: config, values, name }, callback);
    }
    return super.query(config, values, callback);
  }

  /** Settles once the server has taken the rows and is ready for the next statement. */
  #copy(rows: CopyStreamQuery): Promise<object> {
    return new Promise((resolve, reject) => {
      rows
        .on("error", reject)
        .on("finish", () => resolve({ command: "COPY", rowCount: rows.rowCount, rows: [] }));
      super.query(rows);
    });
  }
}

const isCopy = (value: unknown): value is CopyStreamQuery =>
  typeof (value as Partial<CopyStreamQuery> | undefined)?.submit === "function";

export type Database = {
  db: Db;
  pool: pg.Pool;
  /** The connections of lists, searches, reports and exports (reading.ts). */
  reading: pg.Pool;
  /** What other processes tell. */
  notices: Notices;
  close(): Promise<void>;
};

export type Connections = {
  /** For turns, calls, deliveries, jobs and all that writes. */
  writing: number;
  /** For lists, searches, reports and exports. */
  reading: number;
  /** A statement of a reader that takes longer is ended, and a reader waits twice as long for a connection. */
  reading_timeout_ms: number;
};

/** Two of those that write only listen for jobs. Measured with 12 for all (docs/benchmarks.md); a server bears 100 connections unless told otherwise. */
export const CONNECTIONS: Connections = { writing: 14, reading: 6, reading_timeout_ms: 15_000 };

/**
 * For a connection to be made, or to come free when all are taken. Long enough for a peak of load to wait its turn, and
 * shorter than the 60 s after which load balancers give a request up.
 */
const CONNECT_MS = 30_000;

export function openDatabase(connection: Connection, connections: Connections = CONNECTIONS): Database {
  const { writing, reading: readers, reading_timeout_ms } = connections;
  const pool = openPool({ max: writing, ...connection });
  // Whoever reads may not write, and a transaction that is forgotten ends like a statement that takes too long.
  const bounds = `-c default_transaction_read_only=on -c statement_timeout=${reading_timeout_ms} -c idle_in_transaction_session_timeout=${MAX_IDLE_MS}`;
  const options = `${connection.options ?? ""} ${bounds}`.trim();
  const reading = openPool({ ...connection, max: Math.min(readers, connection.max ?? readers), options });
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({
      // So that whoever waits behind a statement that is ended has a turn of their own.
      pool: poolByPurpose(pool, { pool: reading, patience_ms: 2 * reading_timeout_ms }),
    }),
  });
  const notices = createNotices(connection);
  const close = async () => {
    await notices.close();
    await db.destroy();
    // Kysely leaves alone a pool that it never used, which others may have.
    await Promise.all([pool, reading].map(async (one) => one.ending || one.end()));
  };
  return { db, pool, reading, notices, close };
}

/** An export writes what it read to a disk, or to somebody's slow line, before it reads on. */
const MAX_IDLE_MS = 300_000;

function openPool(connection: Connection): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: CONNECT_MS,
    ...connection,
    types,
    // UTC on both sides: `isoTimestamp` counts on it.
    options: `-c timezone=UTC ${connection.options ?? ""}`.trim(),
    Client: NamingClient as unknown as pg.PoolConfig["Client"],
  } as pg.PoolConfig);
  // A connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** A value for a json column (`pg` would turn an array into a PostgreSQL array). */
export const json = <T>(value: T): RawBuilder<T> => sql<T>`${JSON.stringify(value)}::json`;

export const jsonOrNull = <T>(value: T | null | undefined): RawBuilder<T | null> =>
  sql<T | null>`${value == null ? null : JSON.stringify(value)}::json`;

/** A statement took longer than statement_timeout allows. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === "57014";

/** An answer of the server, and no failure to reach it. */
export const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** No room left where PostgreSQL keeps its files (53100), or where we keep ours. */
export const isDiskFull = (error: unknown): boolean =>
  (error instanceof pg.DatabaseError && error.code === "53100") ||
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException | null)?.code ?? "");

/** A connection that worked ended by itself: the server was stopped (57P01), crashed (57P02), or can't be reached. */
export const isConnectionLost = (error: unknown): boolean =>
  (error instanceof pg.DatabaseError && /^57P0[12]$/.test(error.code ?? "")) ||
  (error instanceof Error &&
    /^(Connection terminated|Client has encountered a connection error)/.test(error.message));

/** PostgreSQL's code for a broken unique index. */
export const isUniqueViolation = (error: unknown, index?: string): boolean =>
  error instanceof pg.DatabaseError && error.code === "23505" && (!index || error.constraint === index);
