import type { FigureTotal, OverviewFigure } from "../api-types.ts";
import { figureText } from "../boards/metric-words.ts";

/** A figure's days as a line and in words; pure. */

type Days = OverviewFigure["by_day"];
type Unit = OverviewFigure["unit"];

const WIDE = 100;
const HIGH = 24;
/** So that the line's width is inside of the picture at its highest and lowest. */
const EDGE = 2;
const DASH = 4;

/** The path of a line in a picture of 100 by 24, from nothing at the bottom to the highest day; a day without a figure breaks it. */
export function trendPath(days: Days): string {
  const highest = Math.max(0, ...days.map((value) => value ?? 0));
  const step = days.length > 1 ? WIDE / (days.length - 1) : 0;
  let path = "";
  for (const [n, value] of days.entries()) {
    if (value === null) continue;
    const y = HIGH - EDGE - (highest === 0 ? 0 : (value / highest) * (HIGH - 2 * EDGE));
    const isNext = n > 0 && days[n - 1] !== null && days[n - 1] !== undefined;
    path += `${isNext ? "L" : "M"}${round(n * step)} ${round(y)}`;
    // A day alone is a dash: a point is too small to be seen.
    if (!isNext && (days[n + 1] ?? null) === null) path += n === 0 ? `h${DASH}` : `h-${DASH}`;
  }
  return path;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** "+12 % vs the previous 7 days"; null where there was nothing then. Shares differ by points. */
export function againstBefore({ value, before, change }: FigureTotal, unit: Unit): string | null {
  if (value === null || before === null) return null;
  if (unit === "percent") return difference(Math.round((value - before) * 1_000) / 10, "points");
  return change === null ? null : difference(Math.round(change * 100), "%");
}

const difference = (by: number, of: string): string =>
  by === 0
    ? "Same as the previous 7 days"
    : `${by > 0 ? "+" : "−"}${Math.abs(by).toLocaleString("en")} ${of} vs the previous 7 days`;

/** The line in words, for who can't see it. */
export const dayWords = (days: Days, unit: Unit): string =>
  `By day, until today: ${days.map((value) => (value === null ? "none" : figureText(value, unit))).join(", ")}.`;
