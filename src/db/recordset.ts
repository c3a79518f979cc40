import type { Selectable } from "kysely";
import { storableJsonText } from "../base/storable.ts";
import type { DB } from "./types.ts";

/**
 * Rows of a table as one value, for a statement whose text doesn't depend on how many there are:
 * `from json_populate_recordset(null::table, ${recordset<"table">(rows)}::json)`. PostgreSQL parses each JSON document of a row on
 * the way, so characters that it rejects are removed from all of them.
 */
export const recordset = <Table extends keyof DB>(rows: readonly Partial<Selectable<DB[Table]>>[]): string =>
  storableJsonText(rows);
