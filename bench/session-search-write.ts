import { sql } from "kysely";
import { queueIndexing } from "../src/sessions/index-session-job.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * What the ways to index what was said cost a turn: a message stored as it is; stored with an index of its words (a column
 * that PostgreSQL generates); and what a session's end pays for a job that indexes it afterwards. One after the other, each
 * in a transaction of its own. Run: node bench/session-search-write.ts [messages there are] [writes]
 */
const MESSAGES = Number(process.argv[2] ?? 200_000);
const WRITES = Number(process.argv[3] ?? 2_000);

const { database, caller, stop } = await startPlatform();
const { db } = database;

const text = sql`(select string_agg('word' || exp(random() * ln(30000) + i * 0 + g * 0)::int, ' ') from generate_series(1, 20) g)`;
await sql`create table plain_messages (session_id bigint, seq int, text text, primary key (session_id, seq))`.execute(
  db,
);
await sql`
  create table indexed_messages (session_id bigint, seq int, text text,
    words tsvector generated always as (to_tsvector('english', text)) stored, primary key (session_id, seq))`.execute(
  db,
);
await sql`create index on indexed_messages using gin (words)`.execute(db);
for (const table of ["plain_messages", "indexed_messages"])
  await sql`insert into ${sql.table(table)} select i, 0, ${text} from generate_series(1, ${MESSAGES}::int) i`.execute(
    db,
  );
await sql`vacuum analyze`.execute(db);
await sql`checkpoint`.execute(db);

const logged = async () =>
  (await sql<{ at: number }>`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as at`.execute(db))
    .rows[0]?.at ?? 0;

async function measure(name: string, act: (n: number) => Promise<unknown>) {
  for (let n = 0; n < 200; n++) await act(n);
  const [before, took] = [await logged(), [] as number[]];
  for (let n = 200; n < WRITES + 200; n++) {
    const began = performance.now();
    await act(n);
    took.push(performance.now() - began);
  }
  return [name, ms(median(took)), ms(quantile(took, 0.95)), ((await logged()) - before) / WRITES];
}

const insert = (table: string) => (n: number) =>
  sql`insert into ${sql.table(table)} (session_id, seq, text)
    select ${MESSAGES + 1 + n}::bigint, 0, ${text} from generate_series(1, 1) i`.execute(db);
const rows = [
  await measure("a message", insert("plain_messages")),
  await measure("a message with an index of its words", insert("indexed_messages")),
  await measure("an empty transaction", () => db.transaction().execute((tx) => sql`select 1`.execute(tx))),
  await measure("a transaction with the job, once a session", (n) =>
    db
      .transaction()
      .execute((tx) => queueIndexing(tx, { id: n + 1, sub_organization_id: caller.sub_organization_id })),
  ),
];
print(
  `${machine()}; ${MESSAGES.toLocaleString("en")} messages of 20 words, ${WRITES.toLocaleString("en")} writes each\n`,
);
print(
  markdownTable(
    ["", "p50 ms", "p95 ms", "bytes of write-ahead log"],
    rows.map(([name = "", p50 = "", p95 = "", bytes]) => [name, p50, p95, Number(bytes).toFixed(0)]),
  ),
);
await stop();
