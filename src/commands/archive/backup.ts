import { createWriteStream, existsSync } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import { type Dumped, dump } from "../../backup/dump.ts";
import { systemClock } from "../../base/clock.ts";
import { Fault, isDiskFull, unwritable } from "../../base/errors.ts";
import { randomId } from "../../base/ids.ts";
import { createLog } from "../../base/log.ts";
import type { Config, Secrets } from "../../config.ts";
import { isConnectionLost } from "../../db/database.ts";
import { connectionFault } from "../outside-postgres.ts";
import { keyPlace, presentKey, secretKeyFile, vaultWith } from "../secret-key.ts";
import { INTERRUPTED, stopSignal } from "../stop-signal.ts";
import { openSource } from "./open-source.ts";
import { count, countText, durationText, momentText, showProgress, sizeText } from "./show-progress.ts";

type BackupOptions = {
  /** "-" is the standard output. */
  file: string;
  replace: boolean;
  /** Whether files of the data directory come along. */
  files: boolean;
  json: boolean;
};

/** Writes everything that an installation keeps into one file, whether it runs or not. Resolves with the exit code. */
export async function backup(options: BackupOptions, config: Config, secrets: Secrets): Promise<number> {
  const stop = stopSignal();
  const begun = performance.now();
  const dataDir = path.resolve(config.data_dir);
  const vault = await vaultWith(await requireKey(dataDir, secrets), dataDir, secrets);
  const output = await openOutput(options);
  const progress = showProgress("Backing up");
  try {
    await using source = await openSource(config, { log: createLog({ level: "warn" }), stop });
    const { client } = source;
    stop.addEventListener("abort", () => client.end().catch(() => {}), { once: true });
    const dumped = await dump({ client, vault, dataDir, files: options.files }, output.stream, progress);
    stop.throwIfAborted();
    await output.keep();
    progress.end();
    const seconds = (performance.now() - begun) / 1000;
    tell(options, dumped, { seconds, key: keyPlace(config.data_dir, secrets) });
    tellMissing(dumped, dataDir);
    return 0;
  } catch (error) {
    progress.end();
    await output.discard();
    if (stop.aborted) {
      process.stderr.write("parley: stopped before the backup was complete; nothing was kept.\n");
      return INTERRUPTED;
    }
    throw backupFault(error, options) ?? (config.database_url ? connectionFault(error) : error);
  }
}

function backupFault(error: unknown, { file }: BackupOptions): Fault | undefined {
  const fault = (sentence: string) => new Fault("unavailable", sentence, { cause: error });
  if (isDiskFull(error))
    return fault(`There is no room left for ${file === "-" ? "the standard output" : file}.`);
  if (file === "-" && (error as NodeJS.ErrnoException).code === "EPIPE")
    return fault("Whoever reads the standard output ended before the backup did.");
  if (isConnectionLost(error)) return fault("The database stopped before the backup was complete.");
}

/** It signs the archive; and a copy of the database is worth little without the key that opens its secrets. */
async function requireKey(dataDir: string, secrets: Secrets): Promise<string> {
  const key = await presentKey(dataDir, secrets);
  if (key) return key;
  throw new Fault(
    "unavailable",
    `There is no secret key: neither SECRET_KEY nor ${secretKeyFile(dataDir)}. Run the backup with the settings that the program runs with.`,
  );
}

type Output = { stream: Writable; keep(): Promise<void>; discard(): Promise<void> };

/** Under another name until it is whole: a file of the wanted name is always a whole backup. */
async function openOutput({ file, replace }: BackupOptions): Promise<Output> {
  if (file === "-") return { stream: process.stdout, async keep() {}, async discard() {} };
  if (existsSync(file) && !replace)
    throw new Fault("refused", `${file} exists already. Choose another name, or say --replace.`);
  await removeLeftBehind(file);
  const unfinished = `${file}.${randomId()}.part`;
  const handle = await open(unfinished, "wx", 0o600).catch((cause) => {
    throw unwritable(file, cause);
  });
  return {
    stream: createWriteStream(unfinished, { fd: handle, flush: true }),
    async keep() {
      await rename(unfinished, file);
      const folder = await open(path.dirname(path.resolve(file)), "r");
      await folder.sync().finally(() => folder.close());
    },
    async discard() {
      await handle.close().catch(() => {});
      await rm(unfinished, { force: true });
    },
  };
}

/** What follows its name in that of a backup's file until it is whole. */
const UNFINISHED = /^\.[0-9a-f-]{36}\.part$/;
/** A backup that is being made writes to its file all the time. */
const LEFT_BEHIND_MS = 24 * 3_600_000;

/** What backups of this name could not take away themselves, because they were killed or the machine went down. */
async function removeLeftBehind(file: string): Promise<void> {
  const { dir, base } = path.parse(path.resolve(file));
  const names = await readdir(dir).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(base) || !UNFINISHED.test(name.slice(base.length))) continue;
    const place = path.join(dir, name);
    const written = await stat(place).catch(() => null);
    if (written && written.mtimeMs < systemClock.now().getTime() - LEFT_BEHIND_MS)
      await rm(place, { force: true });
  }
}

/** Where nobody reads the standard output, as by cron, this is mailed. */
function tellMissing({ recordings_without_file: missing }: Dumped, dataDir: string): void {
  if (missing === 0) return;
  const [are, files] = missing === 1 ? ["is", "its file is"] : ["are", "their files are"];
  process.stderr.write(
    `parley: ${count(missing, "recording")} ${are} not in this backup: ${files} not in ${path.join(dataDir, "recordings")}. Back up with the DATA_DIR that the program runs with, and with its disk mounted.\n`,
  );
}

/** Tables whose rows are named. */
const MOST_NAMED = 3;

function tell(
  { file, files, json }: BackupOptions,
  dumped: Dumped,
  { seconds, key }: { seconds: number; key: string },
): void {
  const { taken_at, tables, rows, bytes, archive_bytes } = dumped;
  // The archive itself takes the standard output.
  const out = file === "-" ? process.stderr : process.stdout;
  if (json) {
    const known = { taken_at, tables, rows, files: dumped.files, bytes, archive_bytes, seconds };
    out.write(`${JSON.stringify({ file, ...known })}\n`);
    return;
  }
  const largest = dumped.tables_rows
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMED)
    .map(([name, n]) => `${name} ${countText(n)}`);
  out.write(`Backed up to ${file === "-" ? "the standard output" : file}
  as of     ${momentText(taken_at)}
  database  ${count(tables, "table")}, ${count(rows, "row")} (${largest.join(", ")} …)
  files     ${files ? count(dumped.files, "file") : "left out (--without-files)"}
  size      ${sizeText(archive_bytes)}, compressed from ${sizeText(bytes)}
  took      ${durationText(seconds)}
The secret key is not in it. A restore needs it: keep a copy of ${key} in another place.
`);
}
