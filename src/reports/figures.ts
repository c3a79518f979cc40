import { type RawBuilder, sql } from "kysely";
import { z } from "zod";

/** What a dashboard shows: a few numbers, a course by day, tables. */
const Table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});
export type Table = z.infer<typeof Table>;

export const Figures = z.object({
  numbers: z.array(
    z.object({
      name: z.string(),
      value: z.number().nullable().describe("null where there is nothing to count"),
      unit: z.enum(["count", "seconds", "percent"]),
    }),
  ),
  by_day: Table,
  tables: z.array(Table),
});
export type Figures = z.infer<typeof Figures>;

/** Whole days of a time zone, the last one unfinished. */
export type Period = {
  sub_organization_id: number;
  /** YYYY-MM-DD, the first to the last, and when each begins. */
  days: string[];
  starts: Date[];
  to: Date;
  /** Whether insights count that the offline model made up: they are no analysis. */
  with_scripted: boolean;
};

export function lastDays(
  now: Date,
  count: number,
  timezone: string,
  sub_organization_id: number,
  with_scripted: boolean,
): Period {
  const today = Temporal.Instant.from(now.toISOString()).toZonedDateTimeISO(timezone).toPlainDate();
  const days = Array.from({ length: count }, (_, index) => today.subtract({ days: count - 1 - index }));
  return {
    sub_organization_id,
    days: days.map(String),
    starts: days.map((day) => new Date(day.toZonedDateTime(timezone).epochMilliseconds)),
    to: now,
    with_scripted,
  };
}

/** How the agent of the sessions `s` is called now: grouped by its number, it is one row under all the names it had. */
export const AGENT_NAME = sql<string>`coalesce((select a.name from agents a where a.id = s.agent_id), min(s.agent_name))`;

/** Which of the period's days a time falls on, from 1. The days begin where we say: PostgreSQL may know other time zones. */
export const dayOf = (column: string, period: Period): RawBuilder<number> =>
  sql<number>`width_bucket(${sql.ref(column)}, ${period.starts.map((start) => start.toISOString())}::timestamptz[])`;

export const within = (column: string, period: Period): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} >= ${period.starts[0]?.toISOString()}::timestamptz
    and ${sql.ref(column)} <= ${period.to.toISOString()}::timestamptz)`;

/** How often something of a kind happened on a day of the period. */
export type DayCount = { day: number; kind: string; count: number };

/** Counts by day and kind as a table with a column a kind and a row a day, those without any among them. */
export function byDay(
  period: Period,
  counts: DayCount[],
  kinds: string[] = [...new Set(counts.map(({ kind }) => kind))].toSorted(),
): Table {
  const found = new Map(counts.map(({ day, kind, count }) => [`${day} ${kind}`, count]));
  const rows = period.days.map((day, index) => [
    day,
    ...kinds.map((kind) => found.get(`${index + 1} ${kind}`) ?? 0),
  ]);
  return { name: "By day", columns: ["Day", ...kinds], rows };
}

/** Rows of objects as a table; the columns are called as the statement called them. */
export const table = <Row extends Record<string, string | number | null>>(
  name: string,
  columns: (keyof Row & string)[],
  rows: Row[],
): Table => ({ name, columns, rows: rows.map((row) => columns.map((column) => row[column] ?? null)) });

/** The sum over all groups, also those that a limit leaves out of the table. Over nothing there is no row. */
export const overall = (sum: RawBuilder<unknown>): RawBuilder<unknown> => sql`sum(${sum}) over ()`;

export const percent = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1000) / 10;
