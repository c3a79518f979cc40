import { fieldLabel } from "../server/field-labels.ts";

/**
 * The beginning of a CSV file of people, looked at before it is sent: its columns, its first rows, and what the platform
 * would refuse in them. Columns are renamed by writing another first line; the rest of the file is sent as it is.
 */
export type CsvPreview = {
  columns: string[];
  /** What stands between them, as the server finds it by the header. */
  separator: string;
  /** The rows in the part that was read, without the header. */
  rows: string[][];
  /** The size of everything before the first row, in bytes. */
  header_bytes: number;
  /** The estimated number of rows in the whole file, from the length of those read. */
  estimated_rows: number;
  problem: string | null;
};

/** A file that was moved or locked between being chosen and being read. */
export const UNREADABLE: CsvPreview = {
  columns: [],
  separator: ",",
  rows: [],
  header_bytes: 0,
  estimated_rows: 0,
  problem:
    "The browser can't read this file. Check that it still exists and no other program has it open, then choose it again.",
};

/** Enough for hundreds of rows and small enough to read at once. */
export const PREVIEW_bytes = 256 * 1024;
const BOM = "\uFEFF";

/** `head` are the first bytes of a file of `size` bytes. */
export function previewCsv(head: Uint8Array, size: number): CsvPreview {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(head, { stream: true });
  const isWhole = head.byteLength >= size;
  const csv = text.startsWith(BOM) ? text.slice(1) : text;
  const separator = separatorOf(csv);
  const { records, open } = readRecords(csv, separator, isWhole);
  const filled = records.filter(({ cells }) => cells.some((cell) => cell !== ""));
  const [header, ...rows] = filled;
  if (!header) {
    const problem = open ? "A quote is opened in the first line and never closed" : "The file is empty";
    return { ...UNREADABLE, problem };
  }
  const bytes = (end: number): number =>
    new TextEncoder().encode(text.slice(0, end + (text.startsWith(BOM) ? 1 : 0))).byteLength;
  const header_bytes = bytes(header.end);
  const last = rows.at(-1);
  const seen_bytes = last ? bytes(last.end) - header_bytes : 0;
  return {
    columns: header.cells.map((cell) => cell.trim()),
    separator,
    rows: rows.map(({ cells }) => cells),
    header_bytes,
    estimated_rows:
      isWhole || seen_bytes === 0
        ? rows.length
        : Math.round(((size - header_bytes) / seen_bytes) * rows.length),
    problem: encodingProblem(head, text) ?? layoutProblem(header.cells, rows.length, isWhole),
  };
}

function encodingProblem(head: Uint8Array, text: string): string | null {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
  } catch {
    return "The text is not UTF-8. Save the file as “CSV UTF-8” and choose it again.";
  }
  return text.includes("\0")
    ? "The text contains a NUL character. Remove it, or save the file as “CSV UTF-8”, and choose it again."
    : null;
}

function layoutProblem(header: string[], rows: number, isWhole: boolean): string | null {
  if (header.length === 1 && header[0]?.includes("|"))
    return "The columns are separated by bars. Save the file as CSV with commas and choose it again.";
  if (rows === 0 && isWhole) return "The file has no rows below its header.";
  return null;
}

type Record_ = { cells: string[]; end: number };

/** From a quote that begins a cell: another one is a letter, such as the sign of inches. */
const QUOTED_CELL = /(?<![^,;\t\n\r])"[^"]*(?:""[^"]*)*(?:"|$)/g;

/** By the first line with anything in it, as base/csv.ts decides: what spreadsheets write in a comma's place, if there is more of it. */
function separatorOf(text: string): string {
  const lines = text.replace(QUOTED_CELL, '"').split(/[\r\n]/);
  const header = lines.find((line) => /[^\s;]/.test(line)) ?? lines.at(-1) ?? "";
  const [other] = /[;\t]/.exec(header) ?? [];
  const commas = header.match(/,(?! )/g)?.length ?? 0;
  return other && header.split(other).length - 1 > commas ? other : ",";
}

/** RFC 4180, with any of the three line ends; the last record counts only when it is surely whole. */
function readRecords(
  text: string,
  separator: string,
  isWhole: boolean,
): { records: Record_[]; open: boolean } {
  const records: Record_[] = [];
  let cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) {
      cells.push(cell);
      cell = "";
    } else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text[at + 1] === "\n") at += 1;
      records.push({ cells: [...cells, cell], end: at + 1 });
      cells = [];
      cell = "";
    } else cell += letter;
  }
  if (isWhole && !quoted && (cell !== "" || cells.length > 0))
    records.push({ cells: [...cells, cell], end: text.length });
  return { records, open: quoted };
}

export const REQUIRED_COLUMNS = ["reference_id", "target"] as const;

/** Normalizes a column's name as the server does. */
function columnName(text: string): string {
  const name = text.trim().replaceAll(/\s+/g, "_");
  const lower = name.toLowerCase();
  return (REQUIRED_COLUMNS as readonly string[]).includes(lower) ? lower : name;
}

/** The field of each column: guessed for the two required ones, the others keep their names. */
export function guessColumns(columns: string[]): string[] {
  const names = columns.map(columnName);
  for (const required of REQUIRED_COLUMNS) {
    if (names.includes(required)) continue;
    const found = names.findIndex((name) => LIKELY[required].test(name) && !isRequired(name));
    if (found >= 0) names[found] = required;
  }
  return names;
}
const isRequired = (name: string): boolean => (REQUIRED_COLUMNS as readonly string[]).includes(name);

const LIKELY = {
  reference_id: /^(id|.*_id|reference|ref|patient|customer|key|external.*)$/i,
  target: /^(phone.*|mobile.*|telephone|tel|number|e-?mail.*|to|msisdn|.*phone|.*_email)$/i,
};

/** The error that the server would report for each column's name; "" where it is valid. */
export function columnProblems(names: string[]): string[] {
  return names.map((name, index) => {
    const spelled = columnName(name);
    if (spelled === "") return "A column needs a name";
    return names.map(columnName).indexOf(spelled) === index ? "" : "Another column has this name";
  });
}

export const missingColumns = (names: string[]): string[] =>
  REQUIRED_COLUMNS.filter((required) => !names.map(columnName).includes(required));

/** The file with its header replaced. */
export function renamedCsv(file: File, { header_bytes, separator }: CsvPreview, names: string[]): File {
  const header = `${names.map((name) => quoted(name, separator)).join(separator)}\n`;
  return new File([header, file.slice(header_bytes)], file.name, { type: "text/csv" });
}

/** A comma among other separators would be taken for the one that separates. */
const quoted = (name: string, separator: string): string =>
  /[",\r\n]/.test(name) || name.includes(separator) ? `"${name.replaceAll('"', '""')}"` : name;

/** Row, column and message of an error that the server found in a file, from its `loc`. */
export function rowFault(issue: { loc: (string | number)[]; msg: string }): { place: string; text: string } {
  const [part, row, column] = issue.loc;
  if (part !== "file")
    return { place: fieldLabel(issue.loc.slice(1).join(".")) || "The file", text: issue.msg };
  const place =
    row === undefined ? "The file" : column === undefined ? `Row ${row}` : `Row ${row}, column ${column}`;
  return { place, text: issue.msg };
}
