import type { Readable } from "node:stream";
import { readCsvRows, refuseSeparator } from "../base/csv.ts";
import { type InputIssue, InvalidInput, invalid } from "../base/errors.ts";
import { SEALED_MARK } from "../base/sealed-text.ts";
import { DOT_SEGMENT, isDotSegment, MAX_REFERENCE } from "./batch-schema.ts";
import { type CheckCell, wrongCell } from "./person-column-faults.ts";

/**
 * A file of requests: CSV with the columns reference_id and target, in any order and case; every other column is a variable
 * of the request. A fault has its place as ["file", row, column], rows numbered as in spreadsheets (the header is 1). After
 * the first one nothing more is given out, and the rest is read for its faults alone, so that whoever mends the file does so
 * once. A target that can't be reached only makes its request INVALID.
 */
export type FileRow = { reference_id: string; target: string; request_variables: string };

const MAX_ROWS = 1_000_000;
export const MAX_FILE_bytes = 200 * 1024 * 1024;
/** Far beyond any row of sense. */
const MAX_ROW_chars = 100_000;
/** More than anybody mends by hand; where there are as many, the reading ends. */
const MAX_FAULTS = 20;

/** In pieces of many rows. Leaving early lets the file go. */
export async function* readRequestFile(
  file: Readable,
  progress: { rows: number },
  check: CheckCell = () => null,
): AsyncGenerator<FileRow[]> {
  let header: Header | undefined;
  let row = 0;
  const faults: InputIssue[] = [];
  for await (const records of withFaults(faults, readCsvRows(file, MAX_ROW_chars))) {
    const rows: FileRow[] = [];
    for (const cells of records) {
      row++;
      if (cells.every((cell) => cell === "")) continue;
      if (!header) header = readHeader(cells, row);
      else if (faults.length < MAX_FAULTS) {
        const read = rowOrFaults(header, cells, row, check);
        if (read instanceof InvalidInput) faults.push(...read.issues);
        else rows.push(read);
      }
    }
    progress.rows += rows.length;
    if (progress.rows > MAX_ROWS) {
      throw invalid(["file"], `The file has more than ${MAX_ROWS} rows below its header`, "too_long");
    }
    if (faults.length >= MAX_FAULTS) break;
    if (faults.length === 0) yield rows;
  }
  if (faults.length > 0) throw new InvalidInput(faults);
  if (progress.rows === 0) throw invalid(["file"], "The file has no rows below its header", "too_short");
}

/** What ends the file is told together with what was found before. */
async function* withFaults<T>(faults: readonly InputIssue[], pieces: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* pieces;
  } catch (error) {
    if (faults.length === 0 || !(error instanceof InvalidInput)) throw error;
    throw new InvalidInput([...faults, ...error.issues]);
  }
}

function rowOrFaults(header: Header, cells: string[], row: number, check: CheckCell): FileRow | InvalidInput {
  try {
    return readRow(header, cells, row, check);
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
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

function readHeader(cells: string[], row: number): Header {
  const names = cells.map(columnName);
  if (!REQUIRED.every((name) => names.includes(name)))
    refuseSeparator(cells, (cell) => isRequired(columnName(cell)), row);
  // A header has room for 30,000 names; each looked for among all would take seconds.
  const first = new Map(names.map((name, index) => [name, index] as const).toReversed());
  const problems = [
    ...REQUIRED.filter((name) => !names.includes(name)).map((name) => ({
      loc: ["file", row, name],
      msg: "Column required",
      type: "missing",
    })),
    ...names.flatMap((name, index) => {
      const problem = nameProblem(name, first.get(name) !== index);
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
  return repeated ? "Column appears twice" : null;
}

/** Cells that a short row leaves out are empty. */
function readRow(header: Header, cells: string[], row: number, check: CheckCell = () => null): FileRow {
  if (cells.length > header.names.length) {
    const msg = `Row has ${cells.length} cells, the header ${header.names.length}. Quote cells that contain the separator`;
    throw invalid(["file", row, cells.length], msg);
  }
  refuseSealed(header, cells, row);
  const reference_id = (cells[header.reference_id] ?? "").trim();
  if (reference_id === "") throw invalid(["file", row, "reference_id"], "Field required", "missing");
  if (reference_id.length > MAX_REFERENCE) {
    const msg = `String should have at most ${MAX_REFERENCE} characters`;
    throw invalid(["file", row, "reference_id"], msg, "string_too_long");
  }
  if (isDotSegment(reference_id)) throw invalid(["file", row, "reference_id"], DOT_SEGMENT);
  const target = (cells[header.target] ?? "").trim();

  let request_variables = "{";
  for (const { index, key } of header.variables) {
    const msg = check(header.names[index] as string, cells[index] ?? "");
    if (msg !== null) throw wrongCell(row, header.names[index] as string, msg);
    if (request_variables.length > 1) request_variables += ",";
    request_variables += key + JSON.stringify(cells[index] ?? "");
  }
  return { reference_id, target, request_variables: `${request_variables}}` };
}

/** Who has a copy of the database could have its values opened by this file, as by any other text (`api/input/body.ts`). */
function refuseSealed({ names }: Header, cells: string[], row: number): void {
  const index = cells.findIndex((cell) => cell.includes(SEALED_MARK));
  if (index < 0) return;
  const msg = `String should not contain "${SEALED_MARK}", which begins sealed values`;
  throw invalid(["file", row, names[index] as string], msg, "value_error");
}

const MAX_TOLD = 5;

/** For the batch's error_message, which people read without the file's issues beside it. */
export function fileProblem(error: InvalidInput): string {
  const missing = error.issues.filter((issue) => issue.msg === "Column required");
  if (missing.length > 0) return `Missing required fields: ${missing.map(({ loc }) => loc[2]).join(", ")}`;
  const told = error.issues
    .slice(0, MAX_TOLD)
    .map(({ loc: [, row, column], msg }) => `${placeOf(row, column)}${msg}`);
  const more = error.issues.length - told.length;
  return `Invalid file format: ${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function placeOf(row: string | number | undefined, column: string | number | undefined): string {
  if (row === undefined) return "";
  return column === undefined ? `row ${row}: ` : `row ${row}, column ${column}: `;
}
