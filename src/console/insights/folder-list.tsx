import { IconFolder } from "@tabler/icons-react";
import type { InsightsFolder } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, RouteLink } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";

const COLUMNS: Column<InsightsFolder>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/insights/folders/${id}`}>{name}</RouteLink>,
  },
  { field: "label", title: "Label", orderable: true, render: ({ label }) => <bdi>{label ?? "–"}</bdi> },
  {
    field: "description",
    title: "Description",
    render: ({ description }) => <bdi>{description ?? "–"}</bdi>,
  },
  {
    field: "updated_at",
    title: "Updated",
    orderable: true,
    render: ({ updated_at }) => <Time at={updated_at} kind="minute" />,
  },
];

export const FolderList = () => (
  <DataTable
    label="Folders of recordings"
    operation="GET /api/v1/insights/folders/"
    prefix="d_"
    columns={COLUMNS}
    rowKey={({ id }) => id}
    search={{ field: "name", label: "Search by name" }}
    empty={
      <Empty title="No folders yet" icon={<IconFolder size={28} />}>
        Upload recordings and transcripts from other systems here. Workflows on recordings analyze them as
        they arrive.
      </Empty>
    }
  />
);
