import type pg from "pg";

/**
 * What of a database belongs into a backup. In an archive `schema` is one of two names: our own tables lie in whatever
 * schema the connection finds them.
 */
export const OWN = "parley";
export const JOBS = "graphile_worker";

export type DumpTable = { schema: string; name: string; columns: string[]; bytes: number };
type Sequence = { schema: string; name: string; last_value: string };

/**
 * Left empty in a copy: what migrations write themselves, who runs at this moment, and counts of the last minutes. A job
 * whose runner has no heartbeat is freed by the first program that starts.
 */
const LEFT_OUT = [
  `${OWN}.schema_migrations`,
  `${OWN}.job_runners`,
  `${OWN}.write_probes`,
  `${OWN}.attempt_counts`,
  `${JOBS}.migrations`,
];

/** Not the first on the path: somebody may have made one of that name since. */
export const OURS = "(select relnamespace from pg_class where oid = to_regclass('schema_migrations'))";
const IN_SCHEMAS = `(n.oid = ${OURS} or n.nspname = '${JOBS}')`;
const SCHEMA = `case n.oid when ${OURS} then '${OWN}' else n.nspname end`;

/** Without generated columns, which the database works out itself. */
export async function listTables(client: pg.ClientBase): Promise<DumpTable[]> {
  const { rows } = await client.query<Omit<DumpTable, "bytes"> & { bytes: string }>(
    `select ${SCHEMA} as schema, c.relname as name, pg_table_size(c.oid) as bytes,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and ${IN_SCHEMAS}
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1 desc, c.relname`,
  );
  return rows
    .filter(({ schema, name }) => !LEFT_OUT.includes(`${schema}.${name}`))
    .map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/** Those that gave a value. */
export async function listSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `select ${SCHEMA} as schema, s.sequencename as name, s.last_value::text
     from pg_sequences s join pg_namespace n on n.nspname = s.schemaname
     where ${IN_SCHEMAS} and s.last_value is not null order by 1, 2`,
  );
  return rows;
}

/** The highest migration of graphile-worker's own; 0 where there is none yet. */
export async function jobsMigration(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('${JOBS}.migrations') is not null as there`,
  );
  if (!rows[0]?.there) return 0;
  const { rows: found } = await client.query<{ id: number }>(`select max(id) as id from ${JOBS}.migrations`);
  return found[0]?.id ?? 0;
}

/** As a statement names it. */
export function quoted({ schema, name }: { schema: string; name: string }): string {
  const table = quotedName(name);
  return schema === OWN ? table : `${quotedName(schema)}.${table}`;
}

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
