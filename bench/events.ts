import { sql } from "kysely";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * A page of 25 events, filtered by time and by session, in a log of 10,000 and in one of 1,000,000: lists have to stay
 * flat. One request after the other over real HTTP. Run: node bench/events.ts
 */
const SIZES = [10_000, 1_000_000];
const REQUESTS = 300;
const PER_SESSION = 20;

const platform = await startPlatform();
const { api, database, caller, token } = platform;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });
const START = Date.UTC(2026, 0, 1);

/** One event a second, twenty to a session. */
async function fillTo(size: number): Promise<void> {
  const { n } = await database.db
    .selectFrom("events")
    .select(sql<number>`count(*)`.as("n"))
    .executeTakeFirstOrThrow();
  await sql`
    insert into events (sub_organization_id, timestamp, session_id, conversation_id, source, source_id, category, type,
      user_id, description, attributes)
    select ${caller.sub_organization_id}::bigint, ${new Date(START).toISOString()}::timestamptz + i * interval '1 second',
      (i / ${PER_SESSION}::int)::text, (i / 60)::text, 'tool-call', '1', 'automation', 'phone-transfer',
      '+1512555' || lpad((i % 10000)::text, 4, '0'), 'Transfer ' || i, '{"outcome": "success"}'
    from generate_series(${n}::int, ${size - 1}::int) as i`.execute(database.db);
  // What autovacuum does in life, some minutes after.
  await sql`vacuum analyze events`.execute(database.db);
}

async function measure(query: (n: number) => string): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < REQUESTS + 20; n++) {
    const began = performance.now();
    const response = await fetch(`${url}/api/v1/events/?${query(n)}`, {
      headers: { "service-api-key": token },
    });
    const { items } = (await response.json()) as { items: unknown[] };
    if (items.length === 0) throw new Error(`no events for ${query(n)}`);
    // The first ones warm the connection and the plans.
    if (n >= 20) took.push(performance.now() - began);
  }
  return took;
}

const rows: (string | number)[][] = [];
const p95s = new Map<string, number[]>();
for (const size of SIZES) {
  await fillTo(size);
  const at = (n: number) => new Date(START + ((n * 7919) % (size - 3600)) * 1000).toISOString();
  const cases: [string, (n: number) => string][] = [
    ["newest", () => "limit=25"],
    [
      "one hour",
      (n) => `start_datetime=${at(n)}&end_datetime=${new Date(Date.parse(at(n)) + 3_600_000).toISOString()}`,
    ],
    ["from a time on", (n) => `start_datetime=${at(n)}`],
    [
      "one session",
      (n) => `search_fields=session_id&search_field_values=${(n * 7919) % Math.floor(size / PER_SESSION)}`,
    ],
  ];
  for (const [name, query] of cases) {
    const took = await measure(query);
    const p95 = quantile(took, 0.95);
    p95s.set(name, [...(p95s.get(name) ?? []), p95]);
    const [small] = p95s.get(name) as [number];
    rows.push([name, size.toLocaleString("en"), ms(median(took)), ms(p95), (p95 / small).toFixed(2)]);
  }
}
print(`${machine()}; ${REQUESTS} requests each, one after the other\n`);
print(markdownTable(["filter", "events", "p50 ms", "p95 ms", "p95 / at 10,000"], rows));
await platform.stop();
