import { oneOfText } from "../api/input/input-errors.ts";
import { csvHead, csvLine } from "../base/csv.ts";
import { type FileCells, isOneOf, readInstant } from "./address-file.ts";

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
  yield csvHead(columns);
  for (let after = 0; ; ) {
    const rows = await rowsAfter(after);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join("");
  }
}

/** How an entry ended. `said` and `by`: "" where nothing is known. */
export type LedgerEnding<Path extends string> = { at: string; through: Path; said: string; by: string };

/** The end that a row of an export tells in its columns `lifted_at`, `lifted_through`…; null: the entry holds. */
export function readEnding<Path extends string, Verb extends "lifted" | "revoked">(
  { cell, wrong }: FileCells<`${NoInfer<Verb>}_${keyof LedgerEnding<Path>}`>,
  verb: Verb,
  paths: readonly Path[],
  now: Date,
): LedgerEnding<Path> | null {
  const at = readInstant(cell(`${verb}_at`));
  const through = cell(`${verb}_through`).toLowerCase();
  const [said, by] = [cell(`${verb}_said`), cell(`${verb}_by`)];
  if (at === undefined) wrong(`${verb}_at`, "Input should be a valid datetime", "datetime_parsing");
  else if (at === null) {
    if (through + said + by !== "")
      wrong(
        `${verb}_at`,
        "Give the time at which it ended, or leave the columns about its end empty",
        "missing",
      );
  } else if (Date.parse(at) > now.getTime()) wrong(`${verb}_at`, "Input should not lie in the future");
  else if (isOneOf(paths, through || "import"))
    return { at, through: (through || "import") as Path, said, by };
  else wrong(`${verb}_through`, oneOfText(paths), "enum");
  return null;
}
