import { existsSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { Fault } from "../../base/errors.ts";
import { createLog, type Log } from "../../base/log.ts";
import type { Config } from "../../config.ts";
import { type Connection, type Database, openDatabase } from "../../db/database.ts";
import { startEmbeddedPostgres } from "../../db/embedded-postgres.ts";
import { whyUnreadable } from "../../db/migrate.ts";
import { setAsideTransactionTimeout, withOwnSettings } from "../../db/own-settings.ts";
import { joinRunningPostgres } from "../../db/running-postgres.ts";
import { refuseOldPostgres } from "../outside-postgres.ts";

/** One connection to the database as it is: nothing is migrated and nobody who runs there is disturbed. */
type OpenSource = AsyncDisposable & { client: pg.Client };

/** The embedded database is reached through the program that runs, else started for as long as this takes. */
export async function openSource(
  config: Config,
  { log, stop }: { log: Log; stop: AbortSignal },
): Promise<OpenSource> {
  await using closing = new AsyncDisposableStack();
  const client = new pg.Client(withOwnSettings(await connectionOf(config, closing, { log, stop })));
  client.on("error", () => {});
  closing.defer(() => client.end().catch(() => {}));
  await client.connect();
  await setAsideTransactionTimeout(client);
  stop.throwIfAborted();
  const opened = closing.move();
  return { client, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The database for a command that knows its tables: refused where a newer version migrated it. Closed with `closing`. */
export async function openReadable(
  config: Config,
  closing: AsyncDisposableStack,
  stop: AbortSignal,
): Promise<Database> {
  const connection = await connectionOf(config, closing, { log: createLog({ level: "warn" }), stop });
  const database = openDatabase(connection, config.connections);
  closing.defer(() => database.close());
  const unreadable = await whyUnreadable(database.pool).catch((cause) => {
    throw cause.code === NO_TABLE ? new Fault("unavailable", NONE, { cause }) : cause;
  });
  if (unreadable) throw new Fault("unavailable", unreadable);
  return database;
}

const NO_TABLE = "42P01";
const NONE =
  "There is no Parley in this database. Set DATABASE_URL, with the search_path that it may have, or DATA_DIR as it was started with.";

/** Closed with `closing`. */
async function connectionOf(
  { database_url, data_dir }: Config,
  closing: AsyncDisposableStack,
  { log, stop }: { log: Log; stop: AbortSignal },
): Promise<Connection> {
  if (database_url) {
    const connection = { connectionString: database_url };
    await refuseOldPostgres(connection);
    return connection;
  }
  const dataDir = path.resolve(data_dir, "postgres");
  if (!existsSync(dataDir))
    throw new Fault(
      "unavailable",
      `There is no Parley in ${path.resolve(data_dir)}. Set DATA_DIR (or DATABASE_URL) as it was started with.`,
    );
  const running = await joinRunningPostgres(dataDir).catch((cause) => {
    throw cause.code === "EACCES" || cause.code === "EPERM"
      ? new Fault("unavailable", `This user may not enter ${dataDir}. Back up as its owner.`, { cause })
      : cause;
  });
  if (running) {
    closing.defer(running.leave);
    return running.connection;
  }
  const embedded = await startEmbeddedPostgres({ dataDir, log, signal: stop });
  closing.defer(() => embedded.stop());
  return embedded.connection;
}
