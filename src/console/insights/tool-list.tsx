import { IconFlask } from "@tabler/icons-react";
import type { InsightToolOutput } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, RouteLink } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { kindName } from "./insight-words.tsx";

const COLUMNS: Column<InsightToolOutput>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/insights/tools/${id}`}>{name}</RouteLink>,
  },
  {
    field: "insight_tool_definition_id",
    title: "What it does",
    orderable: true,
    render: ({ insight_tool_definition }) => kindName(insight_tool_definition),
  },
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description}</bdi>,
  },
  { field: "version", title: "Version", align: "right", render: ({ version }) => version },
  {
    field: "updated_at",
    title: "Updated",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

export const ToolList = () => (
  <DataTable
    label="Insight tools"
    operation="GET /api/v1/insights/tool-configurations"
    prefix="t_"
    columns={COLUMNS}
    rowKey={({ id }) => id}
    search={{ field: "name", label: "Search by name" }}
    empty={
      <Empty title="No insight tool yet" icon={<IconFlask size={28} />}>
        A tool asks one thing of a conversation: a question to a model with typed answers, a pattern, a
        transcription, or a call to a service of yours. Try it on a session before it runs over many.
      </Empty>
    }
  />
);
