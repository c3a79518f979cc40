import type { RawBuilder } from "kysely";
import type { Page } from "../api/list.ts";

/**
 * A whole record as one json document, built by the database from the id that `id` names ("m.id"). The same expression
 * is a row of the record's own list and the record nested in another one, so a record has one spelling everywhere and
 * a list of 25 agents with all that hangs on them is one statement. Inside, tables are called `this_…`, never what a
 * caller's tables are called.
 */
export type RecordJson<T> = (id: string) => RawBuilder<T>;

export const records = <T>(page: Page<{ record: T }>): Page<T> => ({
  ...page,
  items: page.items.map(({ record }) => record),
});
