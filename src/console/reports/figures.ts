import type { DashboardData } from "../api-types.ts";
import { counted } from "../parts/counted.ts";

/** A table of a dashboard: column names and rows of cells. */
export type FigureTable = DashboardData["by_day"];
export type Cell = string | number | null;

/** A column is numeric if one of its cells is a number. */
export const isNumeric = ({ rows }: FigureTable, column: number): boolean =>
  rows.some((row) => typeof row[column] === "number");

/** Formats a count, a percentage or a duration; a dash where there was nothing to count. */
export function spelled({ value, unit }: DashboardData["numbers"][number]): string {
  if (value === null) return "–";
  const text = value.toLocaleString("en");
  if (unit === "percent") return `${text} %`;
  return unit === "seconds" ? `${text} s` : text;
}

/** One bar of a chart: its label and value; `text`: the value with its unit. */
export type Bar = { name: string; value: number; text?: string };

/** The column whose numbers are identifiers, not counts. */
const NO_COUNT = "Version";

/**
 * The bars of a table: each row's text and first number. Null where a chart would say nothing: no rows, one row, more
 * rows than fit, or no numeric column.
 */
export function barsOf(table: FigureTable, most = 15): { bars: Bar[]; of: string } | null {
  const counts = table.columns.map((name, column) => name !== NO_COUNT && isNumeric(table, column));
  const at = counts.indexOf(true);
  const names = counts.flatMap((isCount, column) => (isCount ? [] : [column]));
  if (at < 0 || names.length === 0 || table.rows.length < 2 || table.rows.length > most) return null;
  const bars = table.rows.map((row) => ({
    name: names
      .map((column) => row[column])
      .filter((part) => part !== null && part !== undefined && part !== "")
      .join(", "),
    value: Number(row[at] ?? 0),
  }));
  return { bars, of: table.columns[at] ?? "" };
}

/** Text alternative of a chart by day. */
export function courseWords({ columns, rows }: FigureTable): string {
  const sums = columns
    .slice(1)
    .map((kind, index) => `${kind}: ${totalOf(rows.map((row) => row[index + 1]))}`);
  const busiest = rows.toSorted((one, other) => totalOf(other.slice(1)) - totalOf(one.slice(1)))[0];
  const most = busiest ? `. Most on ${busiest[0]}: ${totalOf(busiest.slice(1))}` : "";
  return `By day, ${counted(rows.length, "day")}. ${sums.join(", ")}${most}`;
}

const totalOf = (cells: (Cell | undefined)[]): number =>
  cells.reduce<number>((sum, cell) => sum + (typeof cell === "number" ? cell : 0), 0);

/** A table as a CSV file, byte for byte as the program writes one (`src/base/csv.ts`): a test compares them. */
export const csvOf = ({ columns, rows }: FigureTable): string =>
  `\uFEFF${[columns, ...rows].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("")}`;

/** An apostrophe keeps a spreadsheet from running a cell as a formula. */
function csvCell(value: Cell): string {
  const text = value === null ? "" : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Telephone numbers and plain numbers begin like formulas and are none. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
