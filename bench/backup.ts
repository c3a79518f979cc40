import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { joinRunningPostgres } from "../src/db/running-postgres.ts";
import { bareEnvironment, MAIN, startProgram } from "../test/harness/start-program.ts";
import { machine, markdownTable, print } from "./platform.ts";

/**
 * How long a backup of a running program takes, and a restore of it: the commands as an operator types them, against the
 * size of the tables. The rows are events with an English sentence and 400 bytes of JSON, half of it random. Run:
 * node bench/backup.ts [GB]
 */
const GB = Number(process.argv[2] ?? 1);
const EVENT_bytes = 680;

const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
const machineB = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
const archive = path.join(folder, "bench.backup");
const program = await startProgram(folder, { LOG_LEVEL: "error" });

async function fill(): Promise<{ bytes: number; rows: number }> {
  const running = await joinRunningPostgres(path.join(folder, "data", "postgres"));
  if (!running) throw new Error("no database runs");
  const client = new pg.Client(running.connection);
  await client.connect();
  await client.query(
    `insert into events (sub_organization_id, timestamp, session_id, source, category, type, description, attributes)
     select 1, now() - n * interval '1 second', md5(n::text), 'engine', 'session', 'tool-call',
       'The tool look-up-appointment was called by the agent Demo clinic and answered after ' || n % 900 || ' ms',
       json_build_object('request', repeat(md5(n::text), 5), 'answer', 'Monday to Friday, nine to five', 'session',
         md5((2 * n)::text) || md5((3 * n)::text) || md5((5 * n)::text), 'agent', 'Demo clinic, reception desk')
     from generate_series(1, $1::int) n`,
    [Math.round((GB * 1e9) / EVENT_bytes)],
  );
  const { rows } = await client.query<{ bytes: string; rows: string }>(
    "select pg_table_size('events') as bytes, (select count(*) from events) as rows",
  );
  await client.end();
  running.leave();
  return { bytes: Number(rows[0]?.bytes), rows: Number(rows[0]?.rows) };
}

type Measured = { seconds: number; processor_s: number; peak_mib: number };

async function command(args: string[], cwd: string): Promise<Measured> {
  const begun = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: bareEnvironment(),
    stdio: ["ignore", "inherit", "inherit"],
  });
  let [peak_mib, processor_s] = [0, 0];
  const look = setInterval(() => {
    peak_mib = Math.max(peak_mib, peakOf(child));
    processor_s = Math.max(processor_s, processorOf(child));
  }, 50);
  const [code] = await once(child, "exit");
  clearInterval(look);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return { seconds: (performance.now() - begun) / 1000, processor_s, peak_mib };
}

/** What the process itself ever held; the database has processes of its own. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Its own; Linux counts in hundredths of a second. */
function processorOf({ pid }: ChildProcess): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .slice(11, 13);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return 0;
  }
}

const loadBefore = loadavg()[0] ?? 0;
const { bytes, rows } = await fill();
const backup = await command(["backup", archive], folder);
await program.end("SIGTERM");
mkdirSync(path.join(machineB, "data"), { mode: 0o700 });
cpSync(path.join(folder, "data", "secret.key"), path.join(machineB, "data", "secret.key"));
const restore = await command(["restore", archive], machineB);
const mb = (bytes: number) => Math.round(bytes / 1e6);
const line = (name: string, { seconds, processor_s, peak_mib }: Measured) => [
  name,
  seconds.toFixed(1),
  Math.round(bytes / 1e6 / seconds),
  processor_s.toFixed(1),
  Math.round(peak_mib),
];
print(
  `${machine()}, load before ${loadBefore.toFixed(1)}\n\n${rows.toLocaleString("en-US")} events, ${mb(bytes)} MB as tables; the archive has ${mb(statSync(archive).size)} MB.\n\n${markdownTable(
    ["", "seconds", "MB of tables/s", "processor seconds of the command", "peak memory of the command, MiB"],
    [line("backup, while the program runs", backup), line("restore, with its indexes", restore)],
  )}`,
);
for (const each of [folder, machineB]) rmSync(each, { recursive: true, force: true });
