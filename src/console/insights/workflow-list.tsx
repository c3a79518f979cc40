import { Text } from "@mantine/core";
import { IconBulb } from "@tabler/icons-react";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, RouteLink, Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { expectedDay, sourceName } from "./insight-words.tsx";

const REFRESH_ms = 5000;

const COLUMNS: Column<InsightWorkflowOutput>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/insights/workflows/${id}`}>{name}</RouteLink>,
  },
  {
    field: "status",
    title: "State",
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
    render: ({ estimate }) => expectedDay(estimate),
  },
  {
    field: "updated_at",
    title: "Updated",
    orderable: true,
    hidden: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

export const WorkflowStatus = ({ status }: { status: string }) =>
  status === "ACTIVE" ? <Status tone="good">active</Status> : <Status tone="quiet">inactive</Status>;

export function WorkflowList() {
  return (
    <DataTable
      label="Insight workflows"
      operation="GET /api/v1/insights/workflows/"
      columns={COLUMNS}
      rowKey={({ id }) => id}
      search={{ field: "name", label: "Search by name" }}
      filters={[
        {
          field: "status",
          label: "State",
          kind: "choice",
          choices: [
            { value: "ACTIVE", label: "Active" },
            { value: "INACTIVE", label: "Inactive" },
          ],
        },
      ]}
      refresh_ms={REFRESH_ms}
      empty={
        <Empty title="No workflow yet" icon={<IconBulb size={28} />}>
          A workflow says which conversations are analysed and by which tools. What it will cost is shown
          before it begins.
        </Empty>
      }
    />
  );
}
