import { sql } from "kysely";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * Searches for words and for what happened, over so many sessions, one after the other over real HTTP; the bytes of the
 * index; and what indexing a session costs. What was said follows Zipf's law, as speech does.
 * Run: node bench/session-search.ts [sessions] [words of a session]
 */
const SESSIONS = Number(process.argv[2] ?? 1_000_000);
const WORDS = Number(process.argv[3] ?? 60);
const TIMES = 20;
const BOUND_MS = 300;
const AT_ONCE = 20_000;
/** All of them have the same. */
const SNAPSHOT = "00000000-0000-4000-8000-000000000000";

const platform = await startPlatform();
const { api, database, token, caller } = platform;
const { db } = database;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });
const tenant = caller.sub_organization_id;

/** Said in every tenth, hundredth, thousandth … session, beside the words that follow Zipf's law. */
const RARE = [2, 10, 100, 1_000, 10_000, 100_000];

async function fill(from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += AT_ONCE) {
    const rows = sql`generate_series(${first}::int, ${Math.min(first + AT_ONCE, to) - 1}::int) as i`;
    const at = sql`timestamptz '2026-11-24' - i * interval '30 seconds'`;
    await sql`
      with made as (
        insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
          prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type, channel_manager_sid,
          is_test, is_outbound, snapshot_key, state, source, target, timestamp, last_activity_at, ended_at, end_reason, duration)
        select ${tenant}::bigint, 1000000, 1 + i % 20, 'Agent ' || i % 20, 'phone', 'America/Chicago', 1, 'P', 1, 'voice',
          'twilio', 'voice', 'CA' || i, false, i % 2 = 0, ${SNAPSHOT}::uuid, '{}', '+1512' || lpad(i::text, 7, '0'), '+15125550100', ${at},
          ${at}, ${at} + interval '1 minute', (array['user', 'agent', 'idle', 'transfer'])[1 + i % 4], 10 + i % 600
        from ${rows} returning id, timestamp, channel_manager_sid, end_reason, agent_id, duration)
      insert into session_search (session_id, sub_organization_id, began_at, words, facets, configuration, duration_s, cost_usd, opening)
      select id, ${tenant}::bigint, timestamp, to_tsvector('english', said.text),
        array['org:' || ${tenant}::text, 'words:english', 'channel:voice', 'agent:' || agent_id, 'version:' || i % 7, 'end:' || end_reason,
          'tool:book_slot'] || case when i % 50 = 0 then array['failed:book_slot', 'failed:*'] else '{}' end
          || case when i % 20000 = 0 then array['error:any', 'tool:rare_tool', 'failed:rare_tool', 'failed:*'] else '{}' end,
        'english', duration, (i % 1000) / 1000.0, 'I want to book a check-up.'
      from made
      cross join lateral (select substr(channel_manager_sid, 3)::int as i) n
      cross join lateral (
        select string_agg('word' || chr(97 + (w % 26)) || chr(97 + (w / 26 % 26)) || w, ' ')
          || ${sql.join(
            RARE.map(
              (every) => sql`case when i % ${every}::int = 0 then ${` every${every} `}::text else '' end`,
            ),
            sql` || `,
          )} || ' appointment book' as text
        from (select exp(random() * ln(30000) + i * 0)::int as w from generate_series(1, ${WORDS}::int)) z) said`.execute(
      db,
    );
  }
}

const search = async (query: string) => {
  const began = performance.now();
  const response = await fetch(`${url}/api/v1/sessions/search?${query}`, {
    headers: { "service-api-key": token },
  });
  const body = (await response.json()) as { items?: unknown[]; total_count?: number | null };
  return { took: performance.now() - began, status: response.status, body };
};

const by = (...pairs: [string, string][]) =>
  pairs
    .map(([field, value]) => `search_fields=${field}&search_field_values=${encodeURIComponent(value)}`)
    .join("&");

/** How long it takes, and the bytes of the write-ahead log. */
async function costOf(act: () => Promise<unknown>) {
  const place = async () =>
    (await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(db)).rows[0]?.at ??
    "0/0";
  const [before, began] = [await place(), performance.now()];
  await act();
  const took = performance.now() - began;
  const { rows } = await sql<{ bytes: number }>`
    select (${await place()}::pg_lsn - ${before}::pg_lsn)::float8 as bytes`.execute(db);
  return { took, bytes: rows[0]?.bytes ?? 0 };
}

await sql`
  insert into conversations (id, sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type,
    prompt_id, prompt_name, prompt_version_number, llm_provider, llm_model) overriding system value
  values (1000000, ${tenant}::bigint, now(), now(), 1, 'A', 'phone', 1, 'P', 1, 'openai', 'x')`.execute(db);
await sql`
  insert into session_snapshots (sub_organization_id, key, content)
  values (${tenant}::bigint, ${SNAPSHOT}::uuid, '{}')`.execute(db);
await sql`insert into search_languages values (${tenant}::bigint, 'english')`.execute(db);
// Built once it is filled, which takes a tenth of the time.
await sql`drop index session_search_words`.execute(db);
const began = performance.now();
await fill(0, SESSIONS);
await sql`create index session_search_words on session_search using gin (words, facets) with (fastupdate = off)`.execute(
  db,
);
await sql`vacuum analyze`.execute(db);
print(
  `${SESSIONS.toLocaleString("en")} sessions of ${WORDS} words in ${((performance.now() - began) / 1000).toFixed(0)} s`,
);
const { rows: sizes } = await sql<{ name: string; bytes: number }>`
  select relname as name, pg_relation_size(oid) as bytes from pg_class
  where relname like 'session_search%' and relkind in ('r', 'i')
  union all select 'session_search (long rows)', pg_relation_size(reltoastrelid) from pg_class where relname = 'session_search'
  order by 1`.execute(db);
print(
  markdownTable(
    ["", "MB", "bytes a session"],
    sizes.map(({ name, bytes }) => [
      name,
      (Number(bytes) / 1e6).toFixed(0),
      (Number(bytes) / SESSIONS).toFixed(0),
    ]),
  ),
);

// Each in a transaction of its own, as the job does it.
const FURTHER = 300;
const further = await costOf(async () => {
  for (let n = 0; n < FURTHER; n++) await fill(SESSIONS + n, SESSIONS + n + 1);
});
print(
  `\nA further session, with its own row: ${ms(further.took / FURTHER)} ms, ${(further.bytes / FURTHER / 1000).toFixed(1)} kB of write-ahead log`,
);

const CASES: [string, string][] = [
  ["newest", ""],
  ["words: in all", by(["words", "appointment"])],
  ...RARE.map((every): [string, string] => [
    `words: in 1 of ${every.toLocaleString("en")}`,
    by(["words", `every${every}`]),
  ]),
  ["words: in none", by(["words", "nobody"])],
  ["words: two common", by(["words", "appointment every2"])],
  ["words: two, rare together", by(["words", "every1000 every100"])],
  ["words: common without common", by(["words", "appointment -every2"])],
  ["words: either", by(["words", "every1000 or every10000"])],
  ['words: "a phrase" that is rare', by(["words", '"every10000 every100000"'])],
  ['words: "a phrase" of common words', by(["words", '"appointment book"'])],
  ["failed_tool: 1 of 50", by(["failed_tool", "book_slot"])],
  ["failed_tool: 1 of 20,000", by(["failed_tool", "rare_tool"])],
  ["failed_tool: none", by(["failed_tool", "nothing"])],
  ["tool: in all", by(["tool", "book_slot"])],
  ["has_error", by(["has_error", "true"])],
  ["has_error: false", by(["has_error", "false"])],
  ["end_reason and channel", by(["end_reason", "transfer"], ["channel", "voice"])],
  ["agent_version", by(["agent_version", "3"])],
  ["label: none", by(["label", "BAD"])],
  ["insight: none", by(["insight", "rating=Bad"])],
  ["cost_from: few", by(["cost_from", "0.999"])],
  ["cost_from: half", by(["cost_from", "0.5"])],
  ["duration_from: few", by(["duration_from", "609"])],
  ["words, tool and cost", by(["words", "every100"], ["failed_tool", "book_slot"], ["cost_from", "0.5"])],
  [
    "a week: failed_tool",
    `${by(["failed_tool", "book_slot"])}&start_datetime=2026-11-10&end_datetime=2026-11-17`,
  ],
  ["a week: words", `${by(["words", "every100"])}&start_datetime=2026-11-10&end_datetime=2026-11-17`],
  ["page 100: words", `${by(["words", "appointment"])}&page=100`],
];
const table: (string | number)[][] = [];
for (const [name, query] of CASES) {
  const took: number[] = [];
  let last = await search(query);
  for (let n = 0; n < TIMES; n++) {
    last = await search(query);
    took.push(last.took);
  }
  const count = last.body.total_count === null ? "more" : (last.body.total_count ?? "");
  table.push([name, last.status, count, ms(median(took)), ms(quantile(took, 0.95))]);
}
print(`\n${machine()}; ${TIMES} of each, one after the other\n`);
print(markdownTable(["search", "status", "found", "p50 ms", "p95 ms"], table));
const slow = table.filter(([, , , , p95]) => Number(p95) > BOUND_MS);
print(
  `\n${slow.length} of ${table.length} above ${BOUND_MS} ms${slow.length > 0 ? `: ${slow.map(([name]) => name).join(", ")}` : ""}`,
);
await platform.stop();
