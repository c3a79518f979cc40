import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import pg from "pg";
import { silentLog } from "../src/base/log.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { migrate, readMigrations } from "../src/db/migrate.ts";
import { analysisParents, fillAnalysis } from "./analysis-rows.ts";
import { fillBatch, fillLists } from "./lists-rows.ts";
import { machine, markdownTable, print } from "./platform.ts";

/**
 * An upgrade of a large installation: tables as an older schema has them are filled, then each later migration is applied
 * as a start applies it, one by one. Tells how long each takes, which large tables it locks against writers or readers and
 * for how long, and how long somebody who talks meanwhile waits at most.
 * Run: node bench/migrations.ts [--rows 1000000] [--from 70]
 */
const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, from: { type: "string", default: "70" } },
});
const ROWS = Number(options.rows);
const FROM = Number(options.from);
const MESSAGES_OF_A_SESSION = 6;
/** Between two looks at the locks, and between two writes of somebody who talks. */
const PAUSE_ms = 5;
/** Tables of fewer rows are locked for moments only. */
const LARGE = ROWS / 20;
const MIGRATING = "bench-migration";

const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, "postgres"), log: silentLog });
const all = readMigrations();
const older = all.filter(({ version }) => version < FROM);
const newer = all.filter(({ version }) => version >= FROM);
await migrate(postgres.connection, older);
const database = openDatabase(postgres.connection);
const { db } = database;

/** By the columns of any schema: what creates an organization in the program knows those of the newest one. */
async function newTenant(): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with organization as (
      insert into organizations (name, display_name, slug, last_updated, last_updated_by)
      values ('bench', 'Bench', 'bench', now(), 'bench') returning id),
    tenant as (
      insert into sub_organizations (organization_id, name, created_at) select id, 'Bench', now() from organization
      returning id),
    role as (
      insert into roles (sub_organization_id, name, permissions, last_updated, last_updated_by)
      select id, 'bench', '{}', now(), 'bench' from tenant)
    select id from tenant`.execute(db);
  return Number(rows[0]?.id);
}

/** What the lists' benches leave out: words of conversations, figures of each, and parts of documents. */
async function fillWords(of: Database["db"], tenant: number): Promise<void> {
  await sql`
    insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
    select s.id, n, n / 2, case when n % 2 = 0 then 'agent' else 'user' end,
      'This is what somebody says in a turn of a conversation about a refund, number ' || n, s.timestamp
    from sessions s, generate_series(1, ${MESSAGES_OF_A_SESSION}::int) as n
    where s.sub_organization_id = ${tenant}::bigint`.execute(of);
  await sql`
    insert into session_facts (session_id, sub_organization_id, began_at, ended_at, agent_id, campaign_id, channel,
      end_reason, is_test, is_error, is_tool_failure, turns, duration_s, cost_usd, waits_ms)
    select id, sub_organization_id, timestamp, ended_at, agent_id, case when id % 2 = 0 then (select min(id) from campaigns) end, 'voice',
      end_reason, is_test, false, false, 3, duration, 0.01, '{400,700,900}'
    from sessions where sub_organization_id = ${tenant}::bigint`.execute(of);
  await sql`
    with source as (
      insert into data_sources (sub_organization_id, name, labels, chunk, text, updated_at, last_updated_by)
      values (${tenant}::bigint, 'bench', '{}', true, '', now(), 'bench') returning id)
    insert into data_source_chunks (data_source_id, position, text)
    select source.id, n, 'A part of a document that says what is done about refund number ' || n
    from source, generate_series(1, ${Math.ceil(ROWS / 10)}::int) as n`.execute(of);
}

type Lock = { table: string; kind: "nobody reads or writes" | "nobody writes"; held_ms: number };
type Measured = { version: number; name: string; took_ms: number; waited_ms: number; locks: Lock[] };

/** Looks again and again at what the migration has locked, until it is told to end. */
async function watchLocks(isOver: () => boolean): Promise<Lock[]> {
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const seen = new Map<string, { from: number; to: number; kind: Lock["kind"] }>();
  while (!isOver()) {
    const { rows } = await client.query<{ table: string; excludes: boolean }>(
      `select c.relname as table, bool_or(l.mode = 'AccessExclusiveLock') as excludes
       from pg_locks l join pg_stat_activity a using (pid) join pg_class c on c.oid = l.relation
       where a.application_name = $1 and l.granted and c.relkind = 'r' and c.reltuples >= $2
         and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       group by 1`,
      [MIGRATING, LARGE],
    );
    const now = performance.now();
    for (const { table, excludes } of rows) {
      const kind = excludes ? "nobody reads or writes" : "nobody writes";
      const key = `${table} ${kind}`;
      seen.set(key, { from: seen.get(key)?.from ?? now, to: now, kind });
    }
    await sleep(PAUSE_ms);
  }
  await client.end();
  return [...seen].map(([key, { from, to, kind }]) => ({
    table: key.split(" ")[0] ?? key,
    kind,
    held_ms: to - from + PAUSE_ms,
  }));
}

/** What a turn does to a session, again and again; answers how long it took at most. */
async function talk(session_id: number, isOver: () => boolean): Promise<number> {
  const client = new pg.Client(postgres.connection);
  await client.connect();
  let longest = 0;
  while (!isOver()) {
    const began = performance.now();
    await client.query("begin");
    await client.query("update sessions set last_activity_at = now() where id = $1", [session_id]);
    await client.query(
      `insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
       values ($1, 1000, 500, 'user', 'Is anybody there?', now())`,
      [session_id],
    );
    await client.query("rollback");
    longest = Math.max(longest, performance.now() - began);
    await sleep(PAUSE_ms);
  }
  await client.end();
  return longest;
}

async function measure(index: number, session_id: number): Promise<Measured> {
  const migration = newer[index];
  if (!migration) throw new Error("there is no such migration");
  let over = false;
  const locks = watchLocks(() => over);
  const waited = talk(session_id, () => over);
  await sleep(200);
  const began = performance.now();
  const done = [...older, ...newer.slice(0, index + 1)];
  try {
    await migrate({ ...postgres.connection, application_name: MIGRATING }, done);
  } finally {
    over = true;
  }
  const took_ms = performance.now() - began;
  const { version, name } = migration;
  return { version, name, took_ms, waited_ms: await waited, locks: await locks };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

try {
  const began = performance.now();
  const tenant = await newTenant();
  const fill = { sub_organization_id: tenant, from: 0, to: ROWS, middle: Math.floor(ROWS / 2) };
  await fillLists(db, fill);
  await fillAnalysis(db, fill, await analysisParents(db, tenant));
  await fillBatch(db, fill);
  await fillWords(db, tenant);
  await sql`vacuum analyze`.execute(db);
  await sql`checkpoint`.execute(db);
  print(
    `${ROWS.toLocaleString("en")} rows of each table, ${(ROWS * MESSAGES_OF_A_SESSION).toLocaleString("en")} messages, as migration ${older.at(-1)?.version} left them, in ${seconds(performance.now() - began)} s`,
  );
  const session = await sql<{ id: string }>`select max(id)::text as id from sessions`.execute(db);
  const found: Measured[] = [];
  for (const index of newer.keys()) {
    found.push(await measure(index, Number(session.rows[0]?.id)));
  }
  const ofTalk = (locks: Lock[]) =>
    Math.max(0, ...locks.flatMap((l) => (/^session(s|_messages)$/.test(l.table) ? [l.held_ms] : [])));
  const others = (locks: Lock[]) =>
    locks
      .filter(({ held_ms }) => held_ms >= 100)
      .toSorted((a, b) => b.held_ms - a.held_ms)
      .map(({ table, kind, held_ms }) => `${table}: ${kind}, ${seconds(held_ms)}`)
      .join("; ");
  print(`\n${machine()}\n`);
  print(
    markdownTable(
      [
        "migration",
        "took s",
        "lock on sessions or messages s",
        "a turn's writes, longest s",
        "large tables locked 0.1 s or longer",
      ],
      found.map(({ version, name, took_ms, waited_ms, locks }) => [
        `${String(version).padStart(4, "0")} ${name}`,
        seconds(took_ms),
        seconds(ofTalk(locks)),
        seconds(waited_ms),
        others(locks),
      ]),
    ),
  );
  print(`\nTogether ${seconds(found.reduce((sum, { took_ms }) => sum + took_ms, 0))} s`);
} finally {
  await database.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
