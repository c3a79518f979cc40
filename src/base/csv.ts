import Papa from "papaparse";
import { type InvalidInput, invalid } from "./errors.ts";

/**
 * The rows of a CSV file (RFC 4180, any line endings, separated as its header is) as its text comes in, in pieces of many rows.
 * Errors are reported at ["file", row, column], numbered as spreadsheets show them: the header is row 1.
 */
export class CsvReader {
  #max_row_chars: number;
  /** null: until the header is whole. */
  #separator: Separator | null = null;
  /** Begins a row, and ends none as far as it was looked at. */
  #text = "";
  #looked_at = 0;
  #rows = 0;

  /** `max_row_chars`: bounds what a quote that is never closed can make us hold. */
  constructor(max_row_chars: number) {
    this.#max_row_chars = max_row_chars;
  }

  /** The rows that are complete now. A long one that comes in bits is looked at each time it has doubled, not for each. */
  push(text: string): string[][] {
    this.#text += text;
    return this.#text.length < 2 * this.#looked_at ? [] : this.#take(false);
  }

  /** The rest, whose last row needs no line ending. */
  end(): string[][] {
    if (this.#text.endsWith("\r")) this.#text += "\n";
    return this.#take(true);
  }

  #take(isEnd: boolean): string[][] {
    this.#separator ??= separatorOf(this.#text, isEnd);
    if (this.#separator !== null) this.#text = withLineFeeds(this.#text, this.#separator);
    if (this.#text === "") return [];
    const { data, errors, meta } = this.#separator === null ? NOTHING : this.#parse(this.#text, !isEnd);
    for (const { code, row = 0, index = 0 } of errors) {
      // More text may still mend the last row.
      if (row < data.length) throw this.#unreadable(SENTENCES[code] ?? code, this.#text.slice(0, index));
    }
    // At the end papaparse takes the empty line behind the last line feed for a row.
    if (isEnd && this.#text.endsWith("\n")) data.pop();
    const rest = isEnd ? "" : this.#text.slice(meta.cursor);
    if (rest.length > this.#max_row_chars) {
      this.#rows += data.length;
      throw this.#unreadable(`Row is longer than ${this.#max_row_chars} bytes. Is a quote not closed?`, rest);
    }
    this.#rows += data.length;
    this.#text = rest;
    this.#looked_at = rest.length;
    return data;
  }

  #parse(text: string, ignoreLastRow: boolean): Papa.ParseResult<string[]> {
    return new Papa.Parser({ newline: "\n", delimiter: this.#separator ?? "," }).parse(
      text,
      0,
      ignoreLastRow,
    );
  }

  /** `until`: what stands before the place, from the beginning of a row. */
  #unreadable(msg: string, until: string): InvalidInput {
    const { data } = this.#parse(until, false);
    return invalid(["file", this.#rows + data.length, data.at(-1)?.length ?? 1], msg, "csv_invalid");
  }
}

const SENTENCES: Record<string, string> = {
  MissingQuotes: "A quote is opened here and never closed",
  InvalidQuotes: "Text follows a closing quote. A quote inside a quoted cell must be doubled",
};

const NOTHING = { data: [], errors: [], meta: { cursor: 0 } };

type Separator = "," | ";" | "\t";

/**
 * What separates the columns, by the header, which is the first line with anything in it: a comma, or what spreadsheets write where
 * a comma is the decimal mark, if the header has more of that. A comma before a blank is counted as part of a name, such as
 * `Name, first name`. null: the header may go on.
 */
export function separatorOf(text: string, isWhole: true): Separator;
export function separatorOf(text: string, isWhole: boolean): Separator | null;
export function separatorOf(text: string, isWhole: boolean): Separator | null {
  const at = text.search(/[^\s;]/);
  const begins = Math.max(text.lastIndexOf("\n", at), text.lastIndexOf("\r", at)) + 1;
  const { isEnded, first, commas, others } = separatorsOfLine(text, begins);
  if ((at === -1 || !isEnded) && !isWhole) return null;
  return first && others[first] > commas ? first : ",";
}

type LineSeparators = {
  isEnded: boolean;
  /** Which of the others comes first. */
  first: Exclude<Separator, ","> | null;
  commas: number;
  others: Record<Exclude<Separator, ",">, number>;
};

/** Counts character by character, so that a header of a million columns doesn't make a million strings. Quoted cells are skipped. */
function separatorsOfLine(text: string, begins: number): LineSeparators {
  const found: LineSeparators = { isEnded: false, first: null, commas: 0, others: { ";": 0, "\t": 0 } };
  let isCellBegun = false;
  for (let i = begins; i < text.length; i++) {
    const sign = text[i];
    if (sign === '"' && !isCellBegun) i = quoteEnd(text, i);
    else if (sign === "," && text[i + 1] !== " ") found.commas++;
    else if (sign === ";" || sign === "\t") {
      found.first ??= sign;
      found.others[sign]++;
    } else if (sign === "\n" || sign === "\r") return { ...found, isEnded: true };
    isCellBegun = sign !== "," && sign !== ";" && sign !== "\t";
  }
  return found;
}

/** Where the quote that is opened at `begins` is closed; behind the text where it isn't. A doubled quote closes none. */
function quoteEnd(text: string, begins: number): number {
  let end = text.indexOf('"', begins + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end < 0 ? text.length : end;
}

/** From a quote that begins a cell: another one is a letter, such as the sign of inches. */
const quotedCell = (separators: string): string =>
  String.raw`(?<![^${separators}\n\r])"[^"]*(?:""[^"]*)*(?:"|$)`;

/** Quoted cells stay as they are; a carriage return at the very end may be half of an ending. */
const withLineFeeds = (text: string, separator: Separator): string =>
  text.includes("\r")
    ? text.replace(cellOrEnding(separator), (found) => (found[0] === '"' ? found : "\n"))
    : text;

const cellOrEnding = (separator: Separator): RegExp =>
  new RegExp(String.raw`${quotedCell(separator)}|\r\n|\r(?!$)`, "g");

/** PostgreSQL can't store it. */
const NUL = "\0";
/** What a decoder puts in place of bytes that are no UTF-8; in a file that is UTF-8 somebody wrote it. */
const REPLACEMENT = "\uFFFD";

/**
 * The same for a stream of bytes; a byte order mark is passed over. Text that is not UTF-8 or has a NUL is refused, its
 * column by the name it has in the first row that is not blank.
 */
export async function* readCsvRows(
  file: AsyncIterable<Uint8Array>,
  max_row_chars: number,
): AsyncGenerator<string[][]> {
  const reader = new CsvReader(max_row_chars);
  const decode = csvDecoder();
  let header: string[] | undefined;
  let count = 0;
  const faults = new Set<string>();
  const readable = (rows: string[][]): string[][] => {
    header ??= rows.find((cells) => cells.some((cell) => cell.trim() !== ""));
    if (faults.size > 0) refuseUnreadable(rows, count, header, [...faults]);
    count += rows.length;
    return rows;
  };
  let isBegun = false;
  const push = (bytes?: Uint8Array): string[][] => {
    const { text, is_utf8 } = decode(bytes);
    if (!isBegun) refuseWorkbook(text);
    isBegun = true;
    if (!is_utf8) faults.add(REPLACEMENT);
    if (text.includes(NUL)) faults.add(NUL);
    return reader.push(text);
  };
  for await (const bytes of file) {
    const rows = push(bytes);
    if (rows.length > 0) yield readable(rows);
  }
  yield readable([...push(), ...reader.end()]);
}

/** As ZIP files begin, and so what spreadsheets save when they aren't asked for CSV. */
const ZIP = "PK\u0003\u0004";

export function refuseWorkbook(beginning: string): void {
  if (beginning.startsWith(ZIP))
    throw invalid(["file"], "The file is a workbook. Save it as CSV UTF-8", "csv_invalid");
}

/** Decodes piece by piece, without bytes to the end, and knows whether all of it was UTF-8 so far. */
function csvDecoder(): (bytes?: Uint8Array) => { text: string; is_utf8: boolean } {
  const decoder = new TextDecoder();
  const strict = new TextDecoder("utf-8", { fatal: true });
  let is_utf8 = true;
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: bytes !== undefined });
    try {
      if (is_utf8) strict.decode(bytes, { stream: bytes !== undefined });
    } catch {
      is_utf8 = false;
    }
    return { text, is_utf8 };
  };
}

function refuseUnreadable(
  rows: string[][],
  before: number,
  header: string[] | undefined,
  faults: string[],
): void {
  for (const [position, cells] of rows.entries()) {
    const index = cells.findIndex((cell) => faults.some((fault) => cell.includes(fault)));
    if (index < 0) continue;
    const column = (cells !== header && header?.[index]?.trim()) || index + 1;
    const msg = cells[index]?.includes(NUL)
      ? "Text contains a NUL character. Remove it, or save the file as CSV UTF-8"
      : "Text is not UTF-8. Save the file as CSV UTF-8";
    throw invalid(["file", before + position + 1, column], msg, "string_unicode");
  }
}

const SEPARATORS = [
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "bars"],
] as const;

/**
 * For a header that lacks columns. If another separator divides them, or a comma among the separators, the error says so
 * instead of naming missing or unknown columns.
 */
export function refuseSeparator(header: string[], isColumn: (cell: string) => boolean, row: number): void {
  for (const [mark, name] of SEPARATORS) {
    const parts = header.join(",").split(mark);
    if (parts.length < 2 || !parts.some((cell) => isColumn(cell.trim()))) continue;
    const msg = `Columns are separated by ${name}. Save the file as CSV with commas between the columns`;
    throw invalid(["file", row], msg, "csv_invalid");
  }
}

/** What a spreadsheet could run as a formula; also behind apostrophes, so that a guarded cell can be told from a text. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Telephone numbers and plain numbers begin like formulas and are none. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** The names of the columns, behind the byte order mark without which Excel reads UTF-8 as another encoding. */
export const csvHead = (columns: readonly string[]): string => `\uFEFF${csvLine(columns)}`;

/** One row of any CSV that we write. What people wrote must not run where somebody opens it: an apostrophe makes it text. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(value: unknown): string {
  const text = value == null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  // Marks that separate elsewhere are quoted, too, so that a header with them is not taken for one that they separate.
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A cell as it was before `csvLine` guarded it. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
