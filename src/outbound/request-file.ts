import { pipeline, type Readable } from "node:stream";
import { CsvError, type Options, parse } from "csv-parse";
import { InvalidInput, invalid } from "../base/errors.ts";
import { MAX_REFERENCE } from "./batch-schema.ts";

/**
 * A file of requests: CSV with the columns reference_id and target, in any order and case; every other column is a
 * variable of the request. What is wrong with the file is told at ["file", row, column], rows as spreadsheets number
 * them (the header is 1), and ends the reading; what is wrong with a target only makes that request INVALID.
 */
export type FileRow = { reference_id: string; target: string; request_variables: string };

export const MAX_ROWS = 1_000_000;
export const MAX_FILE_bytes = 200 * 1024 * 1024;
/** Far beyond any row of sense; bounds what a quote that is never closed can make us hold. */
const MAX_ROW_bytes = 100_000;

const PARSING: Options = {
  bom: true,
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  max_record_size: MAX_ROW_bytes,
};

export async function* readRequestFile(file: Readable, progress: { rows: number }): AsyncGenerator<FileRow> {
  // A stream that breaks breaks the parser, and so the loop; one that is left early is let go.
  const records: AsyncIterable<string[]> = pipeline(file, parse(PARSING), () => {});
  let header: Header | undefined;
  let row = 0;
  let rows = 0;
  try {
    for await (const cells of records) {
      row++;
      if (cells.every((cell) => cell === "")) continue;
      if (!header) {
        header = readHeader(cells, row);
        continue;
      }
      if (++rows > MAX_ROWS)
        throw invalid(["file", row], `The file has more than ${MAX_ROWS} rows`, "too_long");
      yield readRow(header, cells, row);
      progress.rows = rows;
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error) : error;
  }
  if (rows === 0) throw invalid(["file"], "The file has no rows below its header", "too_short");
}

export type Header = {
  names: string[];
  reference_id: number;
  target: number;
  /** Where the other columns stand, and their names as JSON keys. */
  variables: { index: number; key: string }[];
};

const REQUIRED = ["reference_id", "target"] as const;
type Required = (typeof REQUIRED)[number];

export function readHeader(cells: string[], row: number): Header {
  const names = cells.map(columnName);
  const problems = [
    ...REQUIRED.filter((name) => !names.includes(name)).map((name) => ({
      loc: ["file", row, name],
      msg: "Column required",
      type: "missing",
    })),
    ...names.flatMap((name, index) => {
      const problem = nameProblem(name, names.indexOf(name) !== index);
      return problem === null
        ? []
        : [{ loc: ["file", row, name || index + 1], msg: problem, type: "value_error" }];
    }),
  ];
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    names,
    reference_id: names.indexOf("reference_id"),
    target: names.indexOf("target"),
    variables: names.flatMap((name, index) =>
      isRequired(name) ? [] : [{ index, key: `${JSON.stringify(name)}:` }],
    ),
  };
}

const isRequired = (name: string): boolean => REQUIRED.includes(name as Required);

/** `First Name` is the variable First_Name; the two columns we know are known in any case. */
function columnName(cell: string): string {
  const name = cell.trim().replaceAll(/\s+/g, "_");
  return isRequired(name.toLowerCase()) ? name.toLowerCase() : name;
}

function nameProblem(name: string, repeated: boolean): string | null {
  if (name === "") return "Column has no name";
  if (repeated) return "Column appears twice";
  return UNREADABLE.test(name) ? NOT_UTF8 : null;
}

/** NUL, which PostgreSQL can't store, and what a decoder puts in place of bytes that are no UTF-8. */
const UNREADABLE = /[\0\uFFFD]/;
const NOT_UTF8 = "Text is not UTF-8. Save the file as CSV UTF-8";

/** Cells that a short row leaves out are empty. */
export function readRow(header: Header, cells: string[], row: number): FileRow {
  if (cells.length > header.names.length) {
    const msg = `Row has ${cells.length} cells, the header ${header.names.length}. Quote cells that hold a comma`;
    throw invalid(["file", row, cells.length], msg);
  }
  for (const [index, cell] of cells.entries()) {
    if (UNREADABLE.test(cell))
      throw invalid(["file", row, header.names[index] as string], NOT_UTF8, "string_unicode");
  }
  const reference_id = (cells[header.reference_id] ?? "").trim();
  if (reference_id === "") throw invalid(["file", row, "reference_id"], "Field required", "missing");
  if (reference_id.length > MAX_REFERENCE) {
    const msg = `String should have at most ${MAX_REFERENCE} characters`;
    throw invalid(["file", row, "reference_id"], msg, "string_too_long");
  }
  const target = (cells[header.target] ?? "").trim();

  let request_variables = "{";
  for (const { index, key } of header.variables) {
    if (request_variables.length > 1) request_variables += ",";
    request_variables += key + JSON.stringify(cells[index] ?? "");
  }
  return { reference_id, target, request_variables: `${request_variables}}` };
}

/** Rows before the broken one may not have come out of the parser, the header among them: the column is a number. */
function unreadable(error: CsvError): InvalidInput {
  const { records, column } = error as CsvError & { records?: number; column?: number };
  const [what = "Invalid CSV"] = error.message.split(":");
  const loc = ["file", (records ?? 0) + 1, (typeof column === "number" ? column : 0) + 1];
  return invalid(loc, SENTENCES[error.code] ?? what, "csv_invalid");
}

const SENTENCES: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: "A quote is opened here and never closed",
  CSV_MAX_RECORD_SIZE: `Row is longer than ${MAX_ROW_bytes} bytes. Is a quote not closed?`,
  INVALID_OPENING_QUOTE: "A cell that holds a quote must be quoted, and the quote doubled",
  CSV_INVALID_CLOSING_QUOTE: "Text follows a closing quote. A quote inside a quoted cell must be doubled",
};

/** For the batch's error_message, which people read without the file's issues beside it. */
export function fileProblem(error: InvalidInput): string {
  const missing = error.issues.filter((issue) => issue.msg === "Column required");
  if (missing.length > 0) return `Missing required fields: ${missing.map(({ loc }) => loc[2]).join(", ")}`;
  return `Invalid file format: ${error.issues.map(({ loc: [, row, column], msg }) => `${placeOf(row, column)}${msg}`).join("; ")}`;
}

function placeOf(row: string | number | undefined, column: string | number | undefined): string {
  if (row === undefined) return "";
  return column === undefined ? `row ${row}: ` : `row ${row}, column ${column}: `;
}
