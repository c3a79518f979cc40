import { IconScale } from "@tabler/icons-react";
import type { JudgeListed } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { RouteLink } from "../parts/parts.tsx";

const COLUMNS: Column<JudgeListed>[] = [
  nameColumn("/tests/judges"),
  { field: "question", title: "Question" },
  {
    field: "insight_tool",
    title: "Insight tool",
    render: ({ insight_tool, insight_tool_id }) => (
      <RouteLink to={`/insights/tools/${insight_tool_id}`}>{insight_tool}</RouteLink>
    ),
  },
  { field: "votes", title: "Votes", align: "right" },
  { field: "label_count", title: "Labels", align: "right" },
  changedColumn("last_updated"),
  { field: "last_updated_by", title: "By", orderable: true, hidden: true },
];

export default listPage({
  title: "Judges",
  back: { to: "/tests", label: "Tests" },
  about: "Questions about a conversation that an insight tool answers. Tests expect a yes.",
  create: { permission: "tests_write", to: "/tests/judges/new", label: "New judge" },
  operation: "GET /api/v1/judges/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  empty: {
    title: "No judges yet",
    icon: IconScale,
    about:
      "For what no pattern can tell, such as whether the agent was polite. Label 50 sessions, and it counts.",
  },
});
