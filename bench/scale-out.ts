import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { Pool } from "undici";
import { silentLog } from "../src/base/log.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { startProgram } from "../test/harness/start-program.ts";
import { environmentFor, makeReceptionist, openChat, poster, startChild, talk } from "./over-http/turns.ts";
import { machine, markdownTable, median, ms, print, quantile } from "./platform.ts";
import { childrenOf, cpuOf, parentOf } from "./processor-time.ts";

/**
 * One, two and four processes of the program on one PostgreSQL, with the same people spread over them. The database has the
 * first core for itself, all else shares the second: what a turn costs either must not grow with the number of processes,
 * then the database's cores are the limit, and how many turns they carry follows. Run: node bench/scale-out.ts [seconds] [people] [processes: 1,2,4]
 */
const SECONDS = Number(process.argv[2] ?? 10);
const PEOPLE = Number(process.argv[3] ?? 20);
const PROCESSES = (process.argv[4] ?? "1,2,4").split(",").map(Number);
const DATABASE_CORES = "0";
const OTHER_CORES = "1";

if (cpus().length < 2) throw new Error("This machine has one core: the database can't have one of its own.");
const pin = (cores: string, pid: number): void =>
  void execFileSync("taskset", ["-a", "-p", "-c", cores, String(pid)], { stdio: "ignore" });

const folder = mkdtempSync(path.join(tmpdir(), "parley-scale-out-"));
/** What ends what was started, the last first. */
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

const services = await startChild("services.ts", []);
closing.push(() => services.process.kill());
const dataDir = path.join(folder, "postgres");
const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog });
closing.push(() => postgres.stop());
const { port, user, database } = postgres.connection;
const client = new pg.Client({ ...postgres.connection, host: dataDir });
client.on("error", () => {});
await client.connect();
closing.push(() => client.end());
const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
const postmaster = parentOf(rows[0]?.pid as number);
for (const pid of childrenOf(postmaster)) pin(DATABASE_CORES, pid);
pin(OTHER_CORES, process.pid);
pin(OTHER_CORES, services.process.pid as number);

const env = {
  ...environmentFor(services.address),
  DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(dataDir)}&port=${port}`,
  SECRET_KEY: "a key that only seals what this benchmark makes",
  DATA_DIR: path.join(folder, "data"),
};

type Program = { pid: number; open: Parameters<typeof talk>[0]; token: string | undefined; url: string };
async function program(): Promise<Program> {
  const started = await startProgram(folder, env);
  closing.push(() => started.end("SIGTERM"));
  pin(OTHER_CORES, started.pid);
  const pool = new Pool(started.greeting.url, { connections: 200, pipelining: 1 });
  closing.push(() => pool.close());
  const post = poster(pool);
  const { url, token } = started.greeting;
  return { pid: started.pid, open: (n) => openChat(post, n), token, url };
}

const programs = [await program()];
const [first] = programs;
await makeReceptionist(first?.url ?? "", first?.token ?? "", services.address);

const lines: (string | number)[][] = [];
for (const count of PROCESSES) {
  while (programs.length < count) programs.push(await program());
  const used = programs.slice(0, count);
  const people = Array.from({ length: PEOPLE }, (_, n) => used[n % count] as Program);
  const talkUntil = (until: number) => Promise.all(people.map(({ open }) => talk(open, until)));
  await talkUntil(performance.now() + 3000);
  const pids = used.map(({ pid }) => pid);
  const before = { program: cpuOf(pids), database: cpuOf(childrenOf(postmaster)) };
  const began = performance.now();
  const each = await talkUntil(began + SECONDS * 1000);
  const elapsed_ms = performance.now() - began;
  const spent = {
    program: cpuOf(pids) - before.program,
    database: cpuOf(childrenOf(postmaster)) - before.database,
  };
  const took = each.flat();
  const shares = used.map((one) => each.filter((_, n) => people[n] === one).flat().length);
  const database_ms = spent.database / took.length;
  lines.push([
    count,
    Math.round((took.length / elapsed_ms) * 1000),
    ms(median(took)),
    ms(quantile(took, 0.95)),
    ms(spent.program / took.length),
    ms(database_ms),
    `${Math.round((spent.database / elapsed_ms) * 100)} %`,
    shares.join(", "),
    Math.round((1000 / database_ms) * 4 * 0.7),
  ]);
}

print(
  `${machine()}; ${PEOPLE} people, ${SECONDS} s each, a turn with one tool call. The database on core ${DATABASE_CORES}, all else on core ${OTHER_CORES}.\n`,
);
print(
  markdownTable(
    [
      "processes",
      "turns/s",
      "p50 ms",
      "p95 ms",
      "CPU ms a turn: programs",
      "database",
      "database's core in use",
      "turns of each process",
      "turns/s of 4 cores, 70 % busy",
    ],
    lines,
  ),
);
for (const close of closing.reverse()) await close();
