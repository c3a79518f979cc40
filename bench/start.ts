import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type StartedProgram, startProgram } from "../test/harness/start-program.ts";
import { machine, markdownTable, median, print } from "./platform.ts";

/**
 * How long a person waits for the program, from the command to the ready text: on an empty folder, on one that was
 * used before, and after kill -9; and how much memory it takes with its database once it rests. Run:
 * node bench/start.ts [rounds]
 */
const ROUNDS = Number(process.argv[2] ?? 5);
/** For what a start leaves behind (freed pages, connections of the start) to be gone. */
const REST_MS = 5_000;

async function start(folder: string): Promise<StartedProgram & { ms: number }> {
  const before = performance.now();
  const program = await startProgram(folder);
  return { ...program, ms: performance.now() - before };
}

/** The program, the guard of its database, the database and its backends: every process below the first. */
function family(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(family)];
}

/** PSS counts a page that n processes share as 1/n in each, so that the sum counts it once. */
const pss_mib = (pid: number): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;

const figures: Record<"first" | "later" | "killed" | "program_mib" | "total_mib", number[]> = {
  first: [],
  later: [],
  killed: [],
  program_mib: [],
  total_mib: [],
};
const loadBefore = loadavg()[0] ?? 0;
for (let round = 0; round < ROUNDS; round++) {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
  const first = await start(folder);
  figures.first.push(first.ms);
  await first.end("SIGTERM");
  const later = await start(folder);
  figures.later.push(later.ms);
  await sleep(REST_MS);
  figures.program_mib.push(pss_mib(later.pid));
  figures.total_mib.push(family(later.pid).reduce((sum, pid) => sum + pss_mib(pid), 0));
  // Work that was not brought to the data files yet, so that the next start has something to replay.
  for (let n = 0; n < 20; n++) {
    await fetch(`${later.greeting.url}/chat/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_id: "demo-clinic" }),
    });
  }
  await later.end("SIGKILL");
  const killed = await start(folder);
  figures.killed.push(killed.ms);
  await killed.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}

const seconds = (values: number[]) =>
  [median(values), Math.min(...values), Math.max(...values)].map((ms) => (ms / 1000).toFixed(2));
const mib = (values: number[]) =>
  [median(values), Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0));
print(
  `${machine()}; load average ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after\n`,
);
print(
  markdownTable(
    [`median of ${ROUNDS}`, "median", "best", "worst"],
    [
      ["first start, empty folder (s)", ...seconds(figures.first)],
      ["later start (s)", ...seconds(figures.later)],
      ["start after kill -9 (s)", ...seconds(figures.killed)],
      ["memory at rest, program (PSS, MiB)", ...mib(figures.program_mib)],
      ["memory at rest, with database (PSS, MiB)", ...mib(figures.total_mib)],
    ],
  ),
);
