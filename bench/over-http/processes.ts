import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { silentLog } from "../../src/base/log.ts";
import type { Connection } from "../../src/db/database.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { startProgram } from "../../test/harness/start-program.ts";
import { childrenOf, cpuOf, cpuOfFamily, parentOf } from "../processor-time.ts";
import { environmentFor, startChild } from "./turns.ts";

export const DATABASE_CORES = "0";
export const OTHER_CORES = "1";

export type Program = { pid: number; url: string; token: string | undefined };
export type Processes = {
  /** Where the model, the tool and the receiver of webhooks answer. */
  services: string;
  connection: Connection;
  /** At least so many programs on the one database; the same ones each time. */
  programs(count: number): Promise<Program[]>;
  /** Milliseconds of processor so far. */
  spent(programs: readonly Program[]): { program: number; database: number };
  /** Run when all is over, the last first. */
  closing: (() => unknown)[];
  close(): Promise<void>;
};

/** A PostgreSQL that has the first core for itself, and programs that share the second with all else. */
export async function startProcesses(more: Record<string, string> = {}): Promise<Processes> {
  if (cpus().length < 2)
    throw new Error("This machine has one core: the database can't have one of its own.");
  const pin = (cores: string, pid: number): void =>
    void execFileSync("taskset", ["-a", "-p", "-c", cores, String(pid)], { stdio: "ignore" });
  const folder = mkdtempSync(path.join(tmpdir(), "parley-scale-out-"));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

  const services = await startChild("services.ts", []);
  closing.push(() => services.process.kill());
  const dataDir = path.join(folder, "postgres");
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog });
  closing.push(() => postgres.stop());
  const { port, user, database } = postgres.connection;
  const connection = { ...postgres.connection, host: dataDir };
  const postmaster = await postmasterOf(connection);
  for (const pid of childrenOf(postmaster)) pin(DATABASE_CORES, pid);
  pin(OTHER_CORES, process.pid);
  pin(OTHER_CORES, services.process.pid as number);

  const env = {
    ...environmentFor(services.address),
    DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(dataDir)}&port=${port}`,
    SECRET_KEY: "a key that only seals what this benchmark makes",
    DATA_DIR: path.join(folder, "data"),
    ...more,
  };
  const started: Program[] = [];
  return {
    services: services.address,
    connection,
    async programs(count) {
      while (started.length < count) {
        const { pid, greeting, end } = await startProgram(folder, env);
        closing.push(() => end("SIGTERM"));
        pin(OTHER_CORES, pid);
        started.push({ pid, url: greeting.url, token: greeting.token });
      }
      return started.slice(0, count);
    },
    spent: (programs) => ({
      program: cpuOf(programs.map(({ pid }) => pid)),
      database: cpuOfFamily(postmaster),
    }),
    closing,
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

async function postmasterOf(connection: Connection): Promise<number> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const postmaster = parentOf(rows[0]?.pid as number);
  await client.end();
  return postmaster;
}
