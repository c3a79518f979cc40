import type { Db } from "../db/database.ts";
import type { AlertFigure } from "./alert-judge.ts";
import type { Searched } from "./fact-filters.ts";
import { type FigureMetric, ruleOf } from "./metric.ts";
import { type FigureRow, readFigures } from "./read-figures.ts";

export type WatchedFigure = Searched & { tenant: number; metric: FigureMetric; window_minutes: number };

/** The figures of as many windows, one after the other, the last of which ends at `to`. Sessions count by when they ended. */
export async function windowFigures(
  db: Db,
  watched: WatchedFigure,
  to: Date,
  windows: number,
): Promise<{ figures: AlertFigure[]; problem: null } | { figures: null; problem: string }> {
  const window_ms = watched.window_minutes * 60_000;
  const starts = Array.from(
    { length: windows },
    (_, n) => new Date(to.getTime() - (windows - n) * window_ms),
  );
  const span = { from: starts[0] as Date, to };
  const found = await readFigures(db, { ...watched, split: { by: "hour" }, span, starts, by: "ended_at" });
  if (found.problem !== null) return { figures: null, problem: found.problem };
  const byWindow = new Map<string | null, FigureRow>(
    found.rows.filter(({ is_total }) => !is_total).map((row) => [row.key, row]),
  );
  const { kind } = ruleOf(watched.metric.name);
  const isTotal = kind === "count" || kind === "sum";
  const empty = isTotal ? 0 : null;
  const values = starts.map((_, n) => {
    const row = byWindow.get(String(n + 1));
    return { value: row?.value ?? empty, sessions: row?.sessions ?? 0 };
  });
  return {
    figures: values.map((figure, n) => ({
      ...figure,
      isTotal,
      before: values[n - 1]?.value ?? null,
      sessions_before: values[n - 1]?.sessions ?? 0,
    })),
    problem: null,
  };
}
