import type pg from "pg";
import { JOBS } from "./tables.ts";

/** Statements that bring back what was taken away. */
export type LooseSchema = { restore: string[] };

type Statements = { away: string; back: string };

/**
 * Rows come table by table, so one may name a row that isn't there yet; and triggers have counted them already where they
 * come from. Foreign keys and plain indexes are therefore taken away and made again afterwards, which is also several
 * times as fast as keeping them, and our triggers are off meanwhile. An owner of the tables may do all this; to switch
 * foreign keys off takes a superuser.
 */
export async function loosen(client: pg.ClientBase): Promise<LooseSchema> {
  const { rows } = await client.query<Statements>(
    `select * from (
       select 1 as step, format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
         format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back
       from pg_constraint
       where contype = 'f' and connamespace::regnamespace::text in (quote_ident(current_schema()), '${JOBS}')
       union all
       select 2, format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
       from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relnamespace::regnamespace::text = quote_ident(current_schema()) and not i.indisprimary
         and not exists (select from pg_constraint where conindid = i.indexrelid)
         and not exists (select from pg_depend d where d.objid = i.indrelid and d.deptype = 'e')
       union all
       select distinct 3, format('alter table %s disable trigger user', tgrelid::regclass),
         format('alter table %s enable trigger user', tgrelid::regclass)
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where not tgisinternal and c.relnamespace::regnamespace::text in (quote_ident(current_schema()), '${JOBS}')
     ) statements order by step, away`,
  );
  for (const { away } of rows) await client.query(away);
  // Indexes stand before the foreign keys that lean on them.
  return { restore: rows.map(({ back }) => back).reverse() };
}

export async function fasten(
  client: pg.ClientBase,
  { restore }: LooseSchema,
  each: () => void,
): Promise<void> {
  for (const statement of restore) {
    each();
    await client.query(statement);
  }
}
