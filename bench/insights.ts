import { sql } from "kysely";
import { queueEndedSession } from "../src/executions/trigger.ts";
import { ENDED_COLUMNS, type EndedSession } from "../src/sessions/engine.ts";
import { fillPastSessions } from "./past-sessions.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * Insights over many sessions: how fast a backfill goes when the model answers at once (a pattern stands in for it), what it
 * holds in memory minute by minute, how long an estimate takes, and what the end of a session pays for its analysis.
 * Run: node --expose-gc bench/insights.ts [sessions]; 1,000,000 take 33 minutes at 500 a second, beside the filling.
 */
const SESSIONS = Number(process.argv[2] ?? 100_000);
const ESTIMATES = 15;
const ENDS = 400;

const platform = await startPlatform();
const { api, database, caller, token, jobs } = platform;
const { db } = database;

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await api.server.inject({
    method: method as "GET",
    url: `/api/v1/insights/${path}`,
    headers: { "service-api-key": token, ...(body && { "content-type": "application/json" }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  if (response.statusCode !== 200)
    throw new Error(`${method} ${path}: ${response.statusCode} ${response.body}`);
  return response.json();
}

type Made = { id: number; name: string; estimate: { backfill_count: number } };

const tool = (name: string, insight_tool_definition_id: number, tool_arguments: object) =>
  call<Made>("POST", "tool-configurations", {
    name,
    description: "",
    version: 1,
    tool_arguments,
    insight_tool_definition_id,
  });
const workflow = (name: string, tool_id: number, more: object) =>
  call<Made>("POST", "workflows/", {
    name,
    source: "agent",
    description: "",
    insight_tool_ids: [tool_id],
    conditions: {},
    ...more,
  });
const start_datetime = new Date(Date.now() - 400 * 86_400_000).toISOString();

/** Reads the workflow, which works its estimate out anew each time. */
async function estimates(id: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < ESTIMATES + 3; n++) {
    const began = performance.now();
    await call("GET", `workflows/${id}`);
    if (n >= 3) took.push(performance.now() - began);
  }
  return took;
}

/** As queue-work and its runs leave it. */
async function claimHalf(workflow_id: number, tool_id: number): Promise<void> {
  await sql`
    with made as (
      insert into insight_executions (sub_organization_id, workflow_id, session_id, cause, status, created_at, run_at)
      select sub_organization_id, ${workflow_id}::bigint, id, 'manual', 'COMPLETED', now(), now()
      from sessions where id % 2 = 0 returning id, session_id)
    insert into insight_execution_tools
      (execution_id, position, workflow_id, session_id, insight_tool_id, insight_tool_version, finished_at)
    select id, 0, ${workflow_id}::bigint, session_id, ${tool_id}::bigint, 1, now() from made`.execute(db);
  await sql`vacuum analyze insight_executions, insight_execution_tools`.execute(db);
}

/** What the trigger takes of the transaction that ends a session, after its row was updated and before the commit. */
async function ends(): Promise<number[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(ENDED_COLUMNS)
    .orderBy("id", "desc")
    .limit(ENDS)
    .execute();
  const took: number[] = [];
  for (const row of rows) {
    await db.transaction().execute(async (tx) => {
      await sql`update sessions set end_reason = 'user' where id = ${row.id}`.execute(tx);
      const began = performance.now();
      await queueEndedSession(tx, row as EndedSession, new Date());
      took.push(performance.now() - began);
    });
  }
  return took.slice(20);
}

const shown = (took: number[]) => [ms(median(took)), ms(quantile(took, 0.95))];

await fillPastSessions(db, caller.sub_organization_id, SESSIONS);
const pattern = await tool("pattern", 5, { pattern: "refund, number (\\d)" });
const summary = await tool("summary", 1, { provider: "openai", model: "gpt-6-sol", prompt: "Sum it up." });
const rows: (string | number)[][] = [];

const first = await workflow("first", summary.id, { start_datetime });
rows.push(["estimate, all of it", SESSIONS, ...shown(await estimates(first.id))]);
const some = await workflow("some", summary.id, {
  start_datetime,
  conditions: { agent_list: ["Agent 3"], min_duration: 100 },
});
rows.push(["estimate, one agent, longer than 100 s", SESSIONS, ...shown(await estimates(some.id))]);
const sampled = await workflow("sampled", summary.id, { start_datetime, conditions: { sample_rate: 10 } });
rows.push(["estimate, a tenth drawn", SESSIONS, ...shown(await estimates(sampled.id))]);

const thousandth = await workflow("thousandth", summary.id, {
  start_datetime,
  conditions: { sample_rate: 0.1 },
});
rows.push(["estimate, one in a thousand drawn", SESSIONS, ...shown(await estimates(thousandth.id))]);
const half = await workflow("half", summary.id, { start_datetime });
await claimHalf(half.id, summary.id);
rows.push(["estimate, half of them analysed by hand", SESSIONS, ...shown(await estimates(half.id))]);

const all = await workflow("all", pattern.id, { start_datetime });
const began = performance.now();
await call("PUT", `workflows/${all.id}/activate`, { is_acknowledged: true, estimate: all.estimate });
const activated = performance.now() - began;
const run = jobs.find(({ job }) => job.name === "run-insights");
if (!run) throw new Error("no job runs insights");
const never = new AbortController().signal;
const progress = () =>
  call<{ backfill: { status: string; actual: { count: number } } }>("GET", `workflows/${all.id}/backfill`);
/** MiB in use after a collection, MiB the process holds, and how many sessions were analysed by then. */
type Sample = { s: number; heap: number; resident: number; analysed: number };
const samples: Sample[] = [];
let analysed = 0;
const started = performance.now();
const watching = setInterval(() => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const s = (performance.now() - started) / 1000;
  samples.push({ s, heap: heapUsed / 2 ** 20, resident: rss / 2 ** 20, analysed });
}, 2_000);
const counting = setInterval(async () => {
  analysed = (await progress()).backfill.actual.count;
}, 2_000);
let state = "RUNNING";
while (state === "RUNNING") {
  await run.run({}, { stopping: never, abortSignal: never } as never);
  const { backfill } = await progress();
  state = backfill.status;
  if (state === "COMPLETED" && backfill.actual.count !== SESSIONS)
    throw new Error(`${backfill.actual.count} analysed`);
  if (state === "RUNNING") await new Promise((resolve) => setTimeout(resolve, 50));
}
const seconds = (performance.now() - started) / 1000;
clearInterval(watching);
clearInterval(counting);
/** The mean of a stretch of the run, from 0 to 1. */
const during = (from: number, to: number) => {
  const part = samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to));
  return Math.round(part.reduce((sum, { heap }) => sum + heap, 0) / part.length);
};
/** How much the heap grows with each 100,000 sessions, in MiB, by the line that fits its samples best, warming up left out. */
function slope(): string {
  const warm = samples.slice(Math.floor(samples.length / 5));
  const mean = (of: (sample: Sample) => number) =>
    warm.reduce((sum, each) => sum + of(each), 0) / warm.length;
  const [x, y] = [mean((each) => each.analysed), mean((each) => each.heap)];
  const rise = warm.reduce((sum, each) => sum + (each.analysed - x) * (each.heap - y), 0);
  return ((1e5 * rise) / warm.reduce((sum, each) => sum + (each.analysed - x) ** 2, 0)).toFixed(2);
}
/** The last sample of each minute, with the sessions a second since the one before. */
const minutes = [...Map.groupBy(samples, ({ s }) => Math.floor(s / 60)).values()].map(
  (each) => each.at(-1) as Sample,
);
const byMinute = minutes.map(({ s, heap, resident, analysed: now }, index) => {
  const before = minutes[index - 1] ?? { s: 0, analysed: 0 };
  return [
    (s / 60).toFixed(1),
    now.toLocaleString("en"),
    Math.round((now - before.analysed) / (s - before.s)),
    Math.round(heap),
    Math.round(resident),
  ];
});

rows.push(["estimate of the active workflow, all analysed", SESSIONS, ...shown(await estimates(all.id))]);
await call("PUT", `workflows/${all.id}/inactivate`);
rows.push(["estimate of the inactive one, all analysed", SESSIONS, ...shown(await estimates(all.id))]);
// Nothing is known of the past of other conditions: every session is compared with what was analysed.
await call("PUT", `workflows/${all.id}`, { ...all, conditions: { min_duration: 1 } });
rows.push(["the same, its conditions changed since", SESSIONS, ...shown(await estimates(all.id))]);
// The default workflow, and four more that want every session.
for (const name of ["a", "b", "c", "d"]) {
  const { id, estimate } = await workflow(name, pattern.id, {});
  await call("PUT", `workflows/${id}/activate`, { is_acknowledged: true, estimate });
}
rows.push(["end of a session, five workflows want it", ENDS, ...shown(await ends())]);

print(machine());
print("");
print(markdownTable(["what", "sessions", "p50 ms", "p95 ms"], rows));
print(
  markdownTable(
    [
      "backfill",
      "activation ms",
      "s",
      "sessions/s",
      "heap in its 2nd tenth, MiB",
      "in its last",
      "more for each 100,000",
      "resident at most",
    ],
    [
      [
        SESSIONS.toLocaleString("en"),
        ms(activated),
        seconds.toFixed(1),
        Math.round(SESSIONS / seconds),
        during(0.1, 0.2),
        during(0.9, 1),
        slope(),
        Math.round(Math.max(...samples.map((each) => each.resident))),
      ],
    ],
  ),
);
print("");
print(markdownTable(["minute", "analysed", "sessions/s", "heap MiB", "resident MiB"], byMinute));
await platform.stop();
