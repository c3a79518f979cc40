import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { Pool } from "undici";
import { silentLog } from "../src/base/log.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { joinRunningPostgres } from "../src/db/running-postgres.ts";
import { startProgram } from "../test/harness/start-program.ts";
import {
  type Chat,
  environmentFor,
  makeReceptionist,
  openChat,
  poster,
  startChild,
  TURNS_A_CHAT,
  talk,
} from "./over-http/turns.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";
import { childrenOf, cpuOf, parentOf } from "./processor-time.ts";

/**
 * What a user gets of a chat turn with one tool call: the program as it is shipped, in a process of its own, its provider's
 * library talking to a model over HTTP, the tool over HTTP, the turn asked for over HTTP. Model and tool answer at once
 * (over-http/services.ts). Beside it, in turns, the same done by hand with nothing else (over-http/floor.ts), on a server
 * with the same settings. Durable commits. Run: node bench/http-turns.ts [seconds] [rounds] [people: 1,20,100] [folder for a CPU profile of the program]
 */
const SECONDS = Number(process.argv[2] ?? 10);
const ROUNDS = Number(process.argv[3] ?? 3);
const PEOPLE = (process.argv[4] ?? "1,20,100").split(",").map(Number);
const PROFILE = process.argv[5];
/** So long nobody asks anything after a start, until memory is looked at. */
const REST_MS = 20_000;
type Contestant = {
  name: string;
  pid: number;
  /** MiB resident, before anything was asked of it. */
  at_rest: number;
  /** A chat of its own, from an address of its own. */
  open(n: number): Promise<Chat>;
  database: pg.Client;
};

/** What ends what was started, the last first. */
const closing: (() => Promise<unknown>)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), "parley-http-turns-"));
type Measured = {
  per_second: number;
  took: number[];
  program_ms: number;
  database_ms: number;
  wal_bytes: number;
  fsyncs: number;
};

/** Resolves with how long each turn took. */
async function talkFor({ open }: Contestant, people: number, time_ms: number): Promise<number[]> {
  const until = performance.now() + time_ms;
  return (await Promise.all(Array.from({ length: people }, () => talk(open, until)))).flat();
}

async function measure(contestant: Contestant, people: number): Promise<Measured> {
  const { pid, database } = contestant;
  await talkFor(contestant, people, 1000);
  const postmaster = await postmasterOf(database);
  const cpu = { program: cpuOf([pid]), database: cpuOf(childrenOf(postmaster)) };
  const before = await walOf(database);
  const began = performance.now();
  const took = await talkFor(contestant, people, SECONDS * 1000);
  const seconds = (performance.now() - began) / 1000;
  const after = await walOf(database);
  const each = (value: number) => value / took.length;
  return {
    per_second: took.length / seconds,
    took,
    program_ms: each(cpuOf([pid]) - cpu.program),
    database_ms: each(cpuOf(childrenOf(postmaster)) - cpu.database),
    wal_bytes: each(after.bytes - before.bytes),
    fsyncs: each(after.fsyncs - before.fsyncs),
  };
}

const residentOf = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);

async function postmasterOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  return parentOf(rows[0]?.pid as number);
}

async function walOf(database: pg.Client): Promise<{ bytes: number; fsyncs: number }> {
  const { rows } = await database.query<{ bytes: string; fsyncs: string }>(
    `select (select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')) as bytes,
       (select coalesce(sum(fsyncs), 0) from pg_stat_io where object = 'wal') as fsyncs`,
  );
  return { bytes: Number(rows[0]?.bytes), fsyncs: Number(rows[0]?.fsyncs) };
}

async function parley(): Promise<Contestant> {
  const program = await startProgram(folder, {
    ...environmentFor(services.address),
    ...(PROFILE && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path.resolve(PROFILE)}` }),
  });
  closing.push(() => program.end("SIGTERM"));
  await setTimeout(REST_MS);
  const at_rest = residentOf(program.pid);
  const { url, token = "" } = program.greeting;
  await makeReceptionist(url, token, services.address);
  const pool = new Pool(url, { connections: 200, pipelining: 1 });
  closing.push(() => pool.close());
  const post = poster(pool);
  const joined = await joinRunningPostgres(path.join(folder, "data", "postgres"));
  if (!joined) throw new Error("the program's database does not answer");
  closing.push(async () => joined.leave());
  return {
    name: "Parley",
    pid: program.pid,
    at_rest,
    database: await connected(joined.connection),
    open: (n) => openChat(post, n),
  };
}

async function floor(): Promise<Contestant> {
  const dataDir = path.join(folder, "floor", "postgres");
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog });
  closing.push(() => server.stop());
  const connection = { ...server.connection, host: dataDir };
  const admin = await connected(connection);
  await admin.query("create database floor");
  const own = { ...connection, database: "floor" };
  const child = await startChild("floor.ts", [services.address, JSON.stringify(own)]);
  closing.push(async () => void child.process.kill());
  await setTimeout(REST_MS);
  const at_rest = residentOf(child.process.pid as number);
  const pool = new Pool(child.address, { connections: 200, pipelining: 1 });
  closing.push(() => pool.close());
  const post = poster(pool);
  return {
    name: "by hand",
    pid: child.process.pid as number,
    at_rest,
    database: admin,
    async open() {
      const { id } = (await post("/chats", {})) as { id: string };
      return async (text) => {
        const answer = (await post(`/chats/${id}/messages`, { text })) as { text?: string };
        if (answer.text !== "We have nine and two.")
          throw new Error(`a turn was answered with ${JSON.stringify(answer)}`);
      };
    },
  };
}

async function connected(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  closing.push(() => client.end());
  return client;
}

async function end(): Promise<void> {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
}

const services = await startChild("services.ts", []);
closing.push(async () => void services.process.kill());
const contestants = [await parley(), await floor()];
const residentNow = () => contestants.map(({ pid }) => residentOf(pid));
// As a program that has run for a while: what a turn needs is compiled by then.
for (const contestant of contestants) await talkFor(contestant, 20, 30_000);
const lines: (string | number)[][] = [];
for (const people of PEOPLE) {
  const measured = contestants.map(() => [] as Measured[]);
  // One after the other in each round: a machine that changes its speed changes it for both.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contestant] of contestants.entries())
      measured[index]?.push(await measure(contestant, people));
  }
  const floored = median(measured[1]?.map(({ per_second }) => per_second) ?? []);
  for (const [index, { name }] of contestants.entries()) {
    const runs = measured[index] ?? [];
    const of = (value: (run: Measured) => number) => median(runs.map(value));
    const took = runs.flatMap((run) => run.took);
    lines.push([
      people,
      name,
      Math.round(of((run) => run.per_second)),
      (of((run) => run.per_second) / floored).toFixed(2),
      ms(median(took)),
      ms(quantile(took, 0.95)),
      ms(quantile(took, 0.99)),
      ms(of((run) => run.program_ms)),
      ms(of((run) => run.database_ms)),
      Math.round(of((run) => run.wal_bytes)),
      of((run) => run.fsyncs).toFixed(2),
    ]);
  }
}
print(
  `${machine()}; ${SECONDS} s each, the median of ${ROUNDS} rounds; a turn with one tool call, ${TURNS_A_CHAT} in a chat\n`,
);
print(
  markdownTable(
    [
      "people",
      "",
      "turns/s",
      "of the floor",
      "p50 ms",
      "p95 ms",
      "p99 ms",
      "CPU ms a turn: program",
      "database",
      "WAL bytes a turn",
      "fsyncs a turn",
    ],
    lines,
  ),
);
const resident = [contestants.map(({ at_rest }) => at_rest), residentNow()];
await setTimeout(30_000);
resident.push(residentNow());
print("");
print(
  markdownTable(
    ["resident MiB", ...contestants.map(({ name }) => name)],
    ["at rest", `after ${PEOPLE.at(-1)} people`, "30 s later"].map((when, at) => [
      when,
      ...(resident[at] ?? []),
    ]),
  ),
);
await end();
