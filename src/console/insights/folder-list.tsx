import { IconFolder } from "@tabler/icons-react";
import type { InsightsFolder } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";

const COLUMNS: Column<InsightsFolder>[] = [
  nameColumn("/insights/folders"),
  { field: "label", title: "Label", orderable: true, render: ({ label }) => <bdi>{label ?? "–"}</bdi> },
  {
    field: "description",
    title: "Description",
    render: ({ description }) => <bdi>{description ?? "–"}</bdi>,
  },
  changedColumn("updated_at"),
];

export const FolderList = () => (
  <DataTable
    label="Folders of recordings"
    operation="GET /api/v1/insights/folders/"
    prefix="d_"
    columns={COLUMNS}
    search={{ field: "name", label: "Search by name" }}
    empty={{
      title: "No folders yet",
      icon: IconFolder,
      about:
        "Upload recordings and transcripts from other systems here. Workflows on recordings analyze them as they arrive.",
    }}
  />
);
