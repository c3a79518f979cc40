import { IconFileMusic } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { InsightExecution, InsightsUploadFile } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { formatDuration } from "../parts/duration.ts";
import { Stale, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { ExecutionStatus } from "./insight-words.tsx";

const REFRESH_ms = 4000;
/** The newest executions of a folder are read together; a file without one among them is asked for by itself. */
const NEWEST = 200;
const UNFINISHED_ms = 15_000;
const FILES = "GET /api/v1/insights/folders/{folder_id}/files";

/** The recordings of a folder, each with the status of its analysis. */
export function FileList({ folder_id }: { folder_id: number }) {
  const executions = useQuery({
    queryKey: ["folder executions", folder_id],
    refetchInterval: REFRESH_ms,
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/executions/", {
        query: {
          search_fields: ["upload_folder_id"],
          search_field_values: [String(folder_id)],
          order_by: "id",
          order_by_direction: "desc",
          limit: NEWEST,
        },
        signal,
      }),
  });
  const newest = new Map<number, InsightExecution>();
  for (const execution of executions.data?.items ?? []) {
    const { upload_file_id } = execution;
    if (upload_file_id !== null && !newest.has(upload_file_id)) newest.set(upload_file_id, execution);
  }
  const workOf = (file_id: number): Work => {
    if (executions.data === undefined) return "unknown";
    return newest.get(file_id) ?? (executions.data.items.length < NEWEST ? "none" : "older");
  };
  const columns: Column<InsightsUploadFile>[] = [
    { field: "filename", title: "File", orderable: true },
    { field: "state", title: "Analysis", render: (file) => <FileState file={file} work={workOf(file.id)} /> },
    {
      field: "agent_number",
      title: "Agent",
      orderable: true,
      render: ({ agent_number }) => <bdi>{agent_number ?? "–"}</bdi>,
    },
    {
      field: "customer_number",
      title: "Customer",
      orderable: true,
      hidden: true,
      render: ({ customer_number }) => <bdi>{customer_number ?? "–"}</bdi>,
    },
    {
      field: "duration",
      title: "Length",
      orderable: true,
      align: "right",
      render: ({ duration }) =>
        duration === null || duration === undefined ? "–" : formatDuration(duration * 1000),
    },
    timeColumn("created_at", "Came"),
    {
      field: "actions",
      title: "Action",
      permissions: ["insights_delete"],
      render: (file) => (
        <ConfirmButton
          size="compact-sm"
          verb="Delete"
          aria-label={`Delete ${file.filename}`}
          c="var(--mantine-color-error)"
          question="Delete this recording?"
          act={() =>
            call("DELETE /api/v1/insights/folders/{folder_id}/files/{file_id}", {
              path: { folder_id, file_id: file.id },
            })
          }
          invalidates={[[FILES], ["insight folder"]]}
          done={`${file.filename} deleted`}
        >
          Sound and transcript of <b dir="auto">{file.filename}</b> are deleted for good. Other results of
          insight tools are kept.
        </ConfirmButton>
      ),
    },
  ];
  return (
    <>
      <Stale error={executions.error} retry={() => executions.refetch()} />
      <DataTable
        label="Recordings of the folder"
        operation={FILES}
        path={{ folder_id }}
        columns={columns}
        search={{ field: "filename", label: "Search by file name" }}
        filters={[{ field: "agent_number", label: "Agent number", kind: "text" }]}
        refresh_ms={REFRESH_ms}
        empty={{
          title: "No files yet",
          icon: IconFileMusic,
          about:
            "Upload recordings or transcripts. Active workflows that use this folder analyze them at once.",
        }}
      />
    </>
  );
}

/** The newest execution of a file. */
type Work = InsightExecution | "none" | "older" | "unknown";

function FileState({ file, work }: { file: InsightsUploadFile; work: Work }) {
  if (work === "unknown") return "–";
  if (work === "older") return <OwnState file={file} />;
  const problem = (work === "none" ? null : work.error_message) ?? file.error_message;
  return (
    <>
      {work !== "none" ? (
        <ExecutionStatus status={work.status} />
      ) : file.error_message ? (
        <Status tone="bad">failed</Status>
      ) : (
        <Status tone="quiet">not analyzed</Status>
      )}
      {problem && <div dir="auto">{problem}</div>}
    </>
  );
}

/** The status of a file whose execution is not among the newest. */
function OwnState({ file }: { file: InsightsUploadFile }) {
  const own = useQuery({
    queryKey: ["folder executions", file.folder_id, file.id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/executions/", {
        query: {
          search_fields: ["upload_file_id"],
          search_field_values: [String(file.id)],
          order_by: "id",
          order_by_direction: "desc",
          limit: 1,
        },
        signal,
      }),
    refetchInterval: ({ state }) => (isUnfinished(state.data?.items[0]) ? UNFINISHED_ms : false),
  });
  if (own.error && !own.data) return <div dir="auto">{own.error.message}</div>;
  return <FileState file={file} work={own.data ? (own.data.items[0] ?? "none") : "unknown"} />;
}

const isUnfinished = (execution: InsightExecution | undefined): boolean =>
  execution?.status === "PENDING" || execution?.status === "PROCESSING";
