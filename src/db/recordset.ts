import { type RawBuilder, type Selectable, sql } from "kysely";
import { storableJsonText } from "../base/storable.ts";
import type { DB } from "./types.ts";

/**
 * Rows of a table as one value, for a statement whose text doesn't depend on how many there are:
 * `from json_populate_recordset(null::table, ${recordset<"table">(rows)})`. PostgreSQL takes each document of a row apart
 * on the way, so all of it is cleaned of what it can't read.
 */
export const recordset = <Table extends keyof DB>(
  rows: readonly Partial<Selectable<DB[Table]>>[],
): RawBuilder<string> => sql`${storableJsonText(rows)}::json`;
