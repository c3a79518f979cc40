import { sql } from "kysely";
import { windowFigures } from "../src/analytics/alert-figure.ts";
import { METRICS, type MetricName, SPLITS, splitProblem } from "../src/analytics/metric.ts";
import type { BoardTile } from "../src/analytics/tile.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * The figures of boards over so many sessions and half as many people of campaigns: each metric by each split over 30 days,
 * filters, the period before, two versions; the overview of Home; and what an alert rule reads each minute. Asked for one after the
 * other over real HTTP. Run: node bench/boards.ts [sessions] [days they are spread over]
 */
const SESSIONS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 365);
const LAST_DAYS = 30;
/** A chart has 400 points at most. */
const LAST_DAYS_BY_HOUR = 14;
const TIMES = Number(process.env.TIMES ?? 10);
const BOUND_MS = 300;
const AT_ONCE = 50_000;
const CAMPAIGNS = 10;
const BATCHES = 100;
const ALERT_MINUTES = [60, 1_440];
/** All of them have the same. */
const SNAPSHOT = "00000000-0000-4000-8000-000000000000";

const platform = await startPlatform();
const { api, database, token, caller } = platform;
const { db } = database;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });
const tenant = sql`${caller.sub_organization_id}::bigint`;
const step_s = (DAYS * 86_400) / SESSIONS;

const began = performance.now();
await fill();
print(
  `${SESSIONS.toLocaleString("en")} sessions of ${DAYS} days in ${((performance.now() - began) / 1000).toFixed(0)} s`,
);

async function fill(): Promise<void> {
  await sql`
    insert into conversations (id, sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type,
      prompt_id, prompt_name, prompt_version_number, llm_provider, llm_model) overriding system value
    values (1000000, ${tenant}, now(), now(), 1, 'A', 'phone', 1, 'P', 1, 'openai', 'x')`.execute(db);
  await sql`insert into session_snapshots (sub_organization_id, key, content) values (${tenant}, ${SNAPSHOT}::uuid, '{}')`.execute(
    db,
  );
  const { rows: made } = await sql<{ id: string }>`
    insert into campaigns select (json_populate_record(c, json_build_object('id', 1000 + n, 'campaign_name', 'Campaign ' || n))).*
    from generate_series(1, ${CAMPAIGNS}::int) n, campaigns c where c.id = (select min(id) from campaigns) returning id`.execute(
    db,
  );
  if (made.length !== CAMPAIGNS) throw new Error("the demo has no campaign to copy");
  for (let first = 0; first < SESSIONS; first += AT_ONCE)
    await someSessions(first, Math.min(first + AT_ONCE, SESSIONS));
  await sql`
    insert into insight_outputs (sub_organization_id, session_id, insight_tool_id, insight_tool_version, insight_key, numeric_value,
      json_value, created_at, updated_at)
    select ${tenant}, f.session_id, (select min(id) from insight_tools), 1, 'score', f.session_id % 10,
      json_build_object('score', f.session_id % 10), f.ended_at, f.ended_at
    from session_facts f where f.session_id % 3 = 0`.execute(db);
  await sql`
    insert into session_labels (sub_organization_id, session_id, timestamp, type, code, user_email)
    select ${tenant}, f.session_id, f.ended_at, 'human-rating', (array['GOOD', 'OK', 'BAD'])[1 + f.session_id % 3], 'a@example.com'
    from session_facts f where f.session_id % 20 = 0`.execute(db);
  await sql`
    insert into batches (key, sub_organization_id, batch_id, campaign_id, auto_call_rate, status, created_at, last_updated_at, last_updated_by)
    overriding system value
    select 1000 + n, ${tenant}, 'bench-' || n, 1001 + n % ${CAMPAIGNS}::int, false, 'EXPIRED', now(), now(), 'x'
    from generate_series(0, ${BATCHES}::int - 1) n`.execute(db);
  // Each batch calls its people within a few days.
  await sql`
    insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, attempt_count, created_at, sent_at,
      request_variables, talked, reached_goal, answered_by)
    select 1000 + i * ${BATCHES}::bigint / ${SESSIONS / 2}::bigint, 'p' || i, '+1512' || lpad(i::text, 7, '0'), 'COMPLETED', 'COMPLETED', 1,
      at, at, '{}', i % 3 = 0, i % 9 = 0, (array['HUMAN', 'MACHINE'])[1 + i % 2]
    from generate_series(0, ${SESSIONS / 2}::int - 1) i, lateral (select now() - i * ${2 * step_s}::float8 * interval '1 second' as at) t`.execute(
    db,
  );
  await sql`vacuum analyze`.execute(db);
}

async function someSessions(first: number, until: number): Promise<void> {
  await sql`
    with made as (
      insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
        prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type, channel_manager_sid,
        is_test, is_outbound, snapshot_key, state, source, target, timestamp, last_activity_at, ended_at, end_reason, duration)
      select ${tenant}, 1000000, 1 + i % 20, 'Agent ' || i % 20, 'phone', 'America/Chicago', 1, 'P', 1, 'voice', 'twilio', 'voice',
        'CA' || i, false, i % 2 = 0, ${SNAPSHOT}::uuid, '{}', '+1512' || lpad(i::text, 7, '0'), '+15125550100', at, at,
        at + interval '1 minute', (array['user', 'agent', 'idle', 'transfer'])[1 + i % 4], 10 + i % 600
      from generate_series(${first}::int, ${until}::int - 1) i,
        lateral (select now() - i * ${step_s}::float8 * interval '1 second' as at) t
      returning id, timestamp, ended_at, end_reason, agent_id, duration, substr(channel_manager_sid, 3)::int as i),
    found as (
      insert into session_search (session_id, sub_organization_id, began_at, words, facets, configuration, duration_s, cost_usd, opening)
      select id, ${tenant}, timestamp, to_tsvector('english', 'appointment' || case when i % 100 = 0 then ' allergy' else '' end),
        array['org:' || ${tenant}::text, 'words:english', 'channel:voice', 'end:' || end_reason, 'tool:book_slot']
          || case when i % 50 = 0 then array['failed:book_slot', 'failed:*'] else '{}' end, 'english', duration, i % 1000 / 1000.0, ''
      from made)
    insert into session_facts (session_id, sub_organization_id, began_at, ended_at, agent_id, agent_version, campaign_id, channel,
      end_reason, is_test, is_error, is_tool_failure, turns, duration_s, cost_usd, waits_ms)
    select id, ${tenant}, timestamp, ended_at, agent_id, i % 7, case when i % 2 = 0 then 1001 + i % ${CAMPAIGNS}::int end,
      (array['voice', 'chat', 'sms'])[1 + i % 3], end_reason, false, i % 40 = 0, i % 50 = 0, 6, duration, i % 1000 / 1000.0,
      array[300 + i % 900, 500 + i % 700, 400 + i % 300, 600 + i % 1100, 350, 800]
    from made`.execute(db);
}

const ask = async (path: string, body?: object) => {
  const at = performance.now();
  const response = await fetch(`${url}/api/v1/boards/${path}`, {
    method: body ? "POST" : "GET",
    headers: { "service-api-key": token, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { problem?: string | null; detail?: unknown };
  const took = performance.now() - at;
  if (!response.ok || answer.problem)
    throw new Error(`${path}: ${answer.problem ?? JSON.stringify(answer.detail)}`);
  return took;
};

type Case = [name: string, ask: () => Promise<number>];
const tileCase = (name: string, tile: Partial<BoardTile>): Case => [
  name,
  () =>
    ask("tile_figures", {
      tile: { chart: "table", ...tile },
      period: {
        last_days: tile.split?.by === "hour" ? LAST_DAYS_BY_HOUR : LAST_DAYS,
        timezone: "America/Chicago",
      },
    }),
];
const insightOf = (name: string) => ({
  ...(name.startsWith("insight_") && { insight: "score" }),
  ...(name === "insight_rate" && { value: "7" }),
});
const CASES: Case[] = [
  ...(Object.keys(METRICS) as (keyof typeof METRICS)[]).flatMap((name) =>
    SPLITS.filter((by) => splitProblem(name, by) === null).map((by) =>
      tileCase(`${name} by ${by}`, {
        metric: { name, ...insightOf(name) },
        split: { by, ...(by === "insight" && { insight: "score" }) },
      } as Partial<BoardTile>),
    ),
  ),
  ...(
    [
      ["channel", "voice"],
      ["agent_version", "3.2"],
      ["cost_from", "0.9"],
      ["duration_from", "500"],
      ["failed_tool", "book_slot"],
      ["words", "allergy"],
      ["label", "BAD"],
      ["insight", "score=3"],
    ] as const
  ).map(([field, value]) =>
    tileCase(`errors by day, filter ${field}`, {
      metric: { name: "errors" },
      split: { by: "day" },
      search_fields: [field],
      search_field_values: [value],
    }),
  ),
  tileCase("latency_p95 by day, period before", {
    metric: { name: "latency_p95" },
    split: { by: "day" },
    compare: "before",
  }),
  tileCase("errors, version with version", {
    metric: { name: "errors" },
    compare: "versions",
    versions: { first: "3.2", second: "4.3" },
  }),
  ["overview of Home (5 figures, 14 days)", () => ask("overview?timezone=America/Chicago")],
  ...(["errors", "latency_p95", "insight_rate", "people_answered"] as MetricName[]).flatMap((name) =>
    ALERT_MINUTES.map(
      (window_minutes): Case => [
        `alert on ${name}, ${window_minutes} minutes`,
        async () => {
          const at = performance.now();
          const { problem } = await windowFigures(
            db,
            {
              tenant: caller.sub_organization_id,
              metric: { name, ...insightOf(name) },
              window_minutes,
              search_fields: [],
              search_field_values: [],
            },
            new Date(),
            2,
          );
          if (problem !== null) throw new Error(problem);
          return performance.now() - at;
        },
      ],
    ),
  ),
];

const table: (string | number)[][] = [];
for (const [name, measure] of CASES.filter(([name]) => name.includes(process.env.ONLY ?? ""))) {
  await measure();
  const took: number[] = [];
  for (let n = 0; n < TIMES; n++) took.push(await measure());
  table.push([name, ms(median(took)), ms(quantile(took, 0.95))]);
}
table.sort((one, other) => Number(other[2]) - Number(one[2]));
const slow = table.filter(([, , p95]) => Number(p95) > BOUND_MS);
print(`\n${machine()}; ${TIMES} of each, one after the other, the slowest first\n`);
print(markdownTable(["figure", "p50 ms", "p95 ms"], table.slice(0, Math.max(25, slow.length))));
print(`\n${slow.length} of ${table.length} above ${BOUND_MS} ms`);

await platform.stop();
