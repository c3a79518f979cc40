import { csvLine } from "../base/csv.ts";

/** Read at once. */
export const LEDGER_PAGE = 1_000;

/**
 * A whole ledger as CSV, what is no longer in force too, some hundred rows at a time: it need not fit into memory.
 * `rowsAfter` reads the next `LEDGER_PAGE` rows in the order of their ids.
 */
export async function* ledgerCsv<Column extends string>(
  columns: readonly Column[],
  rowsAfter: (id: number) => Promise<({ id: number } & Record<Column, unknown>)[]>,
): AsyncGenerator<string> {
  yield csvLine(columns);
  for (let after = 0; ; ) {
    const rows = await rowsAfter(after);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join("");
  }
}
