import type { Db } from "../db/database.ts";
import type { Searched } from "./fact-filters.ts";
import { ruleOf } from "./metric.ts";
import type { BoardTile } from "./tile.ts";

/** What is counted of sessions, and of insights' results, goes with them when retention deletes them. */
type Kept = { agent_id: number | null; kinds: ("session" | "insight")[] };

/** From when on these are kept; null: always. Retention is set to the right of this room, so it is handed in. */
export type KeptSince = (db: Db, now: Date, of: Kept & { tenant: number }) => Promise<Date | null>;

type Counted = Searched & Pick<BoardTile, "metric"> & Partial<Pick<BoardTile, "split">>;

/** What has to be kept for a figure to be whole; null: people of campaigns, whom retention leaves. */
export function keptKinds({ metric, split, search_fields, search_field_values }: Counted): Kept | null {
  if (ruleOf(metric.name).of === "people") return null;
  const isOfInsights = [...search_fields, split?.by ?? "none"].some((field) => field.startsWith("insight"));
  const at = search_fields.indexOf("agent_id");
  return {
    agent_id: at < 0 ? null : Number(search_field_values[at]),
    kinds: metric.insight || isOfInsights ? ["session", "insight"] : ["session"],
  };
}
