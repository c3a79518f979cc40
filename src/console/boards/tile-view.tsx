import { counted } from "../parts/counted.ts";
import "@mantine/charts/styles.css";
import { LineChart } from "@mantine/charts";
import { Group, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { BoardTile, FigureTotal, TileFigures } from "../api-types.ts";
import { Fetched, Panel, RouteLink } from "../parts/parts.tsx";
import { BarList } from "../reports/bar-list.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { formatTime, useZone } from "../time/zone.ts";
import { baseText, changeText, countedBy, figureText, sessionsLink, titleOf } from "./metric-words.ts";

const REFRESH_ms = 60_000;

/** One tile with the figures of a period, which need not be stored. */
export function TileView({ tile, days, actions }: { tile: BoardTile; days: number; actions?: ReactNode }) {
  const timezone = useZone();
  const figures = useQuery({
    queryKey: ["tile figures", tile, days, timezone],
    refetchInterval: REFRESH_ms,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call("POST /api/v1/boards/tile_figures", {
        body: { tile, period: { last_days: days, timezone } },
        signal,
      }),
  });
  return (
    <Panel title={titleOf(tile)} actions={actions}>
      <Fetched query={figures} lines={4}>
        {(found) =>
          found.problem ? <Text size="sm">{found.problem}</Text> : <Figures tile={tile} found={found} />
        }
      </Fetched>
    </Panel>
  );
}

function Figures({ tile, found }: { tile: BoardTile; found: TileFigures }) {
  const zone = useZone();
  const may = useMay();
  const linkOf = (figure: FigureTotal) => (may("sessions_read") ? sessionsLink(figure.search, zone) : null);
  const { unit, points, total, versions } = found;
  const lacking = found.kept_since && (
    <Text size="xs">
      Sessions before {formatTime(found.kept_since, zone, "day")} are deleted by retention
      {tile.compare === "before" && ", so nothing is compared"}.
    </Text>
  );
  if (versions)
    return (
      <Stack gap="xs">
        <Group>
          <Big
            tile={tile}
            label={`Version ${tile.versions?.first}`}
            figure={versions.first}
            unit={unit}
            link={linkOf(versions.first)}
          />
          <Big
            tile={tile}
            label={`Version ${tile.versions?.second}`}
            figure={versions.second}
            unit={unit}
            link={linkOf(versions.second)}
          />
        </Group>
        <Text size="sm">
          {versions.difference
            ? `Difference: ${figureText(versions.difference.value, unit)} (95 %: ${figureText(versions.difference.low, unit)} to ${figureText(versions.difference.high, unit)})`
            : "Too few sessions to tell a difference."}
        </Text>
        {lacking}
      </Stack>
    );
  const isTime = points.some(({ starts_at }) => starts_at !== null);
  const named = points.map((point) => ({
    ...point,
    name: point.starts_at
      ? formatTime(point.starts_at, zone, tile.split.by === "hour" ? "minute" : "day")
      : point.label,
  }));
  const list = named.filter((point) => !isTime || point.count > 0);
  return (
    <Stack gap="xs">
      {total && <Big tile={tile} figure={total} unit={unit} link={linkOf(total)} />}
      {tile.chart === "line" && points.length > 1 && (
        <LineChart
          h={160}
          data={named.map(({ name, value, before }) => ({
            name,
            value: shown(value, unit),
            before: shown(before, unit),
          }))}
          dataKey="name"
          series={[
            { name: "value", label: "This period", color: "ink.6" },
            ...(tile.compare === "before" && !found.kept_since
              ? [{ name: "before", label: "Period before", color: "gray.5" }]
              : []),
          ]}
          withDots={points.length <= 31}
          // Between two days nothing was counted that a curve could show, and of whole things there are no halves.
          curveType="linear"
          // All of its lines: of two that lie as near to each other as here one would go.
          yAxisProps={{
            allowDecimals: !points.every(({ value }) => Number.isInteger(value ?? 0)),
            interval: 0,
          }}
          lineChartProps={{ accessibilityLayer: false }}
          tickLine="none"
        />
      )}
      {(tile.chart === "bars" || tile.chart === "table" || tile.chart === "line") && list.length > 0 && (
        <details open={tile.chart !== "line"}>
          <summary>{counted(list.length, "value")}</summary>
          {tile.chart === "bars" ? (
            <BarList
              bars={list.map(({ name, value }) => ({
                name,
                value: shown(value, unit) ?? 0,
                text: figureText(value, unit),
              }))}
              label={titleOf(tile)}
              links={list.map(linkOf)}
            />
          ) : (
            <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
              {list.map((point) => (
                <li key={point.key}>
                  <Group justify="space-between" gap="xs" wrap="nowrap">
                    <Text size="sm" component="bdi">
                      {linkOf(point) ? (
                        <RouteLink to={linkOf(point) ?? ""}>{point.name}</RouteLink>
                      ) : (
                        point.name
                      )}
                    </Text>
                    <Text size="sm" ta="end">
                      {figureText(point.value, unit)}{" "}
                      <Text span c="dimmed">
                        {changeText(point)}
                      </Text>
                    </Text>
                  </Group>
                </li>
              ))}
            </ul>
          )}
        </details>
      )}
      {tile.chart !== "number" && list.length === 0 && (
        <Text size="sm">No {countedBy(tile.metric.name)} in this period.</Text>
      )}
      {lacking}
      {found.more_values && (
        <Text size="xs">The 50 values with most {countedBy(tile.metric.name)} are shown.</Text>
      )}
    </Stack>
  );
}

/** Shares are drawn in percent. */
const shown = (value: number | null, unit: TileFigures["unit"]): number | null =>
  value === null
    ? null
    : Math.round(value * (unit === "percent" ? 1_000 : 100)) / (unit === "percent" ? 10 : 100);

type BigProps = {
  tile: BoardTile;
  label?: string;
  figure: FigureTotal;
  unit: TileFigures["unit"];
  link: string | null;
};

function Big({ tile, label, figure, unit, link }: BigProps) {
  const text = figureText(figure.value, unit);
  const base = baseText(tile.metric.name, figure.count);
  return (
    <div>
      {label && <Text size="xs">{label}</Text>}
      <Text size="xl" fw={600}>
        {link && figure.count > 0 ? <RouteLink to={link}>{text}</RouteLink> : text}
      </Text>
      <Text size="xs" c="dimmed">
        {base && `${base}. `}
        {figure.low !== null &&
          figure.high !== null &&
          `95 %: ${figureText(figure.low, unit)} to ${figureText(figure.high, unit)}. `}
        {changeText(figure)}
      </Text>
    </div>
  );
}
