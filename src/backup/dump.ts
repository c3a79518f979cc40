import type { Writable } from "node:stream";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { VERSION } from "../base/version.ts";
import { readApplied, readMigrations } from "../db/migrate.ts";
import type { ArchiveClose, ArchiveHeader } from "./archive-format.ts";
import { type ArchiveWriter, createArchiveWriter } from "./archive-writer.ts";
import { listFiles, readWhole } from "./data-files.ts";
import { type ArchiveProgress, counted } from "./progress.ts";
import { type DumpTable, jobsMigration, listSequences, listTables, quoted, quotedName } from "./tables.ts";

type DumpSource = {
  /** One connection, used by nobody else. */
  client: pg.Client;
  vault: Vault;
  dataDir: string;
  /** False leaves the files of the data directory out. */
  files: boolean;
};

export type Dumped = ArchiveClose & {
  taken_at: string;
  archive_bytes: number;
  tables_rows: [string, number][];
  /** Recordings whose files are not in the data directory, and so not in the archive. */
  recordings_without_file: number;
};

/**
 * Writes a backup to `out`. The database is read in one transaction, which sees it as it was at its beginning; nobody
 * waits for it, except who would change a table's columns. Files are read after that moment, so each that the database
 * names then is there, unless it was deleted meanwhile.
 */
export async function dump(source: DumpSource, out: Writable, progress: ArchiveProgress): Promise<Dumped> {
  const { client, vault } = source;
  await beginSnapshot(client);
  const tables = await listTables(client);
  const files = source.files ? await listFiles(source.dataDir) : [];
  const expected_bytes = [...tables, ...files].reduce((sum, { bytes }) => sum + bytes, 0);
  const header = await describe(client, expected_bytes);
  requireOwnKey(header, vault);
  progress.begin(expected_bytes);
  const writer = await createArchiveWriter(out, header, vault);
  const tables_rows: [string, number][] = [];
  try {
    for (const table of tables)
      tables_rows.push([table.name, await dumpTable(client, table, writer, progress)]);
    const recordings_without_file = source.files ? await countMissing(client, files) : 0;
    await client.query("commit");
    for (const file of files) {
      const { path, modified_at, bytes: expected_bytes } = file;
      progress.at(path, expected_bytes);
      const data = await readWhole(file);
      if (data) await writer.file({ path, modified_at, expected_bytes }, counted(data, progress));
    }
    const close = await writer.close();
    return {
      ...close,
      taken_at: header.taken_at,
      archive_bytes: writer.written_bytes(),
      tables_rows,
      recordings_without_file,
    };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** Tables are locked before the snapshot is taken: a migration that began in between would change them under it. */
async function beginSnapshot(client: pg.Client): Promise<void> {
  const names = (await listTables(client)).map(quoted);
  await client.query("begin isolation level repeatable read read only");
  await client.query("set local statement_timeout = 0");
  await client.query("set local idle_in_transaction_session_timeout = 0");
  if (names.length > 0) await client.query(`lock table ${names.join(", ")} in access share mode`);
}

async function describe(client: pg.Client, expected_bytes: number): Promise<ArchiveHeader> {
  const { rows } = await client.query<{ at: Date; postgres: string; known: boolean; started: boolean }>(
    `select now() as at, current_setting('server_version') as postgres,
       to_regclass('schema_migrations') is not null as known, to_regclass('installation') is not null as started`,
  );
  const [now] = rows;
  if (!now?.known || !now.started)
    throw new Fault(
      "unavailable",
      "There is no Parley in this database. Start it once before you back it up.",
    );
  const migrations = await readApplied(client);
  const ours = new Set(readMigrations().map(({ checksum }) => checksum));
  const strange = migrations.find(({ checksum }) => !ours.has(checksum));
  if (strange)
    throw new Fault(
      "unavailable",
      `The database has migration ${strange.version} (${strange.name}), which this version of Parley does not have. Back it up with the version that runs on it.`,
    );
  const { rows: keys } = await client.query<{ key_check: string }>("select key_check from installation");
  return {
    parley: VERSION,
    postgres: now.postgres,
    taken_at: now.at.toISOString(),
    migrations,
    jobs_migration: await jobsMigration(client),
    key_check: keys[0]?.key_check ?? null,
    sequences: await listSequences(client),
    expected_bytes,
  };
}

/** With a SECRET_KEY from the environment, only this tells that the data directory is not the program's, or its disk is away. */
async function countMissing(client: pg.Client, files: readonly { path: string }[]): Promise<number> {
  const there = new Set(files.map(({ path }) => path));
  // An older program's table has no such column: a backup may be made before the first start of a newer one.
  const { rows } = await client.query<{ file_name: string }>(
    "select file_name from recordings r where coalesce(to_jsonb(r) ->> 'stored_in', 'disk') = 'disk'",
  );
  return rows.filter(({ file_name }) => !there.has(`recordings/${file_name}`)).length;
}

/** Whoever backs up with another key has another folder or environment than the program: its files would be wrong, too. */
function requireOwnKey({ key_check }: ArchiveHeader, vault: Vault): void {
  if (key_check === null || opens(vault, key_check)) return;
  throw new Fault(
    "unavailable",
    "The secret key here is not the one of this database. Run the backup with the SECRET_KEY or DATA_DIR that the program runs with.",
  );
}

export function opens(vault: Vault, sealed: string): boolean {
  try {
    vault.open(sealed);
    return true;
  } catch {
    return false;
  }
}

async function dumpTable(
  client: pg.Client,
  { schema, name, columns, bytes }: DumpTable,
  writer: ArchiveWriter,
  progress: ArchiveProgress,
): Promise<number> {
  progress.at(name, bytes);
  const list = columns.map(quotedName).join(", ");
  const rows = client.query(copyTo(`copy ${quoted({ schema, name })} (${list}) to stdout (format binary)`));
  // A connection that is gone says so at once, before anybody reads.
  rows.on("error", (error) => rows.destroy(error));
  const head = { schema, table: name, columns, expected_bytes: bytes };
  await writer.table(head, counted(rows as AsyncIterable<Buffer>, progress), () => rows.rowCount);
  return rows.rowCount;
}
