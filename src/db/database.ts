import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from "kysely";
import pg from "pg";
import type { CopyStreamQuery } from "pg-copy-streams";
import { type Log, silentLog } from "../base/log.ts";
import { breakLost, type WatchedClient } from "./lost-backends.ts";
import { createNotices, type Notices } from "./notices.ts";
import { setAsideTransactionTimeout, withOwnSettings } from "./own-settings.ts";
import { PatientPool } from "./patient-pool.ts";
import { StatementNames } from "./plans.ts";
import { poolByPurpose } from "./reading.ts";
import { SealedValues, sealable } from "./sealed-values.ts";
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
    const parse = pg.types.getTypeParser(oid, format as "text");
    return SEALABLE.has(oid) && format !== "binary" ? sealable(parse) : parse;
  },
};

const { TEXT, VARCHAR, JSON: JSON_OID, JSONB } = pg.types.builtins;
const TEXTS = 1009;
const SEALABLE: ReadonlySet<number> = new Set([TEXT, VARCHAR, JSON_OID, JSONB, TEXTS]);

const isoTimestamp = (text: string): string => `${text.replace(" ", "T")}:00`;

/**
 * Names each statement, so that PostgreSQL keeps it prepared (plans.ts). Kysely sends every statement as a text with its
 * values; a text alone may hold several statements and is left as it is.
 */
class NamingClient extends pg.Client {
  #names = new StatementNames();
  /** Undefined while no statement waits for its answer. */
  waitingSince: number | undefined;

  constructor(config: pg.ClientConfig) {
    super(config);
    this.on("drain", () => {
      this.waitingSince = undefined;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads of query() can't be spelled again in one signature
  override query(config: any, values?: any, callback?: any): any {
    this.waitingSince ??= performance.now();
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
  /** Notices from other processes. */
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

/**
 * Two of the writing connections only listen for jobs. Measured with 12 in total (docs/benchmarks.md); PostgreSQL's default
 * limit is 100.
 */
export const CONNECTIONS: Connections = { writing: 14, reading: 6, reading_timeout_ms: 15_000 };

/**
 * Timeout for a new connection, or for one to become free. Long enough to queue during a peak of load, and shorter than the
 * 60 s after which load balancers time a request out.
 */
const CONNECT_MS = 30_000;

/**
 * Stays open where nobody reads. Another program that took its place on the server would close the console: readers don't
 * take writing connections, of which there always are some, since a search must not hold up a conversation.
 */
const KEPT_FOR_READERS = 1;

/**
 * A server can vanish silently: its machine fails, or a firewall drops an idle connection. Without these probes, a running
 * statement would wait for it forever, and a listener for the system's two hours. After 30 s of silence TCP probes once a
 * second, and gives the connection up after ten probes without an answer.
 */
const ALIVE: pg.ClientConfig = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };

export function openDatabase(
  to: Connection,
  connections: Connections = CONNECTIONS,
  log: Log = silentLog,
): Database {
  const connection = { ...ALIVE, ...withOwnSettings(to) };
  const { writing, reading: readers, reading_timeout_ms } = connections;
  const pool = openPool({ max: writing, ...connection }, log, "DATABASE_CONNECTIONS");
  const bounds = `-c default_transaction_read_only=on -c statement_timeout=${reading_timeout_ms}`;
  const bounded = withOwnSettings(connection, bounds);
  const most = Math.min(readers, connection.max ?? readers);
  const reading = openPool(
    { ...bounded, max: most, min: KEPT_FOR_READERS },
    log,
    "DATABASE_READING_CONNECTIONS",
  );
  const sealed = new SealedValues();
  const db = new Kysely<DB>({
    plugins: [sealed],
    dialect: new PostgresDialect({
      // Twice the statement timeout, so that a reader who waits behind a statement that times out still gets a connection.
      pool: poolByPurpose(pool, { pool: reading, patience_ms: 2 * reading_timeout_ms }),
    }),
  });
  sealedValues.set(db, sealed);
  const notices = createNotices(connection);
  const looking = setInterval(async () => {
    const broken = await breakLost(connection, [...pool.clients, ...reading.clients] as WatchedClient[]);
    if (broken > 0)
      log.warn({ connections: broken }, "the database server that statements waited for is gone");
  }, LOOK_FOR_LOST_MS).unref();
  const close = async () => {
    clearInterval(looking);
    await notices.close();
    await db.destroy();
    // Kysely does not end a pool that it never used, but others may have used it.
    await Promise.all([pool, reading].map(async (one) => one.ending || one.end()));
  };
  return { db, pool, reading, notices, close };
}

const LOOK_FOR_LOST_MS = 10_000;

const sealedValues = new WeakMap<Db, SealedValues>();

/** What is read through this database is opened with these keys from now on. */
export function openSealedWith(db: Db, find: (id: number) => Promise<Buffer | null>): void {
  sealedValues.get(db)?.openWith(find);
}

function openPool(connection: Connection, log: Log, setting: string): PatientPool {
  const pool = new PatientPool(
    {
      connectionTimeoutMillis: CONNECT_MS,
      ...connection,
      types,
      onConnect: setAsideTransactionTimeout,
      Client: NamingClient as unknown as pg.PoolConfig["Client"],
    } as pg.PoolConfig,
    log,
    setting,
  );
  // The pool replaces a broken connection; without a listener its error would end the process.
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

/** An error reported by the server, not a failure to reach it. */
export const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/**
 * A connection that worked ended by itself: the server was stopped (57P01), crashed (57P02), or can't be reached. Who
 * writes while it ends is told by the socket (EPIPE, ECONNRESET) before the server's own word is read.
 */
export const isConnectionLost = (error: unknown): boolean =>
  (error instanceof pg.DatabaseError && /^57P0[12]$/.test(error.code ?? "")) ||
  ["EPIPE", "ECONNRESET"].includes((error as NodeJS.ErrnoException | null)?.code ?? "") ||
  (error instanceof Error &&
    /^(Connection terminated|Client has encountered a connection error)/.test(error.message));

/** PostgreSQL's code for a broken unique index. */
export const isUniqueViolation = (error: unknown, index?: string): boolean =>
  error instanceof pg.DatabaseError && error.code === "23505" && (!index || error.constraint === index);
