import { Text } from "@mantine/core";
import { IconBulb } from "@tabler/icons-react";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { Status } from "../parts/parts.tsx";
import { expectedDay, sourceName } from "./insight-words.tsx";

const REFRESH_ms = 5000;

const COLUMNS: Column<InsightWorkflowOutput>[] = [
  nameColumn("/insights/workflows"),
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: ({ status }) => <WorkflowStatus status={status} />,
  },
  { field: "source", title: "Data", render: ({ source }) => sourceName(source) },
  {
    field: "insight_tool_ids",
    title: "Tools, in order",
    render: ({ insight_tools }) => <bdi>{insight_tools.map(({ name }) => name).join(" → ") || "none"}</bdi>,
  },
  {
    field: "queue_count",
    title: "Waiting",
    align: "right",
    render: ({ queue_count }) => (queue_count ?? 0).toLocaleString("en"),
  },
  {
    field: "failed_count",
    title: "Failed",
    align: "right",
    render: ({ failed_count }) =>
      failed_count ? (
        <Text span c="var(--mantine-color-error)" fw={600}>
          {failed_count.toLocaleString("en")}
        </Text>
      ) : (
        "0"
      ),
  },
  {
    field: "cost",
    title: "Expected per day",
    align: "right",
    render: expectedDay,
  },
  { ...changedColumn("updated_at"), hidden: true },
];

export const WorkflowStatus = ({ status }: { status: string }) =>
  status === "ACTIVE" ? <Status tone="good">active</Status> : <Status tone="quiet">inactive</Status>;

export function WorkflowList() {
  return (
    <DataTable
      label="Insight workflows"
      operation="GET /api/v1/insights/workflows/"
      columns={COLUMNS}
      search={{ field: "name", label: "Search by name" }}
      filters={[
        {
          field: "status",
          label: "Status",
          kind: "choice",
          choices: { ACTIVE: "Active", INACTIVE: "Inactive" },
        },
      ]}
      refresh_ms={REFRESH_ms}
      empty={{
        title: "No workflows yet",
        icon: IconBulb,
        about:
          "A workflow sets which conversations are analyzed and by which tools. Its cost is shown before you activate it.",
      }}
    />
  );
}
