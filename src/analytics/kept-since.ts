import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import type { KeptKinds, KeptSince } from "../sessions/kept-since.ts";
import type { WatchedFigure } from "./alert-figure.ts";
import type { AlertCondition } from "./alert-judge.ts";
import type { Searched } from "./fact-filters.ts";
import { ruleOf } from "./metric.ts";
import type { BoardTile } from "./tile.ts";

type Counted = Searched & Pick<BoardTile, "metric"> & Partial<Pick<BoardTile, "split">>;

/** What has to be kept for a figure to be whole; null: people of campaigns, whom retention leaves. */
export function keptKinds({ metric, split, search_fields, search_field_values }: Counted): KeptKinds | null {
  if (ruleOf(metric.name).of === "people") return null;
  const isOfInsights = [...search_fields, split?.by ?? "none"].some((field) => field.startsWith("insight"));
  const at = search_fields.indexOf("agent_id");
  return {
    agent_id: at < 0 ? null : Number(search_field_values[at]),
    kinds: metric.insight || isOfInsights ? ["session", "insight"] : ["session"],
  };
}

const NOT_KEPT =
  "Retention deletes sessions of the window before, so there is nothing to compare with. Choose a shorter window, or keep sessions for longer.";

/** Why an alert can't compare; null: it can. A window of which some is deleted already had more than is left of it. */
export async function comparisonProblem(
  { db, clock, keptSince }: { db: Db; clock: Clock; keptSince: KeptSince },
  rule: WatchedFigure & { condition: AlertCondition },
): Promise<string | null> {
  const of = keptKinds(rule);
  if (of === null || rule.condition === "above" || rule.condition === "below") return null;
  const now = clock.now();
  const since = await keptSince(db, now, { ...of, tenant: rule.tenant });
  return since !== null && since.getTime() > now.getTime() - 2 * rule.window_minutes * 60_000
    ? NOT_KEPT
    : null;
}
