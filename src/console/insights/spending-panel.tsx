import { Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { InsightSpending, InsightToolSpending } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { Facts, Fetched, Panel, RouteLink, Scroller } from "../parts/parts.tsx";
import { DayChart } from "../reports/day-chart.tsx";
import { FigureTableView } from "../reports/figure-table.tsx";
import { call } from "../server/api.ts";
import { dollars, tokens } from "./insight-words.tsx";
import classes from "./insights.module.css";
import { amountFigures, runFigures } from "./known-costs.ts";

const REFRESH_ms = 15_000;

export const useSpending = (workflow_id: number) =>
  useQuery({
    queryKey: ["insight spending", workflow_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/workflows/{workflow_id}/spending", { path: { workflow_id }, signal }),
    refetchInterval: REFRESH_ms,
  });

/** The estimated cost of a run by tool, with its basis, and the actual spending by day. */
export function SpendingPanel({ workflow_id }: { workflow_id: number }) {
  const spending = useSpending(workflow_id);
  return (
    <Fetched query={spending} lines={6}>
      {(found) => (
        <>
          <Panel title="Cost per run" flush>
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
  transcripts: "estimated from the newest transcripts",
  none: "no data yet",
};

const ToolPrices = ({ tools }: { tools: InsightToolSpending[] }) => (
  <Scroller label="Cost per run" className={classes.scroll}>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Tool</Table.Th>
          <Table.Th>Basis</Table.Th>
          <Table.Th ta="right">Input tokens</Table.Th>
          <Table.Th ta="right">Output tokens</Table.Th>
          <Table.Th ta="right">Cost of a run</Table.Th>
          <Table.Th>Price</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tools.map((tool) => (
          <ToolPrice key={tool.insight_tool_id} tool={tool} />
        ))}
      </Table.Tbody>
    </Table>
  </Scroller>
);

function ToolPrice({ tool }: { tool: InsightToolSpending }) {
  const { input_tokens, output_tokens, cost_usd } = runFigures(tool);
  return (
    <Table.Tr>
      <Table.Td>
        <RouteLink to={`/insights/tools/${tool.insight_tool_id}`}>{tool.name}</RouteLink>
      </Table.Td>
      <Table.Td>
        {BASES[tool.basis]}
        {tool.basis === "measured" && `, the last ${counted(tool.measured_runs, "run")}`}
      </Table.Td>
      <Table.Td ta="right">{tokens(input_tokens)}</Table.Td>
      <Table.Td ta="right">{tokens(output_tokens)}</Table.Td>
      <Table.Td ta="right">{dollars(cost_usd)}</Table.Td>
      <Table.Td>
        <Price tool={tool} />
      </Table.Td>
    </Table.Tr>
  );
}

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
  const total = amountFigures(actual_total.runs, actual_total);
  const days = {
    name: "Runs by day (UTC)",
    columns: ["Day", "Completed", "Failed", "Input tokens", "Output tokens", "US dollars"],
    rows: actual_daily.map((day) => {
      const { input_tokens, output_tokens, cost_usd } = amountFigures(day.runs, day);
      return [day.day, day.runs - day.failed_runs, day.failed_runs, input_tokens, output_tokens, cost_usd];
    }),
  };
  const drawn = {
    ...days,
    columns: days.columns.slice(0, 3),
    rows: days.rows.map((row) => row.slice(0, 3)),
  };
  return (
    <Panel title="Actual usage" flush>
      <Stack gap={0}>
        <div style={{ padding: "0.9rem 1rem" }}>
          <Facts
            items={[
              ["Runs", actual_total.runs.toLocaleString("en")],
              ["Failed", actual_total.failed_runs.toLocaleString("en")],
              ["Input tokens", tokens(total.input_tokens)],
              ["Output tokens", tokens(total.output_tokens)],
              ["Spent", dollars(total.cost_usd)],
            ]}
          />
        </div>
        {actual_daily.length > 1 && <DayChart table={drawn} height={160} />}
        {actual_daily.length > 0 ? (
          <FigureTableView table={days} tall />
        ) : (
          <Text size="sm" c="dimmed" px="md" pb="md">
            No executions yet.
          </Text>
        )}
      </Stack>
    </Panel>
  );
}
