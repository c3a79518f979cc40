import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { OverviewFigure } from "../api-types.ts";
import { figureText, METRIC_WORDS, sessionsLink } from "../boards/metric-words.ts";
import { RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { useZone } from "../time/zone.ts";
import classes from "./figure-strip.module.css";
import { againstBefore, dayWords, trendPath } from "./trend.ts";

const REFRESH_MS = 60_000;
const FIGURES = 5;

/** The figures of the last seven days, each with its days as a line and its difference to the seven days before. */
export function FigureStrip() {
  const timezone = useZone();
  const overview = useQuery({
    queryKey: ["overview", timezone],
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call("GET /api/v1/boards/overview", { query: { timezone }, signal }),
  });
  // Without figures the rest of the page is as useful; the boards say what is in the way.
  if (overview.isError && !overview.data) return null;
  return (
    <section aria-label="Last 7 days" aria-busy={overview.isPending || undefined}>
      <ul className={classes.strip}>
        {overview.data
          ? overview.data.figures.map((figure) => <Figure key={figure.metric} figure={figure} />)
          : Array.from({ length: FIGURES }, (_, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: places that are alike
              <li key={n} className={`${classes.figure} ${classes.coming}`}>
                <Skeleton h="6.5rem" />
              </li>
            ))}
      </ul>
    </section>
  );
}

function Figure({ figure: { metric, unit, total, by_day, problem } }: { figure: OverviewFigure }) {
  const zone = useZone();
  const may = useMay();
  const link = may("sessions_read") && total && total.count > 0 ? sessionsLink(total.search, zone) : null;
  const text = figureText(total?.value ?? null, unit);
  const change = total ? againstBefore(total, unit) : null;
  return (
    <li className={classes.figure}>
      <span className={classes.name}>{metric === "latency_p95" ? "Latency, p95" : METRIC_WORDS[metric]}</span>
      <span className={classes.value}>{link ? <RouteLink to={link}>{text}</RouteLink> : text}</span>
      <span className={classes.change} title={problem ?? undefined}>
        {problem ? "Too much to count" : (change ?? "Nothing to compare with yet")}
      </span>
      <span className="sr-only">{dayWords(by_day, unit)}</span>
      <svg className={classes.trend} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
        <path d={trendPath(by_day)} vectorEffect="non-scaling-stroke" />
      </svg>
    </li>
  );
}
