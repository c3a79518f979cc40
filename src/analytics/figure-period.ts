import { z } from "zod";
import { timezone } from "../agents/agent-input.ts";
import { integer, localTimestamp, parseTimestamp } from "../api/schema.ts";
import { invalid } from "../base/errors.ts";
import type { SplitBy } from "./metric.ts";
import { type FigureSpan, MOST_POINTS } from "./read-figures.ts";

export const MOST_DAYS = 366;

/** Which time is counted: the last days up to now, or from one instant to another. As a query; in a body, `FigurePeriod`. */
export const periodQuery = z.strictObject({
  last_days: integer({ min: 1, max: MOST_DAYS }).nullish().describe("Whole days, today included."),
  start_datetime: localTimestamp().nullish(),
  end_datetime: localTimestamp().nullish(),
  timezone: timezone.default("UTC").describe("Of days, and of times without an offset."),
});
export const FigurePeriod = periodQuery.meta({ id: "FigurePeriod" });
export type FigurePeriod = z.infer<typeof FigurePeriod>;

/** A span and the one before it, which is as long by the calendar. */
export type Spans = { now: FigureSpan; before: FigureSpan; timezone: string };

const instant = (at: Date) => Temporal.Instant.from(at.toISOString());
const date = (at: { epochMilliseconds: number }) => new Date(at.epochMilliseconds);

/** Throws where the period is empty or too long. `place`: where it is in the request. */
export function spansOf(period: FigurePeriod, days: number, now: Date, place: string[]): Spans {
  const { timezone } = period;
  if (!period.start_datetime) {
    if (period.end_datetime)
      throw invalid([...place, "start_datetime"], "Give a start_datetime too", "missing");
    const count = period.last_days ?? days;
    const end = instant(now).toZonedDateTimeISO(timezone);
    const start = end.subtract({ days: count - 1 }).startOfDay();
    // As far into its last day as this one is.
    const before = {
      from: date(start.subtract({ days: count }).startOfDay()),
      to: date(end.subtract({ days: count })),
    };
    return { now: { from: date(start), to: now }, before, timezone };
  }
  const at = (text: string) => parseTimestamp(text, timezone) as Date;
  const from = at(period.start_datetime);
  const to = period.end_datetime ? at(period.end_datetime) : now;
  const long_ms = to.getTime() - from.getTime();
  if (long_ms <= 0) throw invalid([...place, "end_datetime"], "The end has to be after the start");
  if (long_ms > MOST_DAYS * 86_400_000)
    throw invalid([...place, "start_datetime"], `Choose ${MOST_DAYS} days at most`);
  const start = instant(from).toZonedDateTimeISO(timezone);
  const before = asLongBefore(start, instant(to).toZonedDateTimeISO(timezone));
  return { now: { from, to }, before: { from: date(before), to: from }, timezone };
}

/** By the calendar: a week before a change of clocks has seven whole days, too, so the first is compared with the first. */
function asLongBefore(start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const isMidnight = (at: Temporal.ZonedDateTime) => at.equals(at.startOfDay());
  if (!isMidnight(start) || !isMidnight(end)) return start.subtract(start.until(end, { largestUnit: "day" }));
  const first = start.toPlainDate();
  return first.subtract(first.until(end.toPlainDate())).toZonedDateTime(start.timeZoneId);
}

/** When each hour or day of a span begins; null: more than a chart shows. Not split by time: its beginning only. */
export function startsOf({ from, to }: FigureSpan, timezone: string, by: SplitBy): Date[] | null {
  if (by !== "day" && by !== "hour") return [from];
  const starts = [from];
  const begin = instant(from).toZonedDateTimeISO(timezone);
  // The clocks may skip a midnight: its day begins later, and the one after it at midnight again.
  const after = (at: Temporal.ZonedDateTime) =>
    by === "day"
      ? at.add({ days: 1 }).startOfDay()
      : at.round({ smallestUnit: "hour", roundingMode: "floor" }).add({ hours: 1 });
  let next = after(begin);
  while (next.epochMilliseconds < to.getTime()) {
    if (starts.length === MOST_POINTS) return null;
    starts.push(date(next));
    next = after(next);
  }
  return starts;
}
