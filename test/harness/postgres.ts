import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { errorText } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { migrate } from "../../src/db/migrate.ts";
import { isAlive, signal } from "../../src/db/postgres-process.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { COMPILED_FOLDER } from "./start-program.ts";
import { WAITING } from "./waiting.ts";

/** What a test file needs to make a database of its own; see `createTestDatabase`. */
type TestServer = {
  /** Leads to the maintenance database. */
  admin: pg.ClientConfig;
  template: string;
  /** Why the template could not be migrated; tests without a database run all the same. */
  fault: string | null;
};

declare module "vitest" {
  export interface ProvidedContext {
    testServer: TestServer;
  }
}

/**
 * Runs once before all test files: a folder for all that they write, a server, and on it a migrated template that costs
 * 20 ms to copy.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Each project of a run has its own: they begin and end side by side.
  const own = `parley-test-${process.pid}-${project.name}`;
  removeAbandoned(own);
  const folder = path.join(tmpdir(), own);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  // For the processes that run test files: whatever they make is gone with the run, or with the next if this one is killed.
  process.env.TMPDIR = folder;
  // The programs that tests start read some six hundred files: the first to end keeps them compiled for all that follow.
  process.env[COMPILED_FOLDER] = path.join(folder, "compiled");
  const { admin, stop } = await startServer(own);
  const template = `parley_template_${process.pid}_${project.name}`;
  await runAsAdmin(admin, `create database ${template}`);
  let fault: string | null = null;
  try {
    await migrate({ ...admin, ...inDatabase(admin, template) });
    const pool = new pg.Pool({ ...admin, ...inDatabase(admin, template) });
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    await migrateJobs(pool, silentLog).finally(() => pool.end());
  } catch (error) {
    fault = `the migrations do not run: ${errorText(error)}`;
  }
  project.provide("testServer", { admin, template, fault });
  return async () => {
    await stop(template);
    await endProcessesOf(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}

export async function runAsAdmin(admin: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(admin);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** The same server, another database; a URL wins over everything beside it, so it must be changed itself. */
export function inDatabase(admin: pg.ClientConfig, database: string): pg.ClientConfig {
  if (admin.connectionString === undefined) return { ...admin, database };
  const url = new URL(admin.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/** `stop` leaves nothing behind, the template neither. */
type Started = { admin: pg.ClientConfig; stop(template: string): Promise<void> };

async function startServer(own: string): Promise<Started> {
  const outside = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (outside) {
    const admin = { connectionString: outside };
    return { admin, stop: (template) => runAsAdmin(admin, `drop database ${template} with (force)`) };
  }

  const folder = path.join(temporaryFolder(), own);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const dataDir = path.join(folder, "postgres");
  const server = await startEmbeddedPostgres({
    dataDir,
    log: silentLog,
    settings: SETTINGS,
  });
  return {
    // Test files run in other processes, which a link to a descriptor of ours does not reach; the path is short.
    admin: { ...server.connection, host: dataDir, database: "postgres" },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Nothing outlives the run; and tables that hold little are never read by several processes at once. */
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_parallel_workers_per_gather: "0",
};

const MEMORY = "/dev/shm";
const ROOMY_BYTES = 2_000_000_000;

/**
 * In memory where there is plenty: ext4 avoids the inodes of files just deleted, and searches ever longer the more of
 * them there are, so that runs in a row slow down from 0.5 to 1.7 s for the server and from 16 to 43 ms for a copy.
 */
export function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize > ROOMY_BYTES) return MEMORY;
  } catch {
    // Not on this system.
  }
  return tmpdir();
}

/**
 * Vitest kills its processes, and their browsers end by themselves, which takes seconds on a busy machine: meanwhile they
 * write into the folder that is to be removed.
 */
async function endProcessesOf(folder: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (const pid of await processesOf(folder)) signal(pid, "SIGKILL");
  const giveUp = performance.now() + WAITING.timeout;
  while ((await processesOf(folder)).length > 0) {
    if (performance.now() > giveUp) throw new Error(`processes still use ${folder}, though they were killed`);
    await sleep(20);
  }
}

/** Those that were given the folder for their temporary files. */
async function processesOf(folder: string): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")),
  );
  return pids.filter((pid, at) => environments[at]?.split("\0").includes(`TMPDIR=${folder}`) && isAlive(pid));
}

/** Folders of test runs that were killed, and one that bears our own name. */
function removeAbandoned(own: string): void {
  for (const folder of [MEMORY, tmpdir()].filter((each) => existsSync(each))) {
    for (const name of readdirSync(folder)) {
      const pid = Number(/^parley-test-(\d+)(-\w+)?$/.exec(name)?.[1]);
      if (!pid || (name !== own && isAlive(pid))) continue;
      try {
        rmSync(path.join(folder, name), { recursive: true, force: true });
      } catch {
        // Something of that run still writes there: it goes with the next run.
      }
    }
  }
}
