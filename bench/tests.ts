import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "../src/base/log.ts";
import { clinicTests } from "../src/demo/clinic-tests.ts";
import { startJobs } from "../src/jobs/runner.ts";
import { machine, markdownTable, print, startPlatform } from "./platform.ts";

/**
 * A hundred tests of the demo clinic, each three times, by the shipped program with its workers: its twenty, five times over
 * under other names. The scripted model answers at once, so this is the platform's own time. Two runs of one seed have to
 * give the same bytes. Run: node bench/tests.ts [tests] [repetitions]
 */
const TESTS = Number(process.argv[2] ?? 100);
const REPETITIONS = Number(process.argv[3] ?? 3);

const platform = await startPlatform();
const { api, token, jobs } = platform;

async function call<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
  const answer = await api.server.inject({
    method,
    url: `/api/v1${path}`,
    headers: { "service-api-key": token },
    ...(body && { payload: body }),
  });
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body}`);
  return answer.json();
}

const { agent, cases: twenty } = await clinicTests();
const cases = Array.from({ length: TESTS }, (_, n) => {
  const one = twenty[n % twenty.length] as (typeof twenty)[number];
  return { ...one, name: `${one.name} ${n + 1}` };
});
const suite = await call<{ id: number }>("POST", "/test_suites/", { name: "Bench", agent, cases });
const runner = await startJobs({ pool: platform.database.pool, log: silentLog, handlers: jobs });

type Told = { id: number; status: string; summary: { results: { total: number; passed: number } } };
type Results = { items: Record<string, unknown>[] };

/** What is the same of two runs: verdicts, notes and costs, without numbers of sessions and times. */
async function bytesOf(run_id: number): Promise<string> {
  const hash = createHash("sha256");
  for (let page = 0; ; page++) {
    const { items } = await call<Results>("GET", `/test_runs/${run_id}/results?limit=100&page=${page}`);
    if (items.length === 0) return hash.digest("hex").slice(0, 12);
    for (const { case_name, repetition, status, verdicts, notes, cost_usd } of items)
      hash.update(JSON.stringify([case_name, repetition, status, verdicts, notes, cost_usd]));
  }
}

const rows: (string | number)[][] = [];
for (const seed of [1, 1, 2]) {
  const before = performance.now();
  const { id } = await call<Told>("POST", `/test_suites/${suite.id}/runs`, {
    repetitions: REPETITIONS,
    seed,
  });
  let told = await call<Told>("GET", `/test_runs/${id}`);
  while (told.status === "running") {
    await sleep(200);
    told = await call<Told>("GET", `/test_runs/${id}`);
  }
  const seconds = (performance.now() - before) / 1000;
  const { total, passed } = told.summary.results;
  rows.push([seed, total, passed, seconds.toFixed(1), (total / seconds).toFixed(0), await bytesOf(id)]);
}
print(machine());
print(markdownTable(["seed", "conversations", "passed", "s", "conversations/s", "bytes (SHA-256)"], rows));

await runner.stop();
await platform.stop();
