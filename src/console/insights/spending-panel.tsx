import { Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { InsightSpending, InsightToolSpending } from "../api-types.ts";
import { call } from "../ground/api.ts";
import { Facts, Fetched, Panel, RouteLink, Scroller } from "../ground/parts.tsx";
import { DayChart } from "../reports/day-chart.tsx";
import { FigureTableView } from "../reports/figure-table.tsx";
import { dollars } from "./insight-words.tsx";
import classes from "./insights.module.css";

const REFRESH_ms = 15_000;

/** What a run costs by tool and why that is believed; what was really spent, day by day. */
export function SpendingPanel({ workflow_id }: { workflow_id: number }) {
  const spending = useQuery({
    queryKey: ["insight spending", workflow_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/workflows/{workflow_id}/spending", { path: { workflow_id }, signal }),
    refetchInterval: REFRESH_ms,
  });
  return (
    <Fetched query={spending} lines={6}>
      {(found) => (
        <>
          <Panel title="What one run takes" flush>
            <ToolPrices tools={found.tools} />
          </Panel>
          <Spent spending={found} />
        </>
      )}
    </Fetched>
  );
}

const BASES: Record<InsightToolSpending["basis"], string> = {
  measured: "measured",
  transcripts: "judged by the newest transcripts",
  none: "nothing to judge by",
};

const ToolPrices = ({ tools }: { tools: InsightToolSpending[] }) => (
  <Scroller label="What one run takes" className={classes.scroll}>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Tool</Table.Th>
          <Table.Th>Known from</Table.Th>
          <Table.Th ta="right">Tokens read</Table.Th>
          <Table.Th ta="right">Tokens written</Table.Th>
          <Table.Th ta="right">Cost of a run</Table.Th>
          <Table.Th>Price</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tools.map((tool) => (
          <Table.Tr key={tool.insight_tool_id}>
            <Table.Td>
              <RouteLink to={`/insights/tools/${tool.insight_tool_id}`}>{tool.name}</RouteLink>
            </Table.Td>
            <Table.Td>
              {BASES[tool.basis]}
              {tool.basis === "measured" && `, the last ${tool.measured_runs.toLocaleString("en")} runs`}
            </Table.Td>
            <Table.Td ta="right">{Math.round(tool.input_tokens).toLocaleString("en")}</Table.Td>
            <Table.Td ta="right">{Math.round(tool.output_tokens).toLocaleString("en")}</Table.Td>
            <Table.Td ta="right">{dollars(tool.cost_usd)}</Table.Td>
            <Table.Td>
              <Price tool={tool} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Scroller>
);

function Price({ tool: { price, minute_price } }: { tool: InsightToolSpending }) {
  if (price) {
    return (
      <span title={`${price.source}, ${price.as_of}`}>
        {dollars(price.input_usd)} and {dollars(price.output_usd)} a million tokens
      </span>
    );
  }
  if (minute_price) {
    return (
      <span title={`${minute_price.source}, ${minute_price.as_of}`}>
        {dollars(minute_price.minute_usd)} a minute
      </span>
    );
  }
  return "no price is known";
}

function Spent({ spending: { actual_daily, actual_total } }: { spending: InsightSpending }) {
  const days = {
    name: "Runs by day (UTC)",
    columns: ["Day", "Completed", "Failed", "Tokens read", "Tokens written", "US dollars"],
    rows: actual_daily.map((day) => [
      day.day,
      day.runs - day.failed_runs,
      day.failed_runs,
      day.input_tokens,
      day.output_tokens,
      day.cost_usd,
    ]),
  };
  const drawn = {
    ...days,
    columns: days.columns.slice(0, 3),
    rows: days.rows.map((row) => row.slice(0, 3)),
  };
  return (
    <Panel title="What it has really taken" flush>
      <Stack gap={0}>
        <div style={{ padding: "0.9rem 1rem" }}>
          <Facts
            items={[
              ["Runs", actual_total.runs.toLocaleString("en")],
              ["Failed", actual_total.failed_runs.toLocaleString("en")],
              ["Tokens read", actual_total.input_tokens.toLocaleString("en")],
              ["Tokens written", actual_total.output_tokens.toLocaleString("en")],
              ["Spent", dollars(actual_total.cost_usd)],
            ]}
          />
        </div>
        {actual_daily.length > 1 && <DayChart table={drawn} height={160} />}
        {actual_daily.length > 0 ? (
          <FigureTableView table={days} tall />
        ) : (
          <Text size="sm" c="dimmed" px="md" pb="md">
            Nothing has run yet.
          </Text>
        )}
      </Stack>
    </Panel>
  );
}
