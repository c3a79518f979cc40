import { Alert, Button, Grid, NumberInput, Stack, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CampaignForecast, ForecastQuestion } from "../api-types.ts";
import { numberOrNull } from "../campaign-form/opening-fields.tsx";
import type { Column } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import classes from "../outbound/outbound.module.css";
import { Tile, Tiles } from "../outbound/tile.tsx";
import { counted } from "../parts/counted.ts";
import { lazyPart } from "../parts/lazy-part.tsx";
import { Empty, Fetched, Panel, Scroller } from "../parts/parts.tsx";
import { ViewSwitch } from "../parts/view-switch.tsx";
import { call } from "../server/api.ts";
import { Sentence } from "../time/sentence.tsx";
import { Time } from "../time/time.tsx";
import { formatTime, useZone } from "../time/zone.ts";
import { type Bar, dayBars, earliestEnd, hourBars } from "./forecast-bars.ts";

const ForecastChart = lazyPart("forecast chart", () => import("./forecast-chart.tsx"));

const PERCENT = 100;

/** A forecast of the campaign, computed with the dialer's own decisions. */
export function ForecastPanel({ campaign_id }: { campaign_id: number }) {
  const [asked, setAsked] = useState<ForecastQuestion>({ answer_rate: 0.4, days: 14 });
  const [answers, setAnswers] = useState<number | string>(40);
  const [days, setDays] = useState<number | string>(14);
  const [people, setPeople] = useState<number | string>("");
  const forecast = useQuery({
    queryKey: ["campaign", campaign_id, "forecast", asked],
    queryFn: ({ signal }) =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/forecast", {
        path: { campaign_id },
        body: asked,
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="md">
      <Panel title="Assumptions">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setAsked({
              answer_rate: Number(answers) / PERCENT,
              days: Number(days),
              requests: numberOrNull(people),
            });
          }}
        >
          <Grid gap="md" align="flex-end">
            <Grid.Col span={{ base: 12, sm: "auto" }}>
              <NumberInput
                label="Answer rate"
                suffix=" %"
                min={0}
                max={PERCENT}
                clampBehavior="strict"
                required
                value={answers}
                onChange={setAnswers}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: "auto" }}>
              <NumberInput
                label="People"
                placeholder="Currently waiting"
                min={1}
                max={1_000_000}
                clampBehavior="strict"
                thousandSeparator=","
                value={people}
                onChange={setPeople}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 6, sm: 2 }}>
              <NumberInput
                label="Days"
                min={1}
                max={92}
                clampBehavior="strict"
                required
                value={days}
                onChange={setDays}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 6, sm: "content" }}>
              <Button
                type="submit"
                fullWidth
                loading={forecast.isFetching}
                leftSection={<IconChartBar size={15} />}
              >
                Forecast
              </Button>
            </Grid.Col>
          </Grid>
        </form>
      </Panel>
      <Fetched query={forecast} lines={10}>
        {(found) => <Answer forecast={found} />}
      </Fetched>
    </Stack>
  );
}

function Answer({ forecast }: { forecast: CampaignForecast }) {
  const [view, setView] = useState<"chart" | "table">("chart");
  const [by, setBy] = useState<"day" | "hour">("day");
  const { totals, people, ends_at, left, timezone, assumptions } = forecast;
  const zone = useZone();
  if (people === 0) {
    return (
      <Panel>
        <Empty title="No one is waiting in this campaign" icon={<IconChartBar size={28} />}>
          Enter a number of people above to see how long reaching them takes. The forecast applies the
          dialer's hours, caps, rates and retries; nobody is called.
        </Empty>
      </Panel>
    );
  }
  const end = ends_at && earliestEnd(ends_at, forecast.own_hours);
  const bars = by === "day" ? dayBars(forecast) : hourBars(forecast);
  const tiles: [string, number][] = [
    ["people", people],
    ["first attempts", totals.first_attempts],
    ["retries", totals.retries],
    ...(totals.steps > 0 ? [["follow-up steps", totals.steps] satisfies [string, number]] : []),
    ["reached", totals.completed],
    ["given up", totals.given_up],
    ["skipped", totals.skipped],
    ["left at the end", left],
  ];
  return (
    <Panel
      title={
        end ? (
          <>
            {forecast.own_hours?.held ? "Finishes at the earliest" : "Finishes"}{" "}
            <Time at={end} kind="minute" />
            {timezone !== zone && ` (${formatTime(end, timezone, "minute")} in ${timezone})`}
          </>
        ) : (
          `${counted(left, "person still waits", "people still wait")} at the end`
        )
      }
      actions={
        <>
          <ViewSwitch
            label="By day or hour"
            views={{ day: "By day", hour: "By hour" }}
            value={by}
            onChange={setBy}
          />
          <ViewSwitch
            label="Chart or table"
            views={{ chart: "Chart", table: "Table" }}
            value={view}
            onChange={setView}
          />
        </>
      }
    >
      <Stack gap="md">
        <Tiles>
          {tiles.map(([label, count]) => (
            <Tile key={label} count={count} about={label} />
          ))}
        </Tiles>
        {bars.length === 0 ? (
          <Alert color="yellow" title="No attempts">
            The campaign has no open hour in these days, or its caps let nobody through. Its calendar shows
            when it opens.
          </Alert>
        ) : view === "chart" ? (
          <ForecastChart bars={bars} />
        ) : (
          <BarTable bars={bars} by={by} />
        )}
        {forecast.own_hours && (
          <Text size="sm" component="p" m={0}>
            <Sentence text={forecast.own_hours.text} isNow />
          </Text>
        )}
        <Text size="xs" c="dimmed" component="div">
          {by === "day"
            ? `Days of ${timezone}.`
            : `Hours of ${timezone}; those without an attempt are left out.`}{" "}
          {assumptions.join(" ")}
        </Text>
      </Stack>
    </Panel>
  );
}

function BarTable({ bars, by }: { bars: Bar[]; by: "day" | "hour" }) {
  const columns: Column<Bar>[] = [
    { field: "name", title: by === "day" ? "Day" : "Hour" },
    ...(["First attempts", "Retries"] as const).map((name) => ({
      field: name,
      title: name,
      align: "right" as const,
      render: (bar: Bar) => bar[name].toLocaleString("en"),
    })),
    { field: "reached", title: "Reached", align: "right", render: (bar) => bar.reached.toLocaleString("en") },
    {
      field: "cap",
      title: "At most",
      align: "right",
      render: (bar) => bar.cap?.toLocaleString("en") ?? "any number",
    },
  ];
  return (
    <Scroller className={classes.scroll} label="Forecast as a table">
      <RowsTable columns={by === "day" ? columns : columns.slice(0, -1)} rows={bars} figures />
    </Scroller>
  );
}
