import { Button, Group, Stack } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Fetched, Panel } from "../parts/parts.tsx";
import { saveFile } from "../parts/save-file.ts";
import { ViewSwitch } from "../parts/view-switch.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { useZone } from "../time/zone.ts";
import { BarList } from "./bar-list.tsx";
import classes from "./charts.module.css";
import { DayChart } from "./day-chart.tsx";
import { FigureTableView } from "./figure-table.tsx";
import { barsOf, type Cell, csvOf, type FigureTable, spelled } from "./figures.ts";
import { dayLink, rowLink } from "./session-links.ts";

const REFRESH_ms = 60_000;

/** A dashboard's figures over some days of the chosen zone; each request gets a new guest token. */
export function useFigures(name: string, days: string, with_scripted = false) {
  const timezone = useZone();
  return useQuery({
    queryKey: ["figures", name, days, timezone, with_scripted],
    refetchInterval: REFRESH_ms,
    placeholderData: keepPreviousData,
    async queryFn({ signal }) {
      const { guest_token } = await call("POST /api/v1/dashboards/fetch_info", {
        query: { dashboard_name: name },
        signal,
      });
      return call("GET /reports/{name}/data", {
        path: { name },
        query: { token: guest_token, days: Number(days), timezone, with_scripted: String(with_scripted) },
        signal,
      });
    },
  });
}

/** A dashboard as charts with their tables, by day and by kind. */
export function DashboardView({ name, days }: { name: string; days: string }) {
  const figures = useFigures(name, days);
  const may = useMay();
  const navigate = useNavigate();
  const mayOpen = may("sessions_read");
  const openDay = (day: string, kind: string) => void navigate({ to: dayLink(name, day, kind) });
  return (
    <Fetched query={figures} lines={14}>
      {({ numbers, by_day, tables }) => (
        <Stack gap="md">
          <dl className={classes.numbers}>
            {numbers.map((number) => (
              <div key={number.name}>
                <dt>{number.name}</dt>
                <dd>{spelled(number)}</dd>
              </div>
            ))}
          </dl>
          <FigurePanel
            table={withoutEmptyDays(by_day)}
            name={name}
            picture={<DayChart table={by_day} {...(mayOpen && { onBar: openDay })} />}
            linkOf={([day]) => (mayOpen ? dayLink(name, String(day), null) : null)}
          />
          {tables.map((table) => {
            const drawn = barsOf(table);
            const linkOf = (row: Cell[]) => (mayOpen ? rowLink(name, table, row, daysOf(by_day)) : null);
            return (
              <FigurePanel
                key={table.name}
                table={table}
                name={name}
                linkOf={linkOf}
                picture={
                  drawn && (
                    <BarList
                      bars={drawn.bars}
                      label={`${table.name}: ${drawn.of}`}
                      links={table.rows.map(linkOf)}
                    />
                  )
                }
              />
            );
          })}
        </Stack>
      )}
    </Fetched>
  );
}

const daysOf = ({ rows }: FigureTable) => ({
  from: String(rows[0]?.[0]),
  to: String(rows.at(-1)?.[0]),
});

/** Days without events are left out of the table; the chart keeps them. */
const withoutEmptyDays = (table: FigureTable): FigureTable => ({
  ...table,
  rows: table.rows.filter((row) => row.some((cell) => typeof cell === "number" && cell > 0)),
});

/** A table of figures with its chart, where one makes sense; either can be saved as CSV. */
function FigurePanel(props: {
  table: FigureTable;
  name: string;
  picture: ReactNode;
  linkOf(row: Cell[]): string | null;
}) {
  const { table, name, picture, linkOf } = props;
  const [view, setView] = useState<"plot" | "table">("plot");
  const isDrawn =
    Boolean(picture) && table.rows.some((row) => row.some((cell) => typeof cell === "number" && cell > 0));
  return (
    <Panel
      title={table.name}
      flush
      actions={
        <Group gap="xs">
          {isDrawn && (
            <ViewSwitch
              label={`How to show ${table.name}`}
              views={{ plot: "Plot", table: "Table" }}
              value={view}
              onChange={setView}
            />
          )}
          {table.rows.length > 0 && (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconDownload size={14} />}
              aria-label={`Save ${table.name} as CSV`}
              onClick={() =>
                saveFile(`${name} ${table.name}.csv`, new Blob([csvOf(table)], { type: "text/csv" }))
              }
            >
              CSV
            </Button>
          )}
        </Group>
      }
    >
      {isDrawn && view === "plot" ? (
        picture
      ) : (
        <FigureTableView table={table} tall={table.rows.length > 12} linkOf={linkOf} />
      )}
    </Panel>
  );
}
