import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { openDatabase } from "../src/db/database.ts";
import { DATABASE_CORES, OTHER_CORES, type Program, startProcesses } from "./over-http/processes.ts";
import { fillPastSessions } from "./past-sessions.ts";
import { machine, markdownTable, ms, print } from "./platform.ts";

/**
 * What several processes on one PostgreSQL do beside turns: attempts of campaigns, deliveries of webhooks, and analyses of
 * sessions, with one, two and four of them. The database has the first core for itself, all else shares the second, so
 * what one piece of work costs must not grow with the number of processes. Everybody who is called is busy, each attempt
 * is told to a webhook, and a pattern stands in for a model. Run: node bench/scale-out-work.ts [attempts] [sessions] [processes: 1,2,4]
 */
const ATTEMPTS = Number(process.argv[2] ?? 3_000);
const SESSIONS = Number(process.argv[3] ?? 20_000);
const PROCESSES = (process.argv[4] ?? "1,2,4").split(",").map(Number);
/** A batch starts one attempt a second at most. */
const BATCHES = 100;
const PATIENCE_MS = 300_000;

const scenario = path.join(tmpdir(), `parley-everybody-is-busy-${process.pid}.json`);
writeFileSync(
  scenario,
  JSON.stringify({
    seed: 1,
    people: [{ number: "+1512*", person: { name: "Bo", call: { outcome: "busy", ring_s: 0 } } }],
  }),
);
const { services, connection, programs, spent, closing, close } = await startProcesses({
  SIMULATOR_SCENARIO: scenario,
  LINES: "10000",
  LINES_PER_NUMBER: "10000",
});
const [first] = (await programs(1)) as [Program];
const { db, close: closeDatabase } = openDatabase(connection);
closing.push(closeDatabase);

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${first.url}/api/v1/${path}`, {
    method,
    headers: { "service-api-key": first.token ?? "", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function until(done: RawBuilder<{ n: string }>, wanted: number): Promise<void> {
  const late = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = Number((await done.execute(db)).rows[0]?.n);
    if (seen >= wanted) return;
    if (performance.now() > late) throw new Error(`${seen} of ${wanted} after ${PATIENCE_MS / 1000} s`);
    await sleep(50);
  }
}

const rows: (string | number)[][] = [];
/** Does `work`, and tells what each of so many pieces of it took. */
async function measure(what: string, used: readonly Program[], pieces: number, work: () => Promise<void>) {
  const before = spent(used);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const after = spent(used);
  rows.push([
    what,
    used.length,
    Math.round(pieces / seconds),
    ms((after.program - before.program) / pieces),
    ms((after.database - before.database) / pieces),
  ]);
}

const { id: campaign_id } = await call<{ id: number }>("POST", "outbound/campaigns", {
  campaign_name: "Everybody is busy",
  campaign_variables: {},
  caller_id: "+15125550101",
  source: "+15125550101",
  active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  hourly_rate: 3600,
  retry_count: 0,
  webhooks: [{ url: `${services}/webhook`, request_method: "POST", trigger_statuses: ["BUSY"] }],
});
await call("PUT", "outbound/rules", { person_clock: false, contact_hours: [], caps: [] });

let people = 0;
/** Each run has people and batches of its own. */
async function dial(used: readonly Program[], round: string): Promise<void> {
  const ids = Array.from({ length: BATCHES }, (_, n) => `${round}.${n}`);
  for (const batch_id of ids) {
    await call("POST", "outbound/batches", { batch_id, campaign_id, paused: true });
    const requests = Array.from({ length: ATTEMPTS / BATCHES }, () => ({
      reference_id: `p${++people}`,
      target: `+1512${String(5_560_000 + people).padStart(7, "0")}`,
      request_variables: {},
    }));
    await call("POST", `outbound/batches/${batch_id}/requests`, requests);
  }
  await measure("an attempt, told to a webhook", used, ATTEMPTS, async () => {
    await call("POST", `outbound/campaigns/${campaign_id}/start`);
    await until(
      sql`select count(*) as n from attempts where campaign_id = ${campaign_id} and state = 'ENDED'`,
      people,
    );
    await until(
      sql`select count(*) as n from webhook_deliveries where campaign_id = ${campaign_id} and state = 'DELIVERED'`,
      people,
    );
  });
}

type Made = { id: number; estimate: object };
const { rows: tenants } = await sql<{ id: number }>`select min(id) as id from sub_organizations`.execute(db);
await fillPastSessions(db, Number(tenants[0]?.id), SESSIONS);
const pattern = await call<Made>("POST", "insights/tool-configurations", {
  name: "pattern",
  description: "",
  version: 1,
  tool_arguments: { pattern: "refund, number (\\d)" },
  insight_tool_definition_id: 5,
});

/** Each run has a workflow of its own over the same sessions. */
async function analyse(used: readonly Program[], round: string): Promise<void> {
  const { id, estimate } = await call<Made>("POST", "insights/workflows/", {
    name: round,
    source: "agent",
    description: "",
    insight_tool_ids: [pattern.id],
    conditions: { agent_list: Array.from({ length: 10 }, (_, n) => `Agent ${n}`) },
    start_datetime: new Date(Date.now() - 400 * 86_400_000).toISOString(),
  });
  await measure("an analysis of a session", used, SESSIONS, async () => {
    await call("PUT", `insights/workflows/${id}/activate`, { is_acknowledged: true, estimate });
    await until(
      sql`select count(*) as n from insight_executions where workflow_id = ${id} and status = 'COMPLETED'`,
      SESSIONS,
    );
  });
  await call("PUT", `insights/workflows/${id}/inactivate`);
}

for (const count of PROCESSES) {
  const used = await programs(count);
  await dial(used, `with-${count}`);
  await analyse(used, `with ${count}`);
}

print(
  `${machine()}; the database on core ${DATABASE_CORES}, all else on core ${OTHER_CORES}; ${ATTEMPTS} attempts of ${BATCHES} batches, ${SESSIONS} sessions\n`,
);
print(
  markdownTable(
    ["work", "processes", "a second", "CPU ms each: programs", "database"],
    rows.toSorted((a, b) => String(b[0]).localeCompare(String(a[0]))),
  ),
);
await close();
