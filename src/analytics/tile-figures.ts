import { z } from "zod";
import { type Caller, requirePermission } from "../api/caller.ts";
import { timestamp } from "../api/schema.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { changeOf, differenceOf, intervalOf } from "./compare-figures.ts";
import { requireFilters, type Searched } from "./fact-filters.ts";
import { labelsOf } from "./figure-labels.ts";
import { type Spans, startsOf } from "./figure-period.ts";
import { FigureSearch, pairOf, searchOf, withSearch } from "./figure-search.ts";
import { type FigureSplit, isTime, ruleOf } from "./metric.ts";
import { type FigureRow, type FigureSpan, MOST_VALUES, readFigures } from "./read-figures.ts";
import type { BoardTile } from "./tile.ts";

const figure = {
  value: z.number().nullable().describe("Shares are from 0 to 1; null: nothing to count."),
  count: z.int().describe("The sessions, or people, behind it."),
  low: z.number().nullable().describe("Of a share: where it lies with 95 %."),
  high: z.number().nullable(),
  before: z.number().nullable().describe("The same in the period before."),
  before_count: z.int().nullable(),
  change: z.number().nullable().describe("0.1: 10 % more than before."),
  search: FigureSearch.nullable(),
};

const FigurePoint = z
  .object({ key: z.string(), label: z.string(), starts_at: timestamp().nullable(), ...figure })
  .meta({ id: "FigurePoint" });
type FigurePoint = z.infer<typeof FigurePoint>;
export const FigureTotal = z.object(figure).meta({ id: "FigureTotal" });
type FigureTotal = z.infer<typeof FigureTotal>;

export const TileFigures = z
  .object({
    unit: z.enum(["count", "percent", "seconds", "milliseconds", "usd"]),
    start_datetime: timestamp(),
    end_datetime: timestamp(),
    kept_since: timestamp()
      .nullable()
      .describe("Retention deletes what began before, so nothing is compared with it."),
    total: FigureTotal.nullable(),
    points: z.array(FigurePoint).describe("By time, or the values with most sessions first."),
    more_values: z.boolean().describe("Further values count in the total only."),
    versions: z
      .object({
        first: FigureTotal,
        second: FigureTotal,
        difference: z
          .object({ value: z.number(), low: z.number(), high: z.number() })
          .nullable()
          .describe("The second minus the first, with its 95 % interval; null: too few sessions."),
      })
      .nullable(),
    problem: z.string().nullable().describe("Why there are no figures, and what to change."),
  })
  .meta({ id: "TileFigures" });
export type TileFigures = z.infer<typeof TileFigures>;

/** Everything about one tile in a period. What can't be counted is told in `problem`. */
export async function tileFigures(
  db: Db,
  caller: Caller,
  tile: BoardTile,
  spans: Spans & { kept_since: Date | null },
): Promise<TileFigures> {
  const { metric, split } = tile;
  const { unit } = ruleOf(metric.name);
  const none: TileFigures = {
    unit,
    start_datetime: spans.now.from.toISOString(),
    end_datetime: spans.now.to.toISOString(),
    total: null,
    points: [],
    more_values: false,
    versions: null,
    problem: null,
    kept_since: lacksSince(tile, spans)?.toISOString() ?? null,
  };
  const refused = mayNot(caller, tile);
  if (refused) return { ...none, problem: refused };
  const starts = startsOf(spans.now, spans.timezone, split.by);
  const startsBefore = startsOf(spans.before, spans.timezone, split.by);
  if (!starts || !startsBefore)
    return { ...none, problem: `Choose a shorter period to see each ${split.by}.` };
  const tenant = caller.sub_organization_id;
  const read = (
    span: FigureSpan,
    begins: Date[],
    more: Partial<{ split: FigureSplit; searched: Searched }> = {},
  ) =>
    readFigures(db, {
      tenant,
      metric,
      split: more.split ?? split,
      span,
      starts: begins,
      by: "began_at" as const,
      ...(more.searched ?? {
        search_fields: tile.search_fields,
        search_field_values: tile.search_field_values,
      }),
    });

  if (tile.compare === "versions" && tile.versions) {
    const readVersion = (searched: Searched) => read(spans.now, starts, { split: { by: "none" }, searched });
    return { ...none, ...(await ofVersions(tile, tile.versions, spans.now, readVersion)) };
  }

  const found = await read(spans.now, starts);
  if (found.problem !== null) return { ...none, problem: found.problem };
  // A period of which some is deleted already was not less.
  const before =
    tile.compare === "before" && !none.kept_since ? await read(spans.before, startsBefore) : null;
  if (before && before.problem !== null) return { ...none, problem: before.problem };
  const rowsBefore = before?.rows ?? null;
  const values = found.rows.filter(({ is_total }) => !is_total);
  const keys = isTime(split.by)
    ? starts.map((_, n) => String(n + 1))
    : values.slice(0, MOST_VALUES).map(({ key }) => key ?? "");
  const labels = await labelsOf(db, tenant, split, keys);
  const byKey = new Map(values.map((row) => [row.key, row]));
  const beforeByKey = rowsBefore && new Map(rowsBefore.map((row) => [row.is_total ? "" : row.key, row]));
  return {
    ...none,
    total: shown(
      tile,
      totalOf(found.rows),
      rowsBefore && totalOf(rowsBefore),
      searchOf(tile, tile, spans.now),
    ),
    points: keys.map((key, n): FigurePoint => {
      const starts_at = isTime(split.by) ? (starts[n] as Date) : null;
      const span = starts_at ? { from: starts_at, to: starts[n + 1] ?? spans.now.to } : spans.now;
      const searched = starts_at ? tile : withSearch(tile, ...pairOf(split, key));
      return {
        key: starts_at ? starts_at.toISOString() : key,
        label: labels.get(key) ?? key,
        starts_at: starts_at?.toISOString() ?? null,
        ...shown(
          tile,
          byKey.get(key) ?? NOTHING,
          beforeByKey && (beforeByKey.get(key) ?? NOTHING),
          searchOf(tile, searched, span),
        ),
      };
    }),
    more_values: !isTime(split.by) && values.length > MOST_VALUES,
  };
}

/** Two versions beside each other, without a period before. */
async function ofVersions(
  tile: BoardTile,
  versions: NonNullable<BoardTile["versions"]>,
  span: FigureSpan,
  read: (searched: Searched) => ReturnType<typeof readFigures>,
): Promise<Pick<TileFigures, "versions"> | Pick<TileFigures, "problem">> {
  const sides: { row: FigureRow; shown: FigureTotal }[] = [];
  for (const version of [versions.first, versions.second]) {
    const searched = withSearch(tile, "agent_version", version);
    const found = await read(searched);
    if (found.problem !== null) return { problem: found.problem };
    const row = totalOf(found.rows);
    sides.push({ row, shown: shown(tile, row, null, searchOf(tile, searched, span)) });
  }
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const difference = differenceOf(tile.metric.name, first.row, second.row);
  return {
    versions: {
      first: first.shown,
      second: second.shown,
      difference: difference && { value: difference.difference, low: difference.low, high: difference.high },
    },
  };
}

/** From when on sessions are kept, where that is within what the tile shows or compares with. */
function lacksSince(
  { compare }: BoardTile,
  { now, before, kept_since }: Spans & { kept_since: Date | null },
) {
  const from = compare === "before" ? before.from : now.from;
  return kept_since !== null && kept_since > from ? kept_since : null;
}

const NOTHING: FigureRow = {
  is_total: false,
  key: null,
  sessions: 0,
  n: 0,
  part: 0,
  value: null,
  variance: null,
};

const totalOf = (rows: FigureRow[]): FigureRow => rows.find(({ is_total }) => is_total) ?? NOTHING;

/** Nothing counted is a count of 0, and no mean, share or percentile. */
function shownValue({ metric }: BoardTile, { value }: FigureRow): number | null {
  const { kind } = ruleOf(metric.name);
  return value ?? (kind === "count" || kind === "sum" ? 0 : null);
}

function shown(
  tile: BoardTile,
  row: FigureRow,
  before: FigureRow | null,
  search: FigureSearch | null,
): FigureTotal {
  const interval = intervalOf(tile.metric.name, row);
  const [value, was] = [shownValue(tile, row), before && shownValue(tile, before)];
  return {
    value,
    count: row.sessions,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    before: was,
    before_count: before?.sessions ?? null,
    change: changeOf(value, was),
    search,
  };
}

/** Why the caller may not see this tile. */
function mayNot(caller: Caller, tile: BoardTile): string | null {
  const { metric, split } = tile;
  try {
    requireFilters(caller, tile);
    if (metric.insight || split.by === "insight") requirePermission(caller, "insights_read");
    if (split.by === "label") requirePermission(caller, "session_labels_read");
    if (ruleOf(metric.name).of === "people") requirePermission(caller, "outbound_read");
    return null;
  } catch (error) {
    if (error instanceof Fault) return `You may not see this tile. ${error.message}`;
    throw error;
  }
}
