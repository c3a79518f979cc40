import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { TestApp } from "./app.ts";

/** Everything that the program keeps: each row of each table as text, each file of its data folder, each line it logged. */
export async function everythingKept(app: TestApp): Promise<string> {
  const { rows: tables } = await app.database.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
  );
  const kept: string[] = [...app.logged, ...app.errors];
  for (const { name } of tables) {
    const { rows } = await app.database.pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    kept.push(...rows.map(({ row }) => row));
  }
  for (const file of readdirSync(app.config.data_dir, { recursive: true, withFileTypes: true }))
    if (file.isFile()) kept.push(readFileSync(path.join(file.parentPath, file.name), "latin1"));
  return kept.join("\n");
}
