import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { SEALED_MARK } from "../../src/base/sealed-text.ts";
import type { TestApp } from "./app.ts";
import { unzip } from "./zip.ts";

/** Every column of every table that can hold text, whatever schema and whoever's: new ones are among them by themselves. */
const COLUMNS = `
  select c.table_schema as schema, c.table_name as name, c.column_name as column, c.data_type as type
  from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')
    and c.data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY', 'USER-DEFINED', 'tsvector')`;

/** What sealed values are spelled with is random: four letters are in it now and then, in any case. */
const SEALED = `${SEALED_MARK}\\d+:[\\w-]+`;

/** The columns (`table.column`) and files that hold a text, in any case. */
export async function placesOf(app: TestApp, text: string): Promise<string[]> {
  const { rows: columns } =
    await app.database.pool.query<Record<"schema" | "name" | "column" | "type", string>>(COLUMNS);
  const found = new Set<string>();
  for (const { schema, name, column, type } of columns) {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    const value = pg.escapeIdentifier(column);
    const holds =
      type === "bytea"
        ? `position(convert_to($1, 'UTF8') in ${value}) > 0`
        : `position(lower($1) in lower(regexp_replace(${value}::text, '${SEALED}', '', 'g'))) > 0`;
    const { rowCount } = await app.database.pool.query(`select 1 from ${table} where ${holds} limit 1`, [
      text,
    ]);
    if (rowCount) found.add(`${name}.${column}`);
  }
  for (const file of filesBelow(app.config.data_dir)) {
    const bytes = readFileSync(file);
    // One that is stored sealed doesn't begin as an archive does.
    const parts = bytes.subarray(0, 2).toString() === "PK" ? [...unzip(bytes).values()] : [bytes];
    const holds = parts.some((part) => part.toString("utf8").toLowerCase().includes(text.toLowerCase()));
    if (holds) found.add(`file: ${path.relative(app.config.data_dir, file).split(path.sep)[0]}`);
  }
  return [...found].toSorted();
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
