import { closeSync, constants, openSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { fullDiskText, readOnlyDiskText } from "./disk-room.ts";
import { postgresBinaries } from "./postgres-binaries.ts";
import { databaseFault, databaseUser, prepareDataDir } from "./postgres-folder.ts";
import { openPostgresLog } from "./postgres-log.ts";
import { connectionTo, type LocalConnection } from "./postgres-ownership.ts";
import { openFolderNames, signal } from "./postgres-process.ts";
import { bringUp, type Cluster, ownServer, type Server } from "./postgres-server.ts";

/**
 * The embedded PostgreSQL, used without a DATABASE_URL: real, durable, on a unix socket only, and stopped whenever this
 * program ends, even by a crash. The first start takes about 0.6 s, later ones 40 ms.
 */
export type EmbeddedPostgres = {
  connection: LocalConnection;
  /** The address of the running server; it changes after a restart of the server. */
  pid(): number | undefined;
  /** Settles with the reason once the server cannot be kept running; never otherwise. */
  failed: Promise<Error>;
  stop(): Promise<void>;
};

/** With room for what runs beside the program, such as a backup. */
const placesFor = (connections: number): number => Math.max(100, connections + 30);

/** Its name in the embedded server. */
export const DATABASE = "parley";

export async function startEmbeddedPostgres(options: {
  /** The database's own folder, DATA_DIR/postgres; its log lies beside it. */
  dataDir: string;
  log: Log;
  /** How many connections this program may open. */
  connections?: number;
  /** PostgreSQL settings, for tests: a database with fsync=off is also made without it. */
  settings?: Record<string, string>;
  /** Aborts a start; once the server runs, only `stop` stops it. */
  signal?: AbortSignal;
}): Promise<EmbeddedPostgres> {
  const { log, connections = 0, signal } = options;
  const settings = { max_connections: String(placesFor(connections)), ...options.settings };
  signal?.throwIfAborted();
  const dataDir = resolve(options.dataDir);
  await makeWritable(dirname(dataDir));
  const user = await databaseUser(dataDir);
  const binaries = await postgresBinaries(user, dataDir);
  const output = openPostgresLog(`${dataDir}.log`);
  const stopping = new AbortController();
  const abort = () => stopping.abort();
  signal?.addEventListener("abort", abort, { once: true });
  const closing = [output.close, () => signal?.removeEventListener("abort", abort)];
  const closeAll = () => {
    for (const close of closing.splice(0)) close();
  };

  let first: Server | undefined;
  try {
    await prepareDataDir({ dataDir, user, binaries, output, durable: options.settings?.fsync !== "off" });
    const fd = openSync(dataDir, "r");
    closing.push(() => closeSync(fd));
    const folder = openFolderNames(fd, dataDir);
    const cluster: Cluster = {
      dataDir,
      folder,
      user,
      binaries,
      output,
      settings,
      log,
      stopping: stopping.signal,
    };
    first = await bringUp(cluster);
    await createDatabase(first).catch(async (error) => {
      throw await databaseFault(dataDir, `No database could be made in ${dataDir}: ${errorText(error)}`);
    });
    // From here on only `stop` stops it, which the program calls after the running turns.
    signal?.removeEventListener("abort", abort);
    const supervised = supervise(cluster, first);
    let stopped: Promise<void> | undefined;
    return {
      connection: connectionTo(folder, DATABASE),
      pid: supervised.pid,
      failed: supervised.failed,
      stop() {
        stopping.abort();
        stopped ??= supervised.ended().finally(closeAll);
        return stopped;
      },
    };
  } catch (error) {
    stopping.abort();
    if (first) await leave(first);
    closeAll();
    throw error;
  }
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Fault(
      "unavailable",
      readOnlyDiskText(folder, cause) ??
        `This user may not write to ${folder}. Start Parley as its owner, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

async function createDatabase({ lock }: Server): Promise<void> {
  const { rowCount } = await lock.query("select from pg_database where datname = $1", [DATABASE]);
  if (rowCount === 0) await lock.query(`create database ${DATABASE}`);
}

/** The wait before each restart; after more losses than this within `LOSSES_WITHIN_MS` there are no more restarts. */
const RESTART_AFTER_MS = [0, 200, 1_000, 2_000];
const LOSSES_WITHIN_MS = 60_000;
const ROOM_LOOK_MS = 1_000;

function supervise(cluster: Cluster, first: Server) {
  const { log, stopping } = cluster;
  let server = first;
  const failed = Promise.withResolvers<Error>();

  async function keepRunning(): Promise<void> {
    let losses: number[] = [];
    for (;;) {
      const why = await server.lost;
      if (stopping.aborted) return;
      const now = performance.now();
      losses = [...losses.filter((at) => at > now - LOSSES_WITHIN_MS), now];
      const wait = RESTART_AFTER_MS[losses.length - 1];
      if (wait !== undefined) {
        log.error({ why, wait_ms: wait }, "the database server is lost, starting it again");
        await sleep(wait, undefined, { signal: stopping });
      } else if (await roomAgain()) {
        losses = [];
      } else {
        throw await databaseFault(
          cluster.dataDir,
          `The database was lost ${losses.length} times within a minute (it ${why}). See ${cluster.output.path}.`,
        );
      }
      try {
        server = (await ownServer(cluster, server.process, server.mark)) ?? (await replace(server));
        log.info({ pid: server.pid }, "the database server runs again");
      } catch (error) {
        if (stopping.aborted || (error instanceof Fault && error.kind === "blocked")) throw error;
        log.error({ error: errorText(error) }, "the database server did not start");
      }
    }
  }

  /** A server whose log finds no room ends, and starts no more. False where the disk is not full. */
  async function roomAgain(): Promise<boolean> {
    const folder = dirname(cluster.dataDir);
    const full = await fullDiskText(folder);
    if (full === null) return false;
    log.error(`${full} The database starts again once there is room.`);
    while ((await fullDiskText(folder)) !== null) await sleep(ROOM_LOOK_MS, undefined, { signal: stopping });
    return true;
  }

  async function replace(gone: Server): Promise<Server> {
    // A server whose watcher was killed may live on for a moment and still hold our own lock.
    await gone.lock.end().catch(() => {});
    return bringUp(cluster);
  }

  const keeping = keepRunning().catch((error: unknown) => {
    if (!stopping.aborted) failed.resolve(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    pid: () => server.pid,
    failed: failed.promise,
    /** Waits for the end of everything once `stopping` is aborted. */
    async ended(): Promise<void> {
      await leave(server);
      await keeping;
      // It may have been replaced while it was stopping.
      await leave(server);
    },
  };
}

/** A fast shutdown takes some 30 ms here; one that hangs is killed, which costs a recovery at the next start. */
const SHUTDOWN_MS = 15_000;
const QUIT_MS = 5_000;

async function leave(server: Server): Promise<void> {
  // Not awaited: a server that hangs never closes the connection, and only the wait for its end is bounded.
  server.lock.end().catch(() => {});
  server.process.release();
  if (await endsWithin(server, SHUTDOWN_MS)) return;
  if (server.pid !== undefined) signal(server.pid, "SIGQUIT");
  if (await endsWithin(server, QUIT_MS)) return;
  server.process.kill();
  await server.process.exited;
}

async function endsWithin(server: Server, ms: number): Promise<boolean> {
  const late = new AbortController();
  const timer = sleep(ms, false, { signal: late.signal }).catch(() => false);
  const ended = await Promise.race([server.process.exited.then(() => true), timer]);
  late.abort();
  return ended;
}
