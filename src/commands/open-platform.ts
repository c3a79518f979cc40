import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createVault, type Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Config, Secrets } from "../config.ts";
import { type Connection, type Database, openDatabase } from "../db/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { migrateJobs } from "../jobs/runner.ts";

/** The database, migrated, and the vault: what every command that works on the data needs. */
export type Platform = {
  database: Database;
  vault: Vault;
  embedded: EmbeddedPostgres | null;
  close(): Promise<void>;
};

const MIN_POSTGRES = 15;

export async function openPlatform(config: Config, secrets: Secrets, log: Log): Promise<Platform> {
  await mkdir(config.data_dir, { recursive: true, mode: 0o700 });
  const secretKey = secrets.secret_key ?? (await generatedSecretKey(config.data_dir));
  const { connection, embedded } = await connect(config, log);
  try {
    await migrate(connection);
    const database = openDatabase(connection);
    await migrateJobs(database.pool, log);
    const close = async () => {
      await database.close();
      await embedded?.stop();
    };
    return { database, vault: createVault(secretKey), embedded, close };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function connect(
  config: Config,
  log: Log,
): Promise<{ connection: Connection; embedded: EmbeddedPostgres | null }> {
  if (config.database_url) {
    const connection = { connectionString: config.database_url };
    await refuseOldPostgres(connection);
    return { connection, embedded: null };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: path.join(config.data_dir, "postgres"), log });
  return { connection: embedded.connection, embedded };
}

async function refuseOldPostgres(connection: Connection): Promise<void> {
  const { pool, close } = openDatabase({ ...connection, connectionTimeoutMillis: 10_000 });
  try {
    const { rows } = await pool.query<{ server_version_num: string }>("show server_version_num");
    const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (major < MIN_POSTGRES) {
      throw new Fault(
        "unavailable",
        `DATABASE_URL names PostgreSQL ${major}; Parley needs ${MIN_POSTGRES} or newer.`,
      );
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(
      "unavailable",
      `The database of DATABASE_URL does not answer: ${(error as Error).message}.`,
      {
        cause: error,
      },
    );
  } finally {
    await close();
  }
}

export const secretKeyFile = (dataDir: string): string => path.join(dataDir, "secret.key");

/** Written once, readable by its owner only; whoever moves the data moves this file with it. */
async function generatedSecretKey(dataDir: string): Promise<string> {
  const file = secretKeyFile(dataDir);
  try {
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
    await chmod(file, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = (await readFile(file, "utf8")).trim();
  if (key.length < 32) throw new Fault("unavailable", `${file} holds no key. Restore it, or set SECRET_KEY.`);
  return key;
}
