import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import { LASTING_PURPOSES, type Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";

/*
 * Seals every secret in the database with the present key. A value names its key, so those that are done are passed over: a
 * run that died goes on. Each batch is one transaction that locks its rows, so programs that run beside it read and write
 * each value whole, with either key.
 */

type Deps = { db: Db; clock: Clock; vault: Vault };
type Resealed = {
  resealed: number;
  /** Columns with values that no known key opens, and how many. */
  unopened: { column: string; count: number }[];
};
type SealedColumn = { table: string; column: string };

/** Pages of a table that one batch looks at: 2 MB. */
const PAGES = 256;

/** Every column for sealed values has such a name; a test holds it. In the schema of our tables, which an address may name. */
const sealedColumns = async (db: Db): Promise<SealedColumn[]> => {
  const { rows } = await sql<SealedColumn>`
    select c.relname as table, a.attname as column
    from pg_class ours
    join pg_class c on c.relnamespace = ours.relnamespace and c.relkind = 'r'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and a.atttypid = 'text'::regtype
    where ours.oid = 'installation'::regclass
      and (a.attname like 'sealed%' or (c.oid = ours.oid and a.attname = 'key_check'))
    order by 1, 2`.execute(db);
  return rows;
};

/** `onBatch` is called after each batch is stored. */
export async function resealSecrets(
  deps: Deps,
  { stop }: { stop?: AbortSignal } = {},
  onBatch: (column: string, done: number) => void | Promise<void> = () => {},
): Promise<Resealed> {
  await keepSigningKeys(deps);
  const total: Resealed = { resealed: 0, unopened: [] };
  const columns = await sealedColumns(deps.db);
  // What the program starts by comes last: until then it starts with the earlier key, too.
  for (const found of columns.toSorted((a, b) => Number(isCheck(a)) - Number(isCheck(b)))) {
    const { resealed, unopened } = await resealColumn(deps, found, stop, async (done) => {
      await onBatch(`${found.table}.${found.column}`, done);
    });
    total.resealed += resealed;
    if (unopened > 0) total.unopened.push({ column: `${found.table}.${found.column}`, count: unopened });
  }
  return total;
}

const isCheck = ({ table }: SealedColumn): boolean => table === "installation";

/** Page by page, as the table lies. A value that is written meanwhile is sealed with the writer's key. */
async function resealColumn(
  { db, vault }: Deps,
  { table, column }: SealedColumn,
  stop: AbortSignal | undefined,
  onBatch: (done: number) => Promise<void>,
): Promise<{ resealed: number; unopened: number }> {
  const counts = { resealed: 0, unopened: 0 };
  const [from, value] = [sql.table(table), sql.ref(column)];
  for (let page = 0; page < (await pagesOf(db, table)); page += PAGES) {
    stop?.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ place: string; sealed: string }>`
        select ctid::text as place, ${value} as sealed from ${from}
        where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + PAGES},0)`}::tid
          and ${value} is not null and ${value} not like ${`%.${vault.key_id}`}::text for update`.execute(tx);
      for (const { place, sealed } of rows) {
        const next = resealed(vault, sealed);
        if (next === null) counts.unopened++;
        else {
          await sql`update ${from} set ${sql.ref(column)} = ${next} where ctid = ${place}::tid`.execute(tx);
          counts.resealed++;
        }
      }
    });
    await onBatch(counts.resealed);
  }
  return counts;
}

async function pagesOf(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::int as pages`.execute(db);
  return rows[0]?.pages ?? 0;
}

function resealed(vault: Vault, sealed: string): string | null {
  try {
    return vault.seal(vault.open(sealed));
  } catch {
    return null;
  }
}

/** What was signed for good is recognized by these once the earlier key itself is forgotten. */
async function keepSigningKeys({ db, clock, vault }: Deps): Promise<void> {
  const retired_at = clock.now().toISOString();
  const rows = vault.earlierSigningKeys(LASTING_PURPOSES).map(({ purpose, key_id, key }) => ({
    purpose,
    key_id,
    retired_at,
    sealed_key: vault.seal(key.toString("base64url")),
  }));
  if (rows.length === 0) return;
  await db
    .insertInto("retired_signing_keys")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Called when the database is opened, before anything signed is looked at. */
export async function readSigningKeys({ db, vault }: Pick<Deps, "db" | "vault">): Promise<void> {
  const rows = await db
    .selectFrom("retired_signing_keys")
    .select(["purpose", "key_id", "sealed_key"])
    .execute();
  for (const { purpose, key_id, sealed_key } of rows)
    vault.acceptSignatures({ purpose, key_id, key: Buffer.from(vault.open(sealed_key), "base64url") });
}
