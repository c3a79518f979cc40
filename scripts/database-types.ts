import { sql } from "kysely";
import { generate, PostgresDialect, RawExpressionNode } from "kysely-codegen";
import type { Db } from "../src/db/database.ts";

/** What `pg` gives back under the type parsers of src/db/database.ts. */
const TYPE_MAPPING = { timestamptz: "string", int8: "number", json: "unknown" };

/** The text of src/db/types.ts for a migrated database. */
export async function databaseTypes(db: Db): Promise<string> {
  return generate({
    db,
    dialect: new PostgresDialect(),
    excludePattern: "(schema_migrations|graphile_worker.*)",
    outFile: null,
    typeMapping: TYPE_MAPPING,
    overrides: { columns: await closedColumns(db) },
  });
}

type Check = {
  table_name: string;
  column_name: string;
  has_default: boolean;
  definition: string;
};

/** Columns that take one of a few texts, by `table.column`: a union of those, read from `check (column in (…))`. */
async function closedColumns(db: Db): Promise<Record<string, RawExpressionNode>> {
  const { rows } = await sql<Check>`
    select t.relname as table_name, a.attname as column_name,
      a.atthasdef as has_default, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid
    join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = t.oid and c.conkey = array[a.attnum]
    where c.contype = 'c'
    order by 1, 2`.execute(db);
  return Object.fromEntries(
    rows.flatMap(({ table_name, column_name, has_default, definition }) => {
      const values = valuesOf(definition, column_name);
      if (values === null) return [];
      const union = values.map((value) => JSON.stringify(value)).join(" | ");
      const type = has_default ? `Generated<${union}>` : union;
      return [[`${table_name}.${column_name}`, new RawExpressionNode(type)]];
    }),
  );
}

/** As PostgreSQL prints it: `CHECK ((state = ANY (ARRAY['OPEN'::text, 'ENDED'::text])))`; null for another check. */
function valuesOf(definition: string, column: string): string[] | null {
  const list = new RegExp(`^CHECK \\(\\(+${column}[^=]* = ANY \\(\\(?ARRAY\\[(.+)\\]`).exec(definition)?.[1];
  if (list === undefined) return null;
  return list.split(", ").map((item) => /^\(?'([^']+)'/.exec(item)?.[1] ?? fail(definition));
}

function fail(definition: string): never {
  throw new Error(`This check names something other than texts: ${definition}`);
}
