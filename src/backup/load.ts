import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { buildSchema, type Migration, readMigrations } from "../db/migrate.ts";
import type { ArchiveClose, ArchiveHeader, SectionEnd, TableHead } from "./archive-format.ts";
import { type ArchiveReader, damaged } from "./archive-reader.ts";
import type { FileShelf } from "./data-files.ts";
import { ArchiveFault } from "./foreign-archive.ts";
import { type Calmed, calm } from "./let-go.ts";
import { fasten, loosen } from "./loose-schema.ts";
import { type ArchiveProgress, counted } from "./progress.ts";
import { type DumpTable, JOBS, jobsMigration, listTables, OURS, OWN, quoted, quotedName } from "./tables.ts";

type Target = {
  /** One connection, used by nobody else, to an empty database that has graphile-worker's schema. */
  client: pg.Client;
  vault: Vault;
  shelf: FileShelf;
  /** Whether campaigns are held until somebody lets them go on. */
  pause: boolean;
};

export type Loaded = ArchiveClose & Calmed & { left_out: string[]; migrated: number };

/** The migrations of this program: those the archive has, and those that come after. Throws for an archive of a newer one. */
export function migrationsFor({ parley, migrations }: ArchiveHeader): {
  archived: Migration[];
  later: Migration[];
} {
  const ours = readMigrations();
  for (const { version, name, checksum } of migrations) {
    if (ours.some((known) => known.version === version && known.checksum === checksum)) continue;
    throw new ArchiveFault(
      `The backup was made by a newer Parley (${parley}): it has migration ${version} (${name}), which this version does not. Restore it with that version.`,
    );
  }
  const archived = new Set(migrations.map(({ version }) => version));
  return {
    archived: ours.filter(({ version }) => archived.has(version)),
    later: ours.filter(({ version }) => !archived.has(version)),
  };
}

/** How many tables of Parley, or of anybody, stand in the way. Jobs without a platform are none: they can't be run. */
export async function requireEmpty(client: pg.ClientBase, where: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relkind in ('r', 'p', 'v', 'm') and (c.relnamespace::regnamespace::text = quote_ident(current_schema()) or c.relnamespace = ${OURS})
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by c.relname = 'agents' desc, c.relname`,
  );
  if (rows.length === 0) return;
  const holds =
    rows[0]?.name === "agents" ? "It holds a Parley already" : `It has the table ${rows[0]?.name}`;
  throw new Fault("refused", `${where} is not empty. ${holds}, and a restore never writes over anything.`);
}

/**
 * In one transaction: the schema as the archive has it, its rows, the migrations since then, and what a copy must not do
 * by itself. `beforeCommit` is the last thing before all of it counts.
 */
export async function load(
  { client, vault, shelf, pause }: Target,
  { header, parts }: ArchiveReader,
  progress: ArchiveProgress,
): Promise<Loaded> {
  const { archived, later } = migrationsFor(header);
  await refuseNewerJobs(client, header);
  progress.begin(header.expected_bytes);
  await client.query("begin");
  try {
    await client.query("set local statement_timeout = 0");
    await client.query("set local idle_in_transaction_session_timeout = 0");
    await client.query("set local lock_timeout = 0");
    await client.query("set local maintenance_work_mem = '128MB'");
    await buildSchema(client, archived);
    const taken = await loosen(client);
    const tables = await listTables(client);
    // Migrations may have written rows. A table emptied here also takes rows that need no later freezing.
    await client.query(`truncate ${tables.map(quoted).join(", ")} cascade`);
    let close: ArchiveClose | undefined;
    const left_out: string[] = [];
    for await (const part of parts(vault)) {
      if (part.kind === "close") close = part.close;
      else if (part.kind === "file") {
        progress.at(part.head.path, part.head.expected_bytes);
        await shelf.save(part.head, counted(part.data, progress));
      } else {
        const table = tables.find(
          ({ schema, name }) => schema === part.head.schema && name === part.head.table,
        );
        progress.at(part.head.table, part.head.expected_bytes);
        const data = counted(part.data, progress);
        if (table) await loadTable(client, table, { head: part.head, data }, header);
        else {
          // Somebody else's, in a database that both shared.
          left_out.push(part.head.table);
          for await (const _ of data);
        }
      }
    }
    if (!close) throw new Error("an archive ended without its end");
    await setSequences(client, header);
    await fasten(client, taken, () => progress.at("indexes", 0));
    await buildSchema(client, later);
    const calmed = await calm(client, { pause, taken_at: header.taken_at });
    await shelf.place();
    await client.query("commit");
    return { ...close, ...calmed, left_out, migrated: later.length };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    await shelf.clear();
    throw error;
  }
}

async function refuseNewerJobs(client: pg.ClientBase, header: ArchiveHeader): Promise<void> {
  if (header.jobs_migration <= (await jobsMigration(client))) return;
  throw new ArchiveFault(
    `The backup was made by a newer Parley (${header.parley}), whose jobs this version can't read. Restore it with that version.`,
  );
}

type TablePart = { head: TableHead; data: AsyncGenerator<Buffer, SectionEnd> };

async function loadTable(
  client: pg.Client,
  table: DumpTable,
  { head, data }: TablePart,
  { parley }: ArchiveHeader,
): Promise<void> {
  const unknown = head.columns.find((column) => !table.columns.includes(column));
  if (unknown !== undefined)
    throw new ArchiveFault(
      `The backup's table ${head.table} has a column that this version does not know (${unknown}). Restore it with Parley ${parley}.`,
    );
  const columns = head.columns.map(quotedName).join(", ");
  const rows = client.query(
    copyFrom(`copy ${quoted(table)} (${columns}) from stdin (format binary, freeze)`),
  );
  let end: SectionEnd | undefined;
  async function* untilEnd(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = await data.next();
      if (next.done) {
        end = next.value;
        return;
      }
      yield next.value;
    }
  }
  await pipeline(untilEnd(), rows);
  if (rows.rowCount !== end?.rows)
    throw damaged(`the table ${head.table}`, `it holds ${rows.rowCount} rows instead of ${end?.rows}`);
}

async function setSequences(client: pg.ClientBase, { sequences }: ArchiveHeader): Promise<void> {
  for (const { schema, name, last_value } of sequences) {
    if (schema !== OWN && schema !== JOBS) continue;
    await client.query("select setval(seq, $2) from to_regclass($1) as seq where seq is not null", [
      quoted({ schema, name }),
      last_value,
    ]);
  }
}
