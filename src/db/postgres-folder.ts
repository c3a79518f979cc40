import { closeSync, openSync, readFileSync, type Stats } from "node:fs";
import { chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Fault } from "../base/errors.ts";
import { fullDiskText } from "./disk-room.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import type { PostgresLog } from "./postgres-log.ts";
import { type DatabaseUser, isAlive, openFolderNames, spawnTethered } from "./postgres-process.ts";

/** The superuser of the embedded database. Who may connect at all is decided by the 0700 on its folder. */
export const SUPERUSER = "parley";

/**
 * Shared memory in files of the data directory. In /dev/shm, the default, a container has 64 MB for all, and every
 * PostgreSQL that was killed for good leaves 2 MB behind.
 */
export const SHARED_MEMORY = { dynamic_shared_memory_type: "mmap" };

/**
 * PostgreSQL refuses root. As root we run it under the owner of the existing data directory or of the folder above, else `postgres`, else
 * `nobody`; `initdb` wants an account that /etc/passwd knows.
 */
export async function databaseUser(dataDir: string): Promise<DatabaseUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = await stat(dataDir).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n");
  // A new database goes to the owner of the folder it is made in, whom the program becomes later on (step-down.ts).
  const above = owner ? undefined : await stat(dirname(dataDir)).catch(() => undefined);
  if (above && above.uid !== 0 && accounts.some((line) => line.split(":")[2] === String(above.uid)))
    return { uid: above.uid, gid: above.gid };
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Fault(
    "unsupported",
    "PostgreSQL does not run as root, and this machine has no user named postgres or nobody. " +
      "Start Parley as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer.",
  );
}

/** Makes sure that `dataDir` holds a database of our major version that `user` owns; makes one where there is none. */
export async function prepareDataDir(options: {
  dataDir: string;
  user: DatabaseUser | undefined;
  binaries: PostgresBinaries;
  output: PostgresLog;
  /** False for throw-away databases: skips the fsync of 1,000 new files. */
  durable: boolean;
}): Promise<void> {
  const { dataDir, user, binaries } = options;
  await removeUnfinished(dataDir);
  const found = await stat(dataDir).catch(absent);
  if (found) refuseForeignOwner(dataDir, found);
  if (!found || (await readdir(dataDir)).length === 0) await initialize(options);
  else await refuseForeignVersion(dataDir, binaries.major);
  if (user && (await stat(dataDir)).uid === 0) await giveTo(user, dataDir);
}

const absent = (error: unknown): undefined => {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
};

function refuseForeignOwner(dataDir: string, found: Stats): void {
  const self = process.geteuid?.();
  if (self === undefined || self === 0 || self === found.uid) return;
  throw new Fault(
    "unavailable",
    `The database folder ${dataDir} belongs to another user (uid ${found.uid}). ` +
      "Start Parley as that user or as root, or set DATA_DIR to another folder.",
  );
}

/** Another major version of PostgreSQL can't read its files. */
export async function refuseForeignVersion(dataDir: string, major: number): Promise<void> {
  const version = (await readFile(join(dataDir, "PG_VERSION"), "utf8").catch(absent))?.trim();
  if (version === undefined) {
    throw new Fault(
      "unavailable",
      `${dataDir} is not empty and holds no database. Set DATA_DIR to another folder.`,
    );
  }
  if (Number(version) !== major) {
    throw new Fault(
      "unavailable",
      `The database in ${dataDir} was made by PostgreSQL ${version}, this Parley brings PostgreSQL ${major}. ` +
        `Return to the Parley that made it, or move its data over with the pg_dump and pg_restore of PostgreSQL ${version}.`,
    );
  }
}

/** When the disk is full, PostgreSQL's log stops before it can say why, so the error says it first. */
export async function databaseFault(dataDir: string, sentence: string): Promise<Fault> {
  const full = await fullDiskText(dirname(dataDir));
  return new Fault("unavailable", full ? `${full} ${sentence}` : sentence);
}

/** A database is made under a name of its own and renamed when whole, so a kill leaves nothing half-made behind. */
async function initialize(options: Parameters<typeof prepareDataDir>[0]): Promise<void> {
  const { dataDir, user, binaries, output, durable } = options;
  const unfinished = `${dataDir}.new-${process.pid}`;
  await mkdir(unfinished, { mode: 0o700 });
  try {
    if (user) await chown(unfinished, user.uid, user.gid);
    const fd = openSync(unfinished, "r");
    try {
      const folder = openFolderNames(fd, unfinished);
      const args = [
        `--pgdata=${folder.fromChild}`,
        `--username=${SUPERUSER}`,
        "--auth=trust",
        "--encoding=UTF8",
        // The builtin provider sorts by code point whatever libc or ICU the machine has, so that an upgrade of either
        // cannot corrupt an index.
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        "--data-checksums",
        "--no-instructions",
        ...Object.entries(SHARED_MEMORY).map(([name, value]) => `--set=${name}=${value}`),
        ...(durable ? [] : ["--no-sync"]),
      ];
      const logged = output.size();
      const initdb = spawnTethered(binaries.initdb, args, { folder, user, output: output.fd });
      const ending = await initdb.exited;
      if (!initdb.succeeded()) {
        throw await databaseFault(
          dataDir,
          `No database could be made in ${dataDir}: initdb ${ending}. ${output.path} ends: ${output.since(logged)}`,
        );
      }
    } finally {
      closeSync(fd);
    }
    await rename(unfinished, dataDir);
    if (durable) await syncFolder(dirname(dataDir));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
    // Another program that started at the same moment has made it; which of us may run it is settled next.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** What a program killed while it made the database has left: named by its pid, which is gone, or ours by now. */
async function removeUnfinished(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.new-`;
  const siblings = (await readdir(dirname(dataDir)).catch(absent)) ?? [];
  for (const name of siblings.filter((each) => each.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length));
    if (pid !== process.pid && isAlive(pid)) continue;
    await rm(join(dirname(dataDir), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A folder that root copied back from a backup belongs to root, inside and out. */
async function giveTo(user: DatabaseUser, path: string): Promise<void> {
  for (const name of await readdir(path, { recursive: true })) {
    await lchown(join(path, name), user.uid, user.gid);
  }
  await chown(path, user.uid, user.gid);
}
