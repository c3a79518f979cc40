import { IconSitemap, IconTool } from "@tabler/icons-react";
import type { ToolResponse } from "../api-types.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { counted } from "../parts/counted.ts";
import { FindingCount } from "../parts/findings.tsx";
import { LinkButton, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";

const COLUMNS: Column<ToolResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    // A name has no spaces to wrap at, so the column keeps a minimum width.
    render: ({ name }) => (
      <div style={{ minWidth: "11rem" }}>
        <RouteLink to={`/tools/${encodeURIComponent(name)}`}>{name}</RouteLink>
      </div>
    ),
  },
  {
    field: "definition",
    title: "Description",
    render: ({ definition }) => <bdi>{definition.tool.function.description}</bdi>,
  },
  { field: "kind", title: "Type", render: ({ definition }) => kindOf(definition) },
  { field: "service_name", title: "Service", orderable: true },
  {
    field: "prompts_info",
    title: "Used by",
    render: ({ prompts_info }) => {
      const count = prompts_info?.length ?? 0;
      return count === 0 ? "no prompt" : count === 1 ? prompts_info?.[0]?.name : counted(count, "prompt");
    },
  },
  {
    field: "validation_issues",
    title: "Status",
    render: ({ validation_issues }) => <FindingCount issues={validation_issues} />,
  },
  { field: "version_number", title: "Version", align: "right", hidden: true },
  changedColumn("last_updated"),
];

const KINDS = {
  endpoint: "HTTP request",
  context: "Variables",
  action: "Fixed reply",
  log: "Log event",
  mcp: "MCP tool",
  client: "Runs in the visitor's page",
};

/** The label of a tool's type. */
export function kindOf({ type, endpoint, mcp, client, context }: ToolResponse["definition"]): string {
  if (context?.task) return "Workflow";
  return KINDS[type ?? (mcp ? "mcp" : client ? "client" : endpoint ? "endpoint" : "action")];
}

function NewWorkflow() {
  if (!useMay()("tools_write")) return null;
  return (
    <LinkButton to="/workflows/new" variant="default" leftSection={<IconSitemap size={15} />}>
      New workflow
    </LinkButton>
  );
}

export default listPage({
  title: "Tools",
  about: "Actions agents can take: call an API, run a workflow, log an event.",
  create: { permission: "tools_write", to: "/tools/new", label: "New tool" },
  Actions: NewWorkflow,
  operation: "GET /api/v1/tools/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  filters: [{ field: "service_name", label: "Service", kind: "text" }],
  empty: {
    title: "No tools yet",
    icon: IconTool,
    about:
      "A tool is a function the model may call. An HTTP tool sends its arguments to a service of yours; a workflow tool guides the conversation step by step.",
  },
});
