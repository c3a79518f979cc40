import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { silentLog } from "../../src/base/log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { isAlive, processState } from "../../src/db/postgres-process.ts";
import { compiledFolder } from "../harness/start-program.ts";
import { WAITING } from "../harness/waiting.ts";

const base = path.join(tmpdir(), `parley-embedded-${process.pid}`);
let running: EmbeddedPostgres[] = [];
let programs: ChildProcess[] = [];

/** After each test (set-up-programs.ts). */
export async function endServers(): Promise<void> {
  for (const program of programs) program.kill("SIGKILL");
  await Promise.all(running.map((each) => each.stop()));
  running = [];
  programs = [];
}
/** After each file. */
export const removeServers = (): void => rmSync(base, { recursive: true, force: true, maxRetries: 5 });

let folders = 0;
export function newDataDir(...below: string[]): string {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  return path.join(base, `data-${++folders}`, ...below, "postgres");
}

export async function start(
  dataDir: string,
  settings: Record<string, string> = {},
  connections?: number,
): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, log: silentLog, settings, connections });
  running.push(database);
  return database;
}

export async function query<T extends pg.QueryResultRow>(
  database: EmbeddedPostgres,
  text: string,
): Promise<T[]> {
  const client = new pg.Client(database.connection);
  client.on("error", () => {});
  await client.connect();
  return (await client.query<T>(text).finally(() => client.end())).rows;
}

/** Another Parley on `dataDir`; `ready` gives the pid of its server. */
export function startProgram(dataDir: string, mode = "idle") {
  const script = path.join(import.meta.dirname, "embedded-program.ts");
  const child = spawn(process.execPath, [script, dataDir, mode], {
    env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  programs.push(child);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, complaint }));
  return {
    child,
    ended,
    acknowledged: () => lines.filter((line) => /^\d+$/.test(line)).map(Number),
    ready: () =>
      until(() => {
        if (child.exitCode !== null) throw new Error(complaint);
        return Number(lines[0]?.split(" ")[1]) || undefined;
      }),
    /** Stands still until it is killed. */
    halt: async () => {
      child.kill("SIGSTOP");
      await until(() => processState(child.pid!)?.state === "T");
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export async function until<T>(found: () => T | undefined | false, within_ms = WAITING.timeout): Promise<T> {
  const giveUp = performance.now() + within_ms;
  for (;;) {
    const value = found();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > giveUp) throw new Error(`nothing came within ${within_ms} ms`);
    await sleep(10);
  }
}

/** Living processes that work in `dataDir`, as every process of its server does. */
export function processesIn(dataDir: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === dataDir && isAlive(pid);
      } catch {
        return false;
      }
    });
}

export const parentOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
export const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

export const siblings = (dataDir: string): string[] => {
  try {
    return readdirSync(path.dirname(dataDir)).sort();
  } catch {
    return [];
  }
};
