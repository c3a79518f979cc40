import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { useId } from "@mantine/hooks";
import classes from "./charts.module.css";
import { courseWords, type FigureTable } from "./figures.ts";
import { PATTERN_COUNT, Pattern, patternsOf } from "./pattern.tsx";

/** With more kinds than patterns nobody could tell them apart; the table has all of them. */
const MOST_KINDS = PATTERN_COUNT;

/**
 * Stacked bars by day. Each kind has its own pattern besides its colour. A text alternative describes the chart, and
 * its table is shown beside it.
 */
export function DayChart({
  table,
  height = 220,
  onBar,
}: {
  table: FigureTable;
  height?: number;
  /** A bar was clicked; the table beside the chart has the same as links. */
  onBar?(day: string, kind: string): void;
}) {
  const id = useId().replaceAll(":", "");
  const kinds = table.columns.slice(1, 1 + MOST_KINDS);
  const data = table.rows.map((row) => ({
    day: dayName(String(row[0])),
    // Keyed by number, because a kind's name may collide with a property of Object.
    ...Object.fromEntries(kinds.map((_, kind) => [`k${kind}`, row[kind + 1] ?? 0])),
  }));
  const patterns = patternsOf(kinds);
  if (kinds.length === 0) return null;
  return (
    <div role="img" aria-label={courseWords(table)} className={classes.chart}>
      {kinds.length > 1 && (
        <ul className={classes.legend}>
          {kinds.map((kind, index) => (
            <li key={kind}>
              <svg width="14" height="14" className={classes.swatch}>
                <title>{kind}</title>
                <defs>
                  <Pattern id={`${id}l${index}`} kind={patterns[index] ?? 0} />
                </defs>
                <rect width="14" height="14" fill={`url(#${id}l${index})`} />
              </svg>
              <bdi>{kind}</bdi>
            </li>
          ))}
        </ul>
      )}
      <BarChart
        h={height}
        data={data}
        dataKey="day"
        type="stacked"
        series={kinds.map((kind, index) => ({ name: `k${index}`, label: kind, color: "ink.6" }))}
        barProps={({ name }) => ({
          fill: `url(#${id}${name})`,
          stroke: "var(--mantine-color-body)",
          ...(onBar && {
            cursor: "pointer",
            onClick: (_bar: unknown, index: number) =>
              onBar(String(table.rows[index]?.[0]), kinds[Number(name.slice(1))] ?? ""),
          }),
        })}
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{ width: 44, allowDecimals: false }}
        tickLine="none"
        withTooltip
      >
        <defs>
          {kinds.map((kind, index) => (
            <Pattern key={kind} id={`${id}k${index}`} kind={patterns[index] ?? 0} />
          ))}
        </defs>
      </BarChart>
    </div>
  );
}

/** "2026-11-20" as "20 Nov". */
const dayName = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
