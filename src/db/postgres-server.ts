import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { Fault } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { databaseFault, SHARED_MEMORY } from "./postgres-folder.ts";
import type { PostgresLog } from "./postgres-log.ts";
import {
  alreadyRunning,
  clearTheWay,
  connect,
  newOwnerMark,
  OWNER_SETTING,
  ownerMark,
  PORT,
  postmasterPid,
  takeOwnerLock,
} from "./postgres-ownership.ts";
import {
  type DatabaseUser,
  type OpenFolder,
  spawnTethered,
  type TetheredProcess,
} from "./postgres-process.ts";

/** Everything that stays the same from one server process to the next. */
export type Cluster = {
  dataDir: string;
  folder: OpenFolder;
  user: DatabaseUser | undefined;
  binaries: PostgresBinaries;
  output: PostgresLog;
  settings: Record<string, string>;
  log: Log;
  /** Aborted when the database is to stop, also in the middle of a start. */
  stopping: AbortSignal;
};

/** A server that is ready and ours: `lock` holds the owner lock, `lost` settles when either is gone. */
export type Server = {
  process: TetheredProcess;
  mark: string;
  lock: pg.Client;
  pid: number | undefined;
  lost: Promise<string>;
};

/** For a machine of two cores and a few GiB, shared with the program; larger installations use a PostgreSQL of their own. */
const SETTINGS: Record<string, string> = {
  listen_addresses: "",
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  port: String(PORT),
  shared_buffers: "64MB",
  ...SHARED_MEMORY,
  // Nobody replicates it; its launcher would rest beside it.
  max_logical_replication_workers: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  // Statement errors reach the program, which logs them; here they would only fill the disk, with people's data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

/** Leftovers of a killed server (a dying backend, a zombie process) disappear within this time. */
const LEFTOVERS_MS = 10_000;
const PASSING = /lock file|shared memory block|could not bind/i;

export async function bringUp(cluster: Cluster): Promise<Server> {
  const { dataDir, folder, output, log, stopping } = cluster;
  const giveUp = performance.now() + LEFTOVERS_MS;
  for (;;) {
    stopping.throwIfAborted();
    await clearTheWay(folder, dataDir, log);
    const logged = output.size();
    const server = await launch(cluster);
    if (server) return server;
    stopping.throwIfAborted();
    const said = output.since(logged);
    if (!PASSING.test(said) || performance.now() > giveUp) {
      throw await databaseFault(
        dataDir,
        `The database in ${dataDir} does not start. ${output.path} ends: ${said}`,
      );
    }
    await sleep(100);
  }
}

/** Undefined when PostgreSQL ended before it was ready. */
async function launch(cluster: Cluster): Promise<Server | undefined> {
  const mark = newOwnerMark(randomBase62(8));
  const settings = { ...SETTINGS, ...cluster.settings, [OWNER_SETTING]: mark };
  const process = spawnTethered(
    cluster.binaries.postgres,
    [
      "-D",
      cluster.folder.fromChild,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    { folder: cluster.folder, user: cluster.user, output: cluster.output.fd },
  );
  cluster.stopping.addEventListener("abort", process.release, { once: true });
  // The signal may have been aborted already, in which case it raises no event.
  if (cluster.stopping.aborted) process.release();
  process.exited.then(() => cluster.stopping.removeEventListener("abort", process.release));
  return ownServer(cluster, process, mark);
}

/** Another program that checks whether our server is an orphan holds the lock for a moment. */
const LOCK_PATIENCE_MS = 3_000;
const STILL_WAITING_MS = 10_000;

/**
 * Waits until the server answers and takes the owner lock, also after the server restarted itself because a backend
 * crashed. There is no timeout while the server lives, because replaying its log may take long.
 */
export async function ownServer(
  cluster: Cluster,
  process: TetheredProcess,
  mark: string,
): Promise<Server | undefined> {
  let nextWord = performance.now() + STILL_WAITING_MS;
  for (; !process.hasExited(); await sleep(10)) {
    if (performance.now() > nextWord) {
      cluster.log.info(
        "still waiting for the database to accept connections: after a crash it replays its log",
      );
      nextWord += STILL_WAITING_MS;
    }
    const client = await connect(cluster.folder);
    if (client === undefined || client === "busy") continue;
    const lost = new Promise<string>((resolve) => {
      client.once("end", () => resolve("closed its owner's connection"));
    });
    try {
      if ((await ownerMark(client)) === mark) {
        if (await takeOwnerLock(client, LOCK_PATIENCE_MS)) {
          const pid = postmasterPid(cluster.folder);
          return { process, mark, lock: client, pid, lost: Promise.race([process.exited, lost]) };
        }
        process.release();
        throw alreadyRunning(cluster.dataDir);
      }
      // Another program's server; ours is about to find that out and end.
    } catch (error) {
      if (error instanceof Fault) throw error;
    }
    await client.end().catch(() => {});
  }
  return undefined;
}
