import { Select, Stack, TextInput } from "@mantine/core";
import type { BoardTile, FigureMetric } from "../api-types.ts";
import { type FieldLabels, labelsBelow, worded } from "../server/field-labels.ts";
import { FILTER_WORDS, FilterFields } from "./filter-fields.tsx";
import { choicesOf, METRIC_WORDS, SPLIT_WORDS } from "./metric-words.ts";

const CHARTS = { number: "Number", bars: "Bars", line: "Line", table: "Table" };
const WIDTHS = { third: "A third", half: "Half", full: "Full width" };
const COMPARE = { none: "Nothing", before: "The period before", versions: "Version with version" };

/** What tiles and alerts both have, as a review calls it. */
export const FIGURE_LABELS: FieldLabels = {
  "metric.name": worded("Metric", METRIC_WORDS),
  "metric.insight": "Insight",
  "metric.value": "Counted value",
  search_fields: worded("Filters", FILTER_WORDS),
  search_field_values: "Values of filters",
};

export const TILE_LABELS: FieldLabels = {
  ...labelsBelow("tiles.*", FIGURE_LABELS),
  ...labelsBelow("tiles.*", {
    title: "Title",
    "split.by": worded("Split by", SPLIT_WORDS),
    "split.insight": "Insight to split by",
    chart: worded("Show as", CHARTS),
    width: worded("Width", WIDTHS),
    compare: worded("Compare with", COMPARE),
    "versions.first": "First version",
    "versions.second": "Second version",
  }),
};

/** A number shows no parts, and a line only those of time. */
function chartOf(by: BoardTile["split"]["by"], chart: BoardTile["chart"]): BoardTile["chart"] {
  if (by === "none") return "number";
  if (chart === "bars" || chart === "table") return chart;
  return by === "day" || by === "hour" ? "line" : "bars";
}

/** The metric of a tile or an alert, with the insight it needs. */
export function MetricFields({
  metric,
  onChange,
}: {
  metric: FigureMetric;
  onChange(metric: FigureMetric): void;
}) {
  return (
    <>
      <Select
        label="Metric"
        data={choicesOf(METRIC_WORDS)}
        value={metric.name}
        allowDeselect={false}
        searchable
        onChange={(name) => name && onChange({ name: name as FigureMetric["name"] })}
      />
      {metric.name.startsWith("insight_") && (
        <TextInput
          label="Insight"
          value={metric.insight ?? ""}
          onChange={({ currentTarget }) => onChange({ ...metric, insight: currentTarget.value })}
        />
      )}
      {metric.name === "insight_rate" && (
        <TextInput
          label="Counted value"
          value={metric.value ?? ""}
          onChange={({ currentTarget }) => onChange({ ...metric, value: currentTarget.value })}
        />
      )}
    </>
  );
}

/** What a tile shows and how. */
export function TileFields({ tile, onChange }: { tile: BoardTile; onChange(tile: BoardTile): void }) {
  const set = (part: Partial<BoardTile>) => onChange({ ...tile, ...part });
  return (
    <Stack gap="sm">
      <TextInput
        label="Title"
        placeholder="Default: the metric's name"
        value={tile.title}
        maxLength={120}
        onChange={({ currentTarget }) => set({ title: currentTarget.value })}
      />
      <MetricFields metric={tile.metric} onChange={(metric) => set({ metric })} />
      <Select
        label="Split by"
        data={choicesOf(SPLIT_WORDS)}
        value={tile.split.by}
        allowDeselect={false}
        onChange={(chosen) => {
          const by = chosen as BoardTile["split"]["by"] | null;
          if (by) set({ split: { by }, chart: chartOf(by, tile.chart) });
        }}
      />
      {tile.split.by === "insight" && (
        <TextInput
          label="Insight to split by"
          value={tile.split.insight ?? ""}
          onChange={({ currentTarget }) => set({ split: { by: "insight", insight: currentTarget.value } })}
        />
      )}
      <FilterFields value={tile} onChange={set} />
      <Select
        label="Show as"
        data={choicesOf(CHARTS)}
        value={tile.chart}
        allowDeselect={false}
        onChange={(chart) => chart && set({ chart: chart as BoardTile["chart"] })}
      />
      <Select
        label="Width"
        data={choicesOf(WIDTHS)}
        value={tile.width}
        allowDeselect={false}
        onChange={(width) => width && set({ width: width as BoardTile["width"] })}
      />
      <Select
        label="Compare with"
        data={choicesOf(COMPARE)}
        value={tile.compare}
        allowDeselect={false}
        onChange={(compare) => compare && set({ compare: compare as BoardTile["compare"] })}
      />
      {tile.compare === "versions" &&
        (["first", "second"] as const).map((side) => (
          <TextInput
            key={side}
            label={side === "first" ? "First version" : "Second version"}
            description="Agent and version, such as 7.3."
            value={tile.versions?.[side] ?? ""}
            onChange={({ currentTarget }) =>
              set({ versions: { first: "", second: "", ...tile.versions, [side]: currentTarget.value } })
            }
          />
        ))}
    </Stack>
  );
}
