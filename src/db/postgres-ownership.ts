import { existsSync, fstatSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { SUPERUSER } from "./postgres-folder.ts";
import { isAlive, type OpenFolder, processState, signal } from "./postgres-process.ts";

/**
 * Who runs the server of a data directory. Two facts decide:
 *
 * - The server carries a mark naming the program that started it (`parley.owner`, a setting on its command line).
 * - That program holds an advisory lock on one connection for its whole life, in the `postgres` database, so that
 *   PostgreSQL itself lets go of it the moment the program dies.
 *
 * A server whose lock is free and whose owner is gone is an orphan: it is stopped, so that every server is always
 * under a program that restarts it and takes it down at the end.
 */
export const OWNER_SETTING = "parley.owner";

/** The bytes of "parley"; any constant would do. */
const OWNER_LOCK = BigInt(`0x${Buffer.from("parley").toString("hex")}`).toString();

export const PORT = 5432;
/** `ssl` is said aloud because PGSSLMODE in the environment would otherwise ask it of a socket. */
export type LocalConnection = { host: string; port: number; user: string; database: string; ssl: false };

export const connectionTo = (folder: OpenFolder, database: string): LocalConnection => ({
  host: folder.fromHere,
  port: PORT,
  user: SUPERUSER,
  database,
  ssl: false,
});

/** Undefined when nobody answers; "busy" while a server starts up, shuts down or is full. */
export async function connect(folder: OpenFolder): Promise<pg.Client | "busy" | undefined> {
  const client = new pg.Client({ ...connectionTo(folder, "postgres"), connectionTimeoutMillis: 5_000 });
  // A connection that breaks later is noticed by its "end".
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => {});
    if (!(error instanceof pg.DatabaseError)) return undefined;
    // Classes 28 (authorization) and 3D (no such database) will not pass.
    if (!/^(28|3D)/.test(error.code ?? "")) return "busy";
    throw new Fault("unavailable", `The database found was not made by Parley: ${error.message}.`);
  }
}

export const newOwnerMark = (random: string): string => `${process.pid}-${random}`;

export async function ownerMark(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ mark: string | null }>(
    `select current_setting('${OWNER_SETTING}', true) as mark`,
  );
  return rows[0]?.mark ?? "";
}

/** `patience_ms` covers another program that looks at the lock and lets go of it at once. */
export async function takeOwnerLock(client: pg.Client, patience_ms: number): Promise<boolean> {
  const giveUp = performance.now() + patience_ms;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(${OWNER_LOCK}) as taken`,
    );
    if (rows[0]?.taken) return true;
    if (performance.now() > giveUp) return false;
    await sleep(20);
  }
}

/** Each begins with the pid of the server. */
const SERVER_FILE = "postmaster.pid";
const SOCKET_FILE = `.s.PGSQL.${PORT}.lock`;

const pidIn = (folder: OpenFolder, file: string): number | undefined => {
  try {
    return Number.parseInt(readFileSync(join(folder.fromHere, file), "utf8"), 10) || undefined;
  } catch {
    return undefined;
  }
};

export const postmasterPid = (folder: OpenFolder): number | undefined => pidIn(folder, SERVER_FILE);

/** A server of a program that was just killed needs this long to notice; so does a dead process to be collected. */
const SETTLING_MS = 1_500;
/** An owner that lives takes its lock within this after its server is ready; later its pid is someone else's. */
const TAKING_LOCK_MS = 5_000;
const LEAVING_MS = 10_000;

/**
 * Returns once no server runs in `folder`: waits for one that is going, stops an orphan, and throws when the server
 * belongs to a program that lives.
 */
export async function clearTheWay(folder: OpenFolder, dataDir: string, log: Log): Promise<void> {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  for (; postmasterPid(folder) !== undefined; await sleep(50)) {
    const client = await connect(folder);
    // Where nobody answers PostgreSQL itself tells a stale postmaster.pid from one that counts, with one exception.
    if (client === undefined) break;
    if (client === "busy") {
      if (elapsed() > LEAVING_MS) throw alreadyRunning(dataDir);
      continue;
    }
    try {
      const owner = Number.parseInt(await ownerMark(client), 10) || 0;
      if (!(await takeOwnerLock(client, 0))) {
        if (elapsed() > SETTLING_MS) throw alreadyRunning(dataDir, owner);
      } else if (owner === process.pid || !isAlive(owner) || elapsed() > TAKING_LOCK_MS) {
        log.warn({ owner }, "stopping a database server that a program killed earlier left behind");
        if (!(await stopOrphan(folder))) throw alreadyRunning(dataDir);
      }
    } catch (error) {
      if (error instanceof Fault) throw error;
      // The server left while we were asking.
    } finally {
      await client.end().catch(() => {});
    }
  }
  for (const file of [SERVER_FILE, SOCKET_FILE]) {
    await removeUnwritten(file, folder, log);
    removeForeign(file, folder, log);
  }
}

export const alreadyRunning = (dataDir: string, owner = 0): Fault =>
  new Fault(
    "blocked",
    `Another Parley is already running on ${dataDir}${owner ? ` (pid ${owner})` : ""}. ` +
      "Stop it, or set DATA_DIR to another folder.",
  );

/** False when its pid means nothing here: the server runs in another container, on the same volume. */
async function stopOrphan(folder: OpenFolder): Promise<boolean> {
  const pid = postmasterPid(folder);
  if (pid === undefined) return true;
  if (process.platform === "linux" && processState(pid)?.name !== "postgres") return false;
  for (const how of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    signal(pid, how);
    const giveUp = performance.now() + LEAVING_MS;
    while (performance.now() < giveUp) {
      if (!isAlive(pid)) return true;
      await sleep(20);
    }
  }
  return false;
}

/**
 * A server writes its pid into a file the moment after it made it. A power cut just then leaves one that is empty or full of
 * zeros, which PostgreSQL takes for that of a server that starts, forever.
 */
async function removeUnwritten(file: string, folder: OpenFolder, log: Log): Promise<void> {
  const place = join(folder.fromHere, file);
  const giveUp = performance.now() + SETTLING_MS;
  for (; existsSync(place) && pidIn(folder, file) === undefined; await sleep(50)) {
    if (performance.now() < giveUp) continue;
    log.warn({ file }, "removing a file that names no process");
    rmSync(place, { force: true });
  }
}

/**
 * PostgreSQL takes its files for valid while any process has the pid they name. After a power cut, and in containers
 * where pids are few and come again, that may be some other program, or the server of another folder, and PostgreSQL
 * would refuse to start forever.
 */
function removeForeign(file: string, folder: OpenFolder, log: Log): void {
  const pid = pidIn(folder, file);
  const holder = pid === undefined ? undefined : processState(pid);
  if (!pid || !holder || holder.state === "Z" || (holder.name === "postgres" && worksIn(folder, pid))) return;
  log.warn({ file, pid, program: holder.name }, "removing a file that names another program's process");
  rmSync(join(folder.fromHere, file), { force: true });
}

/** As all processes of a PostgreSQL do in their data directory. True as well of one that we may not look at. */
function worksIn(folder: OpenFolder, pid: number): boolean {
  try {
    const [there, here] = [statSync(`/proc/${pid}/cwd`), fstatSync(folder.fd)];
    return there.dev === here.dev && there.ino === here.ino;
  } catch {
    return true;
  }
}
