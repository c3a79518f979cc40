import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { Fault } from "../base/errors.ts";
import { type Log, silentLog } from "../base/log.ts";
import type { Connection } from "./database.ts";
import { setAsideTransactionTimeout, withOwnSettings } from "./own-settings.ts";

const FOLDER = path.join(import.meta.dirname, "migrations");

/** The id of our advisory lock, with which programs that start at once migrate one after the other. */
const MIGRATION_LOCK = 7_246_001;

export type Migration = { version: number; name: string; sql: string; breaking: boolean; checksum: string };

const NUMBERED = /^\d{4}_.+\.sql$/;

/** The numbers of this program's migrations. */
export const knownVersions = (): number[] =>
  readdirSync(FOLDER)
    .filter((file) => NUMBERED.test(file))
    .map((file) => Number(file.slice(0, 4)));

/** The numbered files, in order. The first line says whether an older program must refuse the schema after it. */
export function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => NUMBERED.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(FOLDER, file), "utf8");
      return {
        version: Number(file.slice(0, 4)),
        name: file.slice(5, -4),
        sql: inOlderWords(text),
        breaking: text.startsWith("-- breaking: yes"),
        checksum: createHash("sha256").update(text).digest("hex"),
      };
    });
}

/**
 * PostgreSQL 15 reads how a column is stored in a statement of its own only, and a migration that landed never changes. The
 * schema is the same either way.
 */
const inOlderWords = (sql: string): string =>
  sql.replace(
    /^( *)embedding bytea storage external,$(.*?^\);)$/ms,
    "$1embedding bytea,$2\nalter table data_source_chunks alter column embedding set storage external;",
  );

/** An applied migration, as stored in the database. */
type Applied = Pick<Migration, "version" | "name" | "breaking" | "checksum">;

/** The chain of migrations that `0001_schema.sql` stands for, as `0001_accounts <checksum>`. */
export const readReplaced = (): string[] =>
  readFileSync(path.join(FOLDER, "before-0001.txt"), "utf8").trim().split("\n");

const fileOf = ({ version, name }: Applied): string => `${String(version).padStart(4, "0")}_${name}`;

/** `stop` ends it in the middle of a statement; the migration that runs is undone. */
type Around = { log?: Log; stop?: AbortSignal };

/** Brings the schema up to this program's; forward only. Returns the versions applied now. */
export async function migrate(
  connection: Connection,
  migrations = readMigrations(),
  { log = silentLog, stop }: Around = {},
): Promise<number[]> {
  const client = new pg.Client(withOwnSettings(connection));
  // A connection that breaks fails its statement; without a listener it would end the process besides.
  client.on("error", () => {});
  const leave = () => void client.end().catch(() => {});
  stop?.addEventListener("abort", leave, { once: true });
  await client.connect();
  try {
    await setAsideTransactionTimeout(client);
    await client.query(LEAVE_NOTHING_BEHIND).catch(() => {});
    await takeLock(client, log);
    await client.query(GO_WHERE_TABLES_ARE);
    await client.query(NOTES);
    const rows = await replaceChain(client, await readApplied(client), migrations);
    refuseForeignSchema(rows, migrations);

    const applied = new Set(rows.map((row) => row.version));
    const pending = migrations.filter((migration) => !applied.has(migration.version));
    for (const migration of pending) {
      // A new database has nothing that takes long.
      if (rows.length > 0) log.info({ migration: fileOf(migration) }, "the database is being migrated");
      await apply(client, migration);
    }
    return pending.map((migration) => migration.version);
  } finally {
    stop?.removeEventListener("abort", leave);
    await client.end();
  }
}

/**
 * Otherwise the statement of a program that has ended would go on, or keep waiting for its lock with others queued behind
 * it. Some operating systems can't tell a server that its client is gone; there it still does.
 */
const LEAVE_NOTHING_BEHIND = "set client_connection_check_interval = '1s'";

async function takeLock(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query("select pg_try_advisory_lock($1) as taken", [MIGRATION_LOCK]);
  if (rows[0].taken) return;
  log.info("waits for another program that migrates the database");
  await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
}

/**
 * A schema that comes first on the search path may be younger than ours, such as one of the role's name. What a migration
 * makes belongs beside the tables that are there.
 */
const GO_WHERE_TABLES_ARE = `
  select set_config('search_path', concat_ws(', ', relnamespace::regnamespace::text, current_setting('search_path')), false)
  from pg_class where oid = to_regclass('schema_migrations')`;

const NOTES = `create table if not exists schema_migrations (
  version integer primary key, name text not null, breaking boolean not null,
  checksum text not null, applied_at timestamptz not null default now())`;

/** Applies all migrations in the caller's transaction, to a database that has none of them: all or nothing. */
export async function buildSchema(client: pg.Client, migrations: Migration[]): Promise<void> {
  // No other program migrates meanwhile; those that start now wait for the end of this transaction.
  await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await client.query(NOTES);
  for (const migration of migrations) {
    await client.query(migration.sql);
    await note(client, migration);
  }
}

/** In the order they were numbered. */
export async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    "select version, name, breaking, checksum from schema_migrations order by version",
  );
  return rows;
}

/**
 * A database that has every migration of the chain before `0001_schema.sql` has the same schema, so that migration is
 * recorded as applied. One that has only some of them is refused, because the rest of the chain no longer exists.
 */
async function replaceChain(client: pg.Client, rows: Applied[], migrations: Migration[]): Promise<Applied[]> {
  const replaced = readReplaced();
  const isReplaced = (row: Applied) => replaced.includes(`${fileOf(row)} ${row.checksum}`);
  const found = rows.filter(isReplaced);
  const schema = migrations.find(({ version }) => version === 1);
  if (found.length === 0 || schema === undefined) return rows;
  if (found.length < replaced.length) {
    throw new Fault(
      "unavailable",
      `The database was made by a Parley from before the first release, and has ${found.length} of its ${replaced.length} migrations. Start the last version that has them all once, or begin with an empty database.`,
    );
  }
  await client.query("begin");
  await client.query("delete from schema_migrations where version = any($1)", [
    found.map(({ version }) => version),
  ]);
  await note(client, schema);
  await client.query("commit");
  return readApplied(client);
}

const note = (client: pg.Client, { version, name, breaking, checksum }: Migration): Promise<unknown> =>
  client.query("insert into schema_migrations (version, name, breaking, checksum) values ($1, $2, $3, $4)", [
    version,
    name,
    breaking,
    checksum,
  ]);

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(migration.sql);
    await note(client, migration);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw new Error(
      `Migration ${migration.version} (${migration.name}) failed: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

/** What is said of a migration that only a newer program has. */
export const unreadableAfter = ({ version, name }: Pick<Applied, "version" | "name">): string =>
  `The database was migrated by a newer Parley (migration ${version}, ${name}) in a way this version can't read. Start that newer version.`;

/** What keeps this version from a database that a newer one migrated; null: nothing does. */
export async function whyUnreadable(client: Pick<pg.Pool | pg.Client, "query">): Promise<string | null> {
  const { rows } = await client.query<Applied>(
    "select version, name from schema_migrations where breaking and version <> all($1::int[]) order by version limit 1",
    [knownVersions()],
  );
  return rows[0] ? unreadableAfter(rows[0]) : null;
}

function refuseForeignSchema(applied: Applied[], known: Migration[]): void {
  const byVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = byVersion.get(row.version);
    if (!migration && row.breaking) throw new Fault("unavailable", unreadableAfter(row));
    if (migration && migration.checksum !== row.checksum) {
      throw new Fault(
        "unavailable",
        `Migration ${row.version} (${row.name}) is not the one this database was built with. Restore the file; a change belongs into a new migration.`,
      );
    }
  }
}
