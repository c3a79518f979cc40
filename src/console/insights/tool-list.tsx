import { IconFlask } from "@tabler/icons-react";
import type { InsightToolOutput } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { kindName } from "./insight-words.tsx";

const COLUMNS: Column<InsightToolOutput>[] = [
  nameColumn("/insights/tools"),
  {
    field: "insight_tool_definition_id",
    title: "Type",
    orderable: true,
    render: ({ insight_tool_definition }) => kindName(insight_tool_definition),
  },
  { field: "description", title: "Description", orderable: true },
  { field: "version", title: "Version", align: "right" },
  changedColumn("updated_at"),
];

export const ToolList = () => (
  <DataTable
    label="Insight tools"
    operation="GET /api/v1/insights/tool-configurations"
    prefix="t_"
    columns={COLUMNS}
    search={{ field: "name", label: "Search by name" }}
    empty={{
      title: "No insight tools yet",
      icon: IconFlask,
      about:
        "An insight tool extracts one thing from a conversation: by a question to a model, a pattern, a transcription or an HTTP request. Try it on a session before you run it on many.",
    }}
  />
);
