import type { Readable } from "node:stream";
import { parseTimestamp } from "../api/schema.ts";
import { readCsvRows, refuseSeparator, unguarded } from "../base/csv.ts";
import { type InputIssue, InvalidInput, invalid } from "../base/errors.ts";
import { normaliseEmail, normalisePhone } from "../channels/address.ts";

/*
 * Files of addresses: suppressions, consents, do-not-call lists. CSV with a header, columns in any order, read as a stream.
 * What is wrong is told at ["file", row, column], the header being row 1, and then nothing is stored.
 */

export const MAX_LIST_bytes = 200 * 1024 * 1024;
export const MAX_LIST_ROWS = 5_000_000;
/** A consent with all the evidence that the API takes, as an export writes it. */
const MAX_ROW_chars = 200_000;
/** More of them help nobody. */
const MAX_ISSUES = 100;

export type AddressFileColumns<Column extends string> = {
  columns: readonly Column[];
  required: readonly Column[];
  /** The columns of a file whose first row is data already; null: its first row is a header. */
  without_header?: (cells: string[]) => Column[] | null;
  /** Left out: as many as lists of people have. */
  max_rows?: number;
};

/** Where the rows of a file come from, and who adds them. */
export type ImportSource = {
  sub_organization_id: number;
  at: Date;
  created_by: string;
  file_name: string;
  /** Of numbers that are written without their country. */
  calling_code: string | null;
};

/** One row under the eyes of its reader. */
export type FileCells<Column extends string> = {
  row: number;
  /** Without blanks around it and as it was before an export guarded it; "" where the row or the file has none. */
  cell(column: Column): string;
  wrong(column: Column, msg: string, type?: string): void;
};

/** The rows of a file, or every row and column that is wrong. */
export async function* readAddressFile<Column extends string, Row>(
  file: Readable,
  columns: AddressFileColumns<Column>,
  readRow: (cells: FileCells<Column>) => Row,
): AsyncGenerator<Row> {
  const { max_rows = MAX_LIST_ROWS } = columns;
  const issues: InputIssue[] = [];
  let header: Map<Column, number> | undefined;
  let row = 0;
  for await (const records of readCsvRows(file, MAX_ROW_chars)) {
    for (const cells of records) {
      row++;
      if (cells.every((cell) => cell.trim() === "")) continue;
      if (!header) {
        const implied = columns.without_header?.(cells) ?? null;
        header = implied === null ? readHeader(columns, cells, row) : positions(implied);
        if (implied === null) continue;
      }
      if (row > max_rows) throw invalid(["file", row], `The file has more than ${max_rows} rows`, "too_long");
      const read = cellsOf(header, cells, row, readRow);
      if (read.issues.length > 0) issues.push(...read.issues);
      else if (issues.length === 0) yield read.value;
    }
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, MAX_ISSUES));
  if (!header) throw invalid(["file"], "The file is empty", "too_short");
}

const positions = <Column extends string>(names: readonly Column[]): Map<Column, number> =>
  new Map(names.map((name, index) => [name, index]));

function readHeader<Column extends string>(
  { columns, required }: AddressFileColumns<Column>,
  cells: string[],
  row: number,
): Map<Column, number> {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  if (!required.every((name) => names.includes(name)))
    refuseSeparator(cells, (cell) => columns.includes(cell.toLowerCase() as Column), row);
  const issues: InputIssue[] = names.flatMap((name, index) => {
    const loc = ["file", row, name || index + 1];
    if (!columns.includes(name as Column)) {
      return [{ loc, msg: `Unknown column; the columns are ${columns.join(", ")}`, type: "extra_forbidden" }];
    }
    return names.indexOf(name) === index ? [] : [{ loc, msg: "Column appears twice", type: "value_error" }];
  });
  for (const name of required.toReversed())
    if (!names.includes(name))
      issues.unshift({ loc: ["file", row, name], msg: "Column required", type: "missing" });
  if (issues.length > 0) throw new InvalidInput(issues);
  return positions(names as Column[]);
}

function cellsOf<Column extends string, Row>(
  header: Map<Column, number>,
  cells: string[],
  row: number,
  readRow: (cells: FileCells<Column>) => Row,
): { issues: InputIssue[]; value: Row } {
  const issues: InputIssue[] = [];
  if (cells.length > header.size)
    issues.push({
      loc: ["file", row, header.size + 1],
      msg: `Row has ${cells.length} cells, the header ${header.size}`,
      type: "value_error",
    });
  const value = readRow({
    row,
    cell: (column) => unguarded(cells[header.get(column) ?? -1] ?? "").trim(),
    wrong: (column, msg, type = "value_error") => issues.push({ loc: ["file", row, column], msg, type }),
  });
  return { issues, value };
}

/** Normalised, or null for what is no address. `calling_code`: of numbers without their country. */
export const readAddress = (text: string, calling_code: string | null): string | null =>
  text.includes("@") ? normaliseEmail(text) : normalisePhone(text, calling_code);

export const ADDRESS_FAULT = "Input should be an e-mail address or a telephone number in E.164 format";
export const ADDRESS_EXAMPLE = `${ADDRESS_FAULT}, such as +15125551234`;

export const isOneOf = <T extends string>(values: readonly T[], value: string): value is T =>
  (values as readonly string[]).includes(value);

/** null where nothing is said, undefined where it is no moment. Without an offset it is UTC, as in the API. */
export const readInstant = (text: string): string | null | undefined =>
  text === "" ? null : parseTimestamp(text)?.toISOString();
