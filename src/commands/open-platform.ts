import { rm } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { errorText, Fault, isDiskFull } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Config, Secrets } from "../config.ts";
import { readSigningKeys } from "../data-keys/reseal.ts";
import { type Connection, type Database, openDatabase } from "../db/database.ts";
import { fullDiskText } from "../db/disk-room.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { isKeyOfInstallation } from "../db/installation.ts";
import { makeFolder } from "../db/make-folder.ts";
import { migrate } from "../db/migrate.ts";
import { migrateJobs } from "../jobs/runner.ts";
import { connectionFault, refuseUnusablePostgres, tooFewPlaces } from "./outside-postgres.ts";
import { findSecretKey, type SecretKey, secretKeyFile, vaultWith, wrongKeyText } from "./secret-key.ts";

/** The database, migrated, and the vault: what every command that works on the data needs. */
type Platform = {
  database: Database;
  vault: Vault;
  embedded: EmbeddedPostgres | null;
  /** Never throws. */
  close(): Promise<void>;
};

/** Whatever fails, or a signal that comes in between, leaves no database server behind. */
export async function openPlatform(
  config: Config,
  secrets: Secrets,
  { log, stop }: { log: Log; stop: AbortSignal },
): Promise<Platform> {
  await makeDataDir(config.data_dir);
  // First, or a key would be made for a database that has its own and can't be asked.
  if (config.database_url) {
    const answer = await refuseUnusablePostgres({ connectionString: config.database_url });
    const few = tooFewPlaces(answer, config.connections);
    if (few) log.warn(few);
  }
  const secretKey = await findSecretKey(config.data_dir, secrets);
  const vault = await vaultWith(secretKey.key, config.data_dir, secrets);
  await using closing = new AsyncDisposableStack();
  const { connection, embedded } = await connect(config, log, stop);
  closing.defer(async () => embedded?.stop().catch((error) => log.warn({ err: error }, "no orderly stop")));
  stop.throwIfAborted();

  await migrate(connection, undefined, { log, stop }).catch(async (error) => {
    throw await migrationFault(error, config);
  });
  stop.throwIfAborted();
  const database = openDatabase(connection, config.connections, log);
  closing.defer(() => database.close().catch((error) => log.warn({ err: error }, "no orderly stop")));
  await migrateJobs(database.pool, log).catch(async (error) => {
    throw await migrationFault(error, config);
  });
  if (!(await isKeyOfInstallation(database.pool, vault, systemClock))) {
    throw await wrongKey(config.data_dir, secrets, secretKey);
  }
  await readSigningKeys({ db: database.db, vault });
  stop.throwIfAborted();

  const opened = closing.move();
  return { database, vault, embedded, close: () => opened.disposeAsync() };
}

export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(path.resolve(dataDir));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Fault(
      "unavailable",
      `The data directory ${path.resolve(dataDir)} can't be made (${code}). Set DATA_DIR to a folder this user may write to.`,
      { cause },
    );
  }
}

async function migrationFault(error: Error, { database_url, data_dir }: Config): Promise<unknown> {
  if (database_url) return connectionFault(error);
  const full = isDiskFull(error.cause ?? error) && (await fullDiskText(data_dir));
  return full ? new Fault("unavailable", `${full} ${errorText(error)}`, { cause: error }) : error;
}

async function connect(
  config: Config,
  log: Log,
  stop: AbortSignal,
): Promise<{ connection: Connection; embedded: EmbeddedPostgres | null }> {
  if (config.database_url) {
    return { connection: { connectionString: config.database_url }, embedded: null };
  }
  const dataDir = path.join(config.data_dir, "postgres");
  const { writing, reading } = config.connections;
  const embedded = await startEmbeddedPostgres({
    dataDir,
    log,
    connections: writing + reading,
    signal: stop,
  });
  return { connection: embedded.connection, embedded };
}

/** A key made a moment ago would only stand in the way of the one that has to be brought back. */
async function wrongKey(dataDir: string, secrets: Secrets, { source }: SecretKey): Promise<Fault> {
  if (source === "generated") await rm(secretKeyFile(path.resolve(dataDir)), { force: true });
  return new Fault("unavailable", wrongKeyText(dataDir, secrets, source));
}
