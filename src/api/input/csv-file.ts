import {
  CsvReader,
  csvHead,
  csvLine,
  refuseSeparator,
  refuseWorkbook,
  separatorOf,
  unguarded,
} from "../../base/csv.ts";
import { InvalidInput, invalid } from "../../base/errors.ts";
import { refuseUnstorableText } from "./body.ts";

/** One line of a table; `row` is its number as spreadsheets show it: the header is 1. */
export type CsvRow<Column extends string> = { row: number; cells: Record<Column, string> };

/** What of a form's file is wrong is told at ["file", row, column]. */
type CsvColumns<Column extends string> = { columns: readonly Column[]; required: readonly Column[] };

const MOST_COLUMNS = 100;
const MOST_ROWS = 20_000;
/** How much of a long header is read to find its separator. */
const HEADER_CHARS = 100_000;

/** Counted before anything is read: 5 MB can be five million cells. */
function refuseSize(text: string, columns: number): void {
  const cells = MOST_ROWS * columns;
  const separator = separatorOf(text.slice(0, HEADER_CHARS), true).charCodeAt(0);
  let [rows, separators] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === separator) separators++;
    else if (code === 10 || code === 13) rows++;
    // A line may end in both signs.
    if (separators > cells || rows > 2 * MOST_ROWS)
      throw invalid(
        ["file"],
        `The file has more than ${MOST_ROWS.toLocaleString("en-US")} rows. Send it in parts.`,
      );
  }
}

/**
 * Reads a small table whole. Its columns may stand in any order and be left out unless required; cells that are not
 * there are empty, lines of empty cells are passed over.
 */
export function readCsv<Column extends string>(
  bytes: Buffer,
  { columns, required }: CsvColumns<Column>,
): CsvRow<Column>[] {
  refuseWorkbook(bytes.toString("latin1", 0, 4));
  const text = utf8(bytes);
  refuseSize(text, columns.length);
  const [header = [], ...lines] = records(text);
  // Names are compared with each other.
  if (header.length > MOST_COLUMNS)
    throw invalid(["file", 1], `The header has more than ${MOST_COLUMNS} columns`);
  const names = header.map((cell) => cell.trim());
  const missing = required.filter((column) => !names.includes(column));
  if (missing.length > 0) refuseSeparator(header, (cell) => (columns as readonly string[]).includes(cell), 1);
  const unknown = names.filter((name) => !(columns as readonly string[]).includes(name));
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (missing.length + unknown.length + repeated.length > 0) {
    const columnsAre = `the columns are ${columns.join(", ")}`;
    throw new InvalidInput([
      ...missing.map((column) => at(1, column, "Column required", "missing")),
      ...unknown.map((name) => at(1, name, `Unknown column; ${columnsAre}`, "extra_forbidden")),
      ...repeated.map((name) => at(1, name, "Column appears twice", "value_error")),
    ]);
  }

  const rows: CsvRow<Column>[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.every((cell) => cell.trim() === "")) continue;
    const row = index + 2;
    if (line.length > names.length) {
      throw invalid(["file", row], `Row has ${line.length} cells, the header ${names.length}`);
    }
    const cells = Object.fromEntries(columns.map((column) => [column, ""])) as Record<Column, string>;
    for (const [position, cell] of line.entries()) {
      const column = names[position] as Column;
      refuseUnstorableText(cell, ["file", row, column]);
      cells[column] = unguarded(cell);
    }
    rows.push({ row, cells });
  }
  return rows;
}

/** The same table as a file (RFC 4180). */
export function writeCsv<Column extends string>(
  columns: readonly Column[],
  rows: readonly Record<Column, string>[],
): string {
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column])));
  return csvHead(columns) + lines.join("");
}

const at = (row: number, column: string, msg: string, type: string) => ({
  loc: ["file", row, column],
  msg,
  type,
});

/** The text of a file; bytes that are no text are refused. A mark of the byte order is left out. */
export function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(["file"], "Input should be UTF-8 text", "string_unicode");
  }
}

function records(text: string): string[][] {
  const reader = new CsvReader(text.length);
  return [...reader.push(text), ...reader.end()];
}
