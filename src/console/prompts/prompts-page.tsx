import { IconFileText } from "@tabler/icons-react";
import type { PromptResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { FindingCount } from "../parts/findings.tsx";

const COLUMNS: Column<PromptResponse>[] = [
  nameColumn("/prompts"),
  { field: "description", title: "Description", orderable: true },
  { field: "llm_config", title: "Model", render: ({ llm_config }) => llm_config.model },
  { field: "tools", title: "Tools", render: ({ tools }) => tools.join(", ") || "none" },
  { field: "agent_count", title: "Agents", align: "right", render: ({ agent_count }) => agent_count ?? 0 },
  { field: "version_number", title: "Version", align: "right", hidden: "narrow" },
  {
    field: "validation_issues",
    title: "Status",
    render: ({ validation_issues }) => <FindingCount issues={validation_issues} />,
  },
  changedColumn("last_updated"),
];

export default listPage({
  title: "Prompts",
  about: "Instructions, model and tools of an agent. Every save creates a version.",
  create: { permission: "prompts_write", to: "/prompts/new", label: "New prompt" },
  operation: "GET /api/v1/prompts/",
  columns: COLUMNS,
  search: { field: "name_description", label: "Search name and description" },
  filters: [
    { field: "tools", label: "Tool", kind: "text" },
    { field: "context", label: "Search instructions", kind: "text" },
  ],
  empty: {
    title: "No prompts yet",
    icon: IconFileText,
    about: "A prompt tells the model who it is and what to do. Agents use the latest version or a fixed one.",
  },
});
