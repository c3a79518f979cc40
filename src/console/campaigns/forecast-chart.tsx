import { BarChart } from "@mantine/charts";
import "@mantine/charts/styles.css";
import classes from "../outbound/outbound.module.css";
import { counted } from "../parts/counted.ts";
import type { Bar } from "./forecast-bars.ts";

const HATCHED = "forecast-hatched";
const CHART_px = 280;

/** Attempts as bars: first attempts solid, retries hatched above them, so that colour is not needed. */
export default function ForecastChart({ bars }: { bars: Bar[] }) {
  return (
    <figure style={{ margin: 0 }}>
      <div className={classes.legend} aria-hidden>
        <span>
          <i data-kind="full" /> First attempts
        </span>
        <span>
          <i data-kind="hatched" /> Retries
        </span>
      </div>
      <BarChart
        h={CHART_px}
        data={bars}
        dataKey="name"
        type="stacked"
        series={[
          { name: "First attempts", color: "ink.5" },
          { name: "Retries", color: "ink.5" },
        ]}
        barProps={({ name }) => (name === "Retries" ? { fill: `url(#${HATCHED})`, stroke: COLOUR } : {})}
        xAxisProps={{ tickFormatter: (name: string) => name.replace(/ \d{4}/, "") }}
        gridAxis="x"
        tickLine="none"
        maxBarWidth={48}
        barChartProps={{ accessibilityLayer: false, tabIndex: -1 }}
        aria-hidden
      >
        <defs>
          <pattern
            id={HATCHED}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="6" height="6" fill="var(--mantine-color-body)" />
            <rect width="3" height="6" fill={COLOUR} />
          </pattern>
        </defs>
      </BarChart>
      <figcaption className="sr-only">
        {counted(bars.length, "bar")}, from {bars[0]?.name} to {bars.at(-1)?.name}. The table says the same in
        numbers.
      </figcaption>
    </figure>
  );
}

const COLOUR = "var(--mantine-color-ink-5)";
