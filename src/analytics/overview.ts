import { z } from "zod";
import { timezone } from "../agents/agent-input.ts";
import type { Caller } from "../api/caller.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type Spans, spansOf } from "./figure-period.ts";
import type { MetricName } from "./metric.ts";
import { BoardTile } from "./tile.ts";
import { FigureTotal, type TileFigures } from "./tile-figures.ts";

/** The days of the overview, today included. */
const DAYS = 7;
/** What an operator looks at first: how much there was, what went wrong, how quick it was and what it cost. */
const SHOWN: MetricName[] = ["sessions", "hand_overs", "errors", "latency_p95", "cost"];

const OverviewFigure = z
  .object({
    metric: z.enum(SHOWN),
    unit: z.enum(["count", "percent", "seconds", "milliseconds", "usd"]),
    total: FigureTotal.nullable(),
    by_day: z.array(z.number().nullable()).describe("The oldest first; null: nothing to count."),
    problem: z.string().nullable().describe("Why there are no figures."),
  })
  .meta({ id: "OverviewFigure" });
const Overview = z
  .object({
    start_datetime: timestamp(),
    end_datetime: timestamp(),
    figures: z.array(OverviewFigure),
  })
  .meta({ id: "Overview" });

type FiguresOf = (caller: Caller, tile: BoardTile, spans: Spans) => Promise<TileFigures>;

export function overviewRoute(api: Api, { clock, figuresOf }: { clock: Clock; figuresOf: FiguresOf }): void {
  api.get(
    "/api/v1/boards/overview",
    {
      summary: "Get the figures of the last seven days",
      description: "Each day by day, and compared with the seven days before. Test sessions don't count.",
      tag: "boards",
      permission: "reports_read",
      query: z.object({ timezone: timezone.default("UTC").describe("Where days begin.") }),
      response: Overview,
    },
    async ({ caller, query }) => {
      const spans = spansOf({ last_days: DAYS, timezone: query.timezone }, DAYS, clock.now(), ["query"]);
      const figures: z.infer<typeof OverviewFigure>[] = [];
      // One after the other, so that the page takes one connection.
      for (const metric of SHOWN) {
        const tile = BoardTile.parse({ metric: { name: metric }, split: { by: "day" }, compare: "before" });
        const { unit, total, points, problem } = await figuresOf(caller, tile, spans);
        figures.push({ metric, unit, total, by_day: points.map(({ value }) => value), problem });
      }
      const { from, to } = spans.now;
      return { start_datetime: from.toISOString(), end_datetime: to.toISOString(), figures };
    },
  );
}
