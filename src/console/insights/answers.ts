import type { Bar, FigureTable } from "../reports/figures.ts";

const named = (tables: FigureTable[], name: string): FigureTable =>
  tables.find((table) => table.name === name) ?? { name, columns: [], rows: [] };

const column = (table: FigureTable, name: string): number => table.columns.indexOf(name);

/** Every insight that the dashboard counts, the most frequent first. */
export function keysOf(tables: FigureTable[]): string[] {
  const table = named(tables, "By insight");
  return table.rows.map((row) => String(row[column(table, "Insight")]));
}

export type Answers = {
  /** How often each short answer was given. */
  bars: Bar[];
  /** The range of numbers; null where the bars show everything. */
  numbers: string | null;
  /** The same by agent and version of its prompt. */
  byVersion: FigureTable;
};

/** The figures of one insight on the insights dashboard. */
export function answersOf(tables: FigureTable[], key: string): Answers {
  const values = named(tables, "Values");
  const bars = values.rows
    .filter((row) => row[column(values, "Insight")] === key)
    .map((row) => ({
      name: String(row[column(values, "Value")] ?? ""),
      value: Number(row[column(values, "Outputs")] ?? 0),
    }));

  const all = named(tables, "By insight");
  const own = all.rows.find((row) => row[column(all, "Insight")] === key);
  const of = (name: string) => own?.[column(all, name)] ?? null;
  const numbers =
    of("Mean") === null || bars.length > 0
      ? null
      : `${of("Outputs")} answers, ${of("Mean")} on average, from ${of("Lowest")} to ${of("Highest")}.`;

  const versions = named(tables, "By agent and prompt version");
  const at = column(versions, "Insight");
  const without = <T>(row: T[]): T[] => row.filter((_, index) => index !== at);
  const byVersion = {
    name: `${key} by agent and version of its prompt`,
    columns: without(versions.columns),
    rows: versions.rows.filter((row) => row[at] === key).map((row) => without(row)),
  };
  return { bars, numbers, byVersion };
}
