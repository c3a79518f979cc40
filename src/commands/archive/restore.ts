import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import pg from "pg";
import { type ArchiveReader, readArchive } from "../../backup/archive-reader.ts";
import { openShelf, refuseForeignFiles } from "../../backup/data-files.ts";
import { opens } from "../../backup/dump.ts";
import { ArchiveFault } from "../../backup/foreign-archive.ts";
import { type Loaded, load, migrationsFor, requireEmpty } from "../../backup/load.ts";
import type { Vault } from "../../base/crypto.ts";
import { Fault, isDiskFull, unreadable } from "../../base/errors.ts";
import { createLog, type Log } from "../../base/log.ts";
import type { Config, Secrets } from "../../config.ts";
import { type Connection, isConnectionLost } from "../../db/database.ts";
import { startEmbeddedPostgres } from "../../db/embedded-postgres.ts";
import { setAsideTransactionTimeout, withOwnSettings } from "../../db/own-settings.ts";
import { migrateJobs } from "../../jobs/runner.ts";
import { makeDataDir } from "../open-platform.ts";
import { connectionFault, refuseUnusablePostgres } from "../outside-postgres.ts";
import { keyPlace, presentKey, secretKeyFile, vaultWith } from "../secret-key.ts";
import { INTERRUPTED, stopSignal } from "../stop-signal.ts";
import { count, durationText, momentText, showProgress, sizeText } from "./show-progress.ts";

type RestoreOptions = {
  /** "-" is the standard input. */
  file: string;
  /** Whether batches are held. */
  pause: boolean;
  json: boolean;
};

/** Brings a backup into an empty database and data directory, all of it or nothing. Resolves with the exit code. */
export async function restore(options: RestoreOptions, config: Config, secrets: Secrets): Promise<number> {
  const stop = stopSignal();
  const begun = performance.now();
  const progress = showProgress("Restoring");
  const log = createLog({ level: "warn" });
  try {
    // What can be refused by the backup's first bytes is, before anything is made.
    await using input = await openInput(options.file);
    const archive = await readArchive(input);
    migrationsFor(archive.header);
    const vault = await requireKeyOf(archive, config, secrets);
    await refuseForeignFiles(path.resolve(config.data_dir), path.resolve(options.file));
    await makeDataDir(config.data_dir);
    const loaded = await restoreInto({ archive, vault, pause: options.pause }, config, {
      log,
      stop,
      progress,
    });
    progress.end();
    tell(options, archive, loaded, (performance.now() - begun) / 1000);
    return 0;
  } catch (error) {
    progress.end();
    if (stop.aborted) {
      process.stderr.write("parley: stopped before the backup was restored; nothing was kept.\n");
      return INTERRUPTED;
    }
    if (error instanceof ArchiveFault) throw refusedFile(options.file, error);
    if (isDiskFull(error))
      throw new Fault("unavailable", "There is no room left to restore to.", { cause: error });
    if (isConnectionLost(error))
      throw new Fault(
        "unavailable",
        "The database stopped before the backup was restored; nothing was kept.",
        {
          cause: error,
        },
      );
    throw config.database_url ? connectionFault(error) : error;
  }
}

/** One of many files of a folder, or of a script's: which one it was, and that a restore does all or nothing. */
function refusedFile(file: string, { kind, message }: ArchiveFault): Fault {
  const name = file === "-" ? "the standard input" : file;
  return new Fault(kind, `${name}: ${message}\nNothing was restored.`);
}

const BLOCK_bytes = 256 * 1024;

/** Closed when it is disposed, wherever reading stopped. */
async function openInput(file: string): Promise<Readable> {
  if (file === "-") return process.stdin;
  try {
    if ((await stat(file)).isDirectory())
      throw new Fault("unavailable", `${file} is a folder, not a backup.`);
    await access(file, constants.R_OK);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("unavailable", unreadable(file, cause), { cause });
  }
  return createReadStream(file, { highWaterMark: BLOCK_bytes });
}

async function requireKeyOf(
  { header: { key_check } }: ArchiveReader,
  { data_dir }: Config,
  secrets: Secrets,
): Promise<Vault> {
  const key = await presentKey(data_dir, secrets);
  const file = secretKeyFile(path.resolve(data_dir));
  const put = `Copy the secret.key of that installation to ${file}, or set SECRET_KEY to it, and run this again`;
  if (!key)
    throw new Fault(
      "unavailable",
      `The backup's secrets are sealed with a key that is not on this machine. ${put}.`,
    );
  const vault = await vaultWith(key, data_dir, secrets);
  if (key_check !== null && !opens(vault, key_check))
    throw new Fault(
      "unavailable",
      `${keyPlace(path.resolve(data_dir), secrets)} is not the key that the backup's secrets are sealed with. ${put}.`,
    );
  return vault;
}

type RestoreWork = { archive: ArchiveReader; vault: Vault; pause: boolean };
type Around = { log: Log; stop: AbortSignal; progress: ReturnType<typeof showProgress> };

async function restoreInto(
  work: RestoreWork,
  config: Config,
  { log, stop, progress }: Around,
): Promise<Loaded> {
  await using closing = new AsyncDisposableStack();
  let connection: Connection = { connectionString: config.database_url ?? "" };
  if (config.database_url) await refuseUnusablePostgres(connection);
  else {
    const dataDir = path.resolve(config.data_dir, "postgres");
    const embedded = await startEmbeddedPostgres({ dataDir, log, signal: stop, settings: BULK });
    closing.defer(() => embedded.stop());
    connection = embedded.connection;
  }
  const client = new pg.Client(withOwnSettings(connection));
  client.on("error", () => {});
  closing.defer(() => client.end().catch(() => {}));
  await client.connect();
  await setAsideTransactionTimeout(client);
  await requireEmpty(
    client,
    config.database_url ? "The database of DATABASE_URL" : `The database in ${config.data_dir}`,
  );
  const shelf = await openShelf(path.resolve(config.data_dir));
  const pool = new pg.Pool({
    ...withOwnSettings(connection),
    max: 1,
    onConnect: setAsideTransactionTimeout,
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  await migrateJobs(pool, log).finally(() => pool.end());
  stop.throwIfAborted();
  stop.addEventListener("abort", () => client.end().catch(() => {}), { once: true });
  const loaded = await load({ client, shelf, ...work }, work.archive, progress);
  progress.at("statistics", 0);
  await client.query("analyze");
  return loaded;
}

/** Rows of a table that was made in the same transaction are not written to the log too; nobody else is there. */
const BULK = { wal_level: "minimal", max_wal_senders: "0", max_wal_size: "4GB" };

function tell(
  { json, pause }: RestoreOptions,
  { header }: ArchiveReader,
  loaded: Loaded,
  seconds: number,
): void {
  const { tables, rows, files, bytes, paused_batches, held_messages, left_out, migrated } = loaded;
  if (json) {
    const { taken_at, parley } = header;
    const known = { tables, rows, files, bytes, paused_batches, held_messages, left_out, migrated, seconds };
    process.stdout.write(`${JSON.stringify({ taken_at, parley, ...known })}\n`);
    return;
  }
  const lines = [
    `Restored the backup of ${momentText(header.taken_at)}, made by Parley ${header.parley}`,
    `  database  ${count(tables, "table")}, ${count(rows, "row")}${migrated > 0 ? `, and ${count(migrated, "migration")} since` : ""}`,
    `  files     ${count(files, "file")}`,
    `  size      ${sizeText(bytes)}`,
    `  took      ${durationText(seconds)}`,
  ];
  if (left_out.length > 0) lines.push(`Left out, since Parley has no such table: ${left_out.join(", ")}.`);
  if (paused_batches > 0)
    lines.push(
      `Paused: ${count(paused_batches, "batch").replace(/batchs$/, "batches")}. People may have been reached since the backup: look before you resume one.`,
    );
  else if (!pause) lines.push("Batches were not paused: they go on with the next start.");
  if (held_messages > 0)
    lines.push(
      `Not sent again: ${count(held_messages, "message")} that waited to go out, unless the carrier says it never had it.`,
    );
  process.stdout.write(`${lines.join("\n")}\nStart it with ./parley start.\n`);
}
