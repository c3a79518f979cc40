import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import { INDEXED } from "../search/search.ts";
import type { FilterField, Searched } from "./fact-filters.ts";
import { type FigureSplit, ruleOf } from "./metric.ts";
import type { FigureSpan } from "./read-figures.ts";
import type { BoardTile } from "./tile.ts";

export const FigureSearch = z
  .object({
    search_fields: z.array(z.string()),
    search_field_values: z.array(z.string()),
    start_datetime: timestamp(),
    end_datetime: timestamp(),
  })
  .meta({ id: "FigureSearch", description: "The search that finds these sessions." });
export type FigureSearch = z.infer<typeof FigureSearch>;

export const withSearch = (
  { search_fields, search_field_values }: Searched,
  field: FilterField,
  value: string,
): Searched => ({
  search_fields: [...search_fields, field],
  search_field_values: [...search_field_values, value],
});

/** What a value of a split is searched by. */
export function pairOf({ by, insight }: FigureSplit, key: string): [FilterField, string] {
  switch (by) {
    case "agent":
      return ["agent_id", key];
    case "version":
      return ["agent_version", key];
    case "campaign":
      return ["campaign_id", key];
    case "insight":
      return ["insight", `${insight}=${key}`];
    case "label":
      return ["label", key];
    case "end_reason":
      return ["end_reason", key];
    default:
      return ["channel", key];
  }
}

/** The sessions behind a figure: of a share, those to which it applies; of the latency, those in which an answer was waited for. */
export function searchOf({ metric }: BoardTile, searched: Searched, { from, to }: FigureSpan): FigureSearch {
  const { search, needs } = ruleOf(metric.name);
  // A mean is of all that have the insight.
  const value = needs === "insight_value" ? metric.value : "*";
  const more: [string, string][] = needs
    ? [["insight", `${metric.insight}=${value}`]]
    : search
      ? [search]
      : [];
  const fields = [...searched.search_fields, ...more.map(([field]) => field)];
  const values = [...searched.search_field_values, ...more.map(([, value]) => value)];
  // Only sessions that are over count, and some searches find those that still run, too.
  if (!fields.some((field) => field === "is_running" || INDEXED.has(field))) {
    fields.push("is_running");
    values.push("false");
  }
  return {
    search_fields: fields,
    search_field_values: values,
    start_datetime: from.toISOString(),
    end_datetime: to.toISOString(),
  };
}
