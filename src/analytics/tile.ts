import { z } from "zod";
import { unpaired } from "../api/search-pairs.ts";
import { type InputIssue, InvalidInput } from "../base/errors.ts";
import { SessionSearchField } from "../search/search-rules.ts";
import { checkFilters } from "./fact-filters.ts";
import { FigureMetric, FigureSplit, isTime, ruleOf, splitProblem } from "./metric.ts";

const MOST_FILTERS = 20;
/** An agent and its version, as in a search. */
const VERSION = /^\d{1,15}\.\d{1,15}$/;
const version = () => z.string().regex(VERSION, "Input should be an agent and its version, such as 7.3");

/** What sessions are counted: as in GET /api/v1/sessions/search. */
export const searchedFields = () => ({
  search_fields: z.array(SessionSearchField).max(MOST_FILTERS).default([]),
  search_field_values: z
    .array(z.string().max(1_000))
    .max(MOST_FILTERS)
    .default([])
    .describe("Matched with `search_fields` by index."),
});

export const BoardTile = z
  .strictObject({
    title: z.string().max(120).default("").describe("Empty: named for its metric."),
    metric: FigureMetric,
    split: FigureSplit.default({ by: "none" }),
    ...searchedFields(),
    chart: z.enum(["number", "bars", "line", "table"]).default("number"),
    width: z.enum(["third", "half", "full"]).default("third"),
    compare: z
      .enum(["none", "before", "versions"])
      .default("none")
      .describe("`before`: with the period before; `versions`: one version with another."),
    versions: z
      .strictObject({ first: version(), second: version() })
      .nullish()
      .describe("For `versions`: an agent and its version each, such as 7.3."),
  })
  .meta({ id: "BoardTile" });
export type BoardTile = z.infer<typeof BoardTile>;

/** Throws where a tile asks for what can't be counted, all faults at once. */
export function checkTile(tile: BoardTile, place: (string | number)[]): void {
  const { metric, split, chart, compare, versions } = tile;
  const problems: InputIssue[] = [];
  const refuse = (field: string, msg: string) =>
    problems.push({ loc: [...place, field], msg, type: "value_error" });
  const apart = unpaired(tile);
  if (apart) refuse("search_field_values", apart);
  const wrong = splitProblem(metric.name, split.by);
  if (wrong) refuse("split", wrong);
  if (chart === "line" && !isTime(split.by)) refuse("chart", "A line needs a split by day or hour");
  if (compare === "versions" && !versions) refuse("versions", "Choose the two versions to compare");
  if (compare === "versions" && ruleOf(metric.name).of === "people")
    refuse("compare", `${metric.name} can't be compared by version`);
  if (problems.length > 0) throw new InvalidInput(problems);
  checkFilters(metric, tile, place);
}
