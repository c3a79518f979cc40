import { Group } from "@mantine/core";
import type { InsightExecution, InsightWorkflowOutput } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { formatDuration } from "../parts/duration.ts";
import { Names } from "../parts/names.tsx";
import { RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { RetryFailed } from "./activation-panel.tsx";
import { CAUSES, dollars, ExecutionStatus } from "./insight-words.tsx";

const REFRESH_ms = 3000;

const COLUMNS: Column<InsightExecution>[] = [
  {
    field: "session_id",
    title: "Source",
    orderable: true,
    render: ({ session_id, upload_file_id }) =>
      session_id ? (
        <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>
      ) : (
        `Recording ${upload_file_id}`
      ),
  },
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: (execution) => <ExecutionStatus status={execution.status} />,
  },
  { field: "cause", title: "Trigger", orderable: true, render: ({ cause }) => CAUSES[cause] },
  {
    field: "error_message",
    title: "Error",
    orderable: true,
    render: ({ error_message }) => <bdi>{error_message ?? "–"}</bdi>,
  },
  {
    field: "tools",
    title: "Tools",
    hidden: true,
    render: ({ tools }) => (
      <Names
        of={tools.map(({ name, model, finished_at }) =>
          finished_at ? `${name} (${model ?? "no model"})` : `${name} (not yet)`,
        )}
      />
    ),
  },
  { field: "attempts", title: "Attempts", align: "right" },
  {
    field: "took",
    title: "Duration",
    align: "right",
    render: ({ tools }) => {
      const known = tools.filter(({ duration_ms }) => duration_ms !== null);
      return known.length > 0
        ? formatDuration(known.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0))
        : "–";
    },
  },
  { field: "cost", title: "Cost", align: "right", render: ({ cost_usd }) => dollars(cost_usd) },
  timeColumn("created_at", "Queued"),
];

/** The executions of a workflow: session or recording, status, tokens and cost. */
export function ExecutionList({ workflow }: { workflow: InsightWorkflowOutput }) {
  const may = useMay();
  return (
    <>
      {may("insights_write") && Boolean(workflow.failed_count) && (
        <Group justify="flex-end" mb="sm">
          <RetryFailed workflow={workflow} />
        </Group>
      )}
      <DataTable
        label="Executions"
        operation="GET /api/v1/insights/executions/"
        prefix="e_"
        columns={COLUMNS}
        fixed={{ workflow_id: String(workflow.id) }}
        search={{ field: "error_message", label: "Error" }}
        filters={[
          {
            field: "status",
            label: "Status",
            kind: "choice",
            choices: { PENDING: "Waits", PROCESSING: "Runs", COMPLETED: "Done", FAILED: "Failed" },
          },
          { field: "cause", label: "Trigger", kind: "choice", choices: CAUSES },
        ]}
        days
        refresh_ms={REFRESH_ms}
        empty={{
          title: "No executions yet",
          about:
            "Executions are queued when a session ends while the workflow is active, by a backfill, or by hand.",
        }}
      />
    </>
  );
}
