import { Button, Group, Select, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CommunicationRequestResult, RequestStatus } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { SearchBox } from "../lists/list-tools.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { REQUEST_STATUSES, requestPath, requestWords } from "../outbound/batch-words.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { DownloadButton } from "../parts/download-button.tsx";
import { Empty, Fetched, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { call, callForBytes } from "../server/api.ts";

const PAGE = 50;
const REFRESH_MS = 4000;

const ANSWERERS: Record<string, string> = { HUMAN: "person", MACHINE: "voicemail", UNKNOWN: "not known" };

/** `voicemail, message left, 0:24` */
function answerText({ answered_by, voicemail_left, duration_s }: CommunicationRequestResult): string {
  if (!answered_by) return "–";
  const parts = [ANSWERERS[answered_by] ?? answered_by];
  if (voicemail_left) parts.push("message left");
  if (duration_s != null)
    parts.push(`${Math.floor(duration_s / 60)}:${String(duration_s % 60).padStart(2, "0")}`);
  return parts.join(", ");
}

const columnsOf = (batch_id: string): Column<CommunicationRequestResult>[] => [
  {
    field: "reference_id",
    title: "Reference",
    render: ({ reference_id }) => (
      <div style={{ minWidth: 120 }}>
        <RouteLink to={requestPath(batch_id, reference_id)}>
          <bdi>{reference_id}</bdi>
        </RouteLink>
      </div>
    ),
  },
  { field: "target", title: "Reached at" },
  {
    field: "request_status",
    title: "Status",
    render: ({ request_status }) => (
      <Status tone={requestWords(request_status).tone}>{requestWords(request_status).word}</Status>
    ),
  },
  {
    field: "channel_manager_status",
    title: "Last status",
    render: ({ channel_manager_status }) => spoken(channel_manager_status ?? ""),
  },
  { field: "answered_by", title: "Agent", render: answerText },
  { field: "attempt_count", title: "Attempts", align: "right" },
  timeColumn("sent_at", "Last attempt"),
  {
    field: "session_id",
    title: "Session",
    render: ({ session_id }) =>
      session_id ? <RouteLink to={`/sessions/${session_id}`}>{session_id}</RouteLink> : "–",
  },
];

/** The people of a batch, in the order in which they came. By hand: the API gives them without their number. */
export function RequestsPanel({ batch_id }: { batch_id: string }) {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { status?: string; reference?: string; page?: string };
  const page = Math.max(1, Math.trunc(Number(search.page)) || 1);
  const status = (search.status || null) as RequestStatus | null;
  const reference_id = search.reference || null;
  const change = (part: Record<string, string>) => {
    const next = { ...search, page: "", ...part };
    void navigate({
      to: ".",
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)) as never,
      replace: true,
      resetScroll: false,
    });
  };
  const results = useQuery({
    queryKey: ["batch", batch_id, "results", status, reference_id, page],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/batches/{batch_id}/results", {
        path: { batch_id },
        query: { status, reference_id, limit: PAGE, page: page - 1 },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Panel
      title="People"
      flush
      actions={
        <>
          <DownloadButton
            size="xs"
            label="Export CSV"
            name={`${batch_id} results.csv`}
            fetch={() =>
              callForBytes(
                "GET /api/v1/outbound/batches/{batch_id}/results",
                { path: { batch_id }, query: { status, reference_id } },
                "text/csv",
              )
            }
          />
          <SearchBox
            label="Exact reference"
            value={reference_id ?? ""}
            onChange={(reference) => change({ reference: reference.trim() })}
          />
          <Select
            size="xs"
            w={140}
            aria-label="Status"
            placeholder="Status"
            data={REQUEST_STATUSES.map((value) => ({ value, label: requestWords(value).word }))}
            value={status}
            onChange={(chosen) => change({ status: chosen ?? "" })}
            clearable
            clearButtonProps={{ "aria-label": "Clear the state" }}
          />
        </>
      }
    >
      <Fetched query={results} lines={8}>
        {(people) =>
          people.length === 0 ? (
            <Empty
              title={status || reference_id || page > 1 ? "No one matches" : "No people in this batch yet"}
            >
              {status || reference_id || page > 1
                ? "Remove a filter to see more."
                : "Upload a file: each row becomes a person."}
            </Empty>
          ) : (
            <Scroller
              className={classes.scroll}
              label="People of the batch"
              stale={results.isPlaceholderData}
            >
              <RowsTable columns={columnsOf(batch_id)} rows={people} />
            </Scroller>
          )
        }
      </Fetched>
      {results.data && (page > 1 || results.data.length === PAGE) && (
        <Group justify="space-between" p="sm">
          <Text size="xs" c="dimmed">
            Page {page}
          </Text>
          <Button.Group>
            <Button
              size="xs"
              variant="default"
              disabled={page === 1}
              onClick={() => change({ page: String(page - 1) })}
            >
              Previous
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={results.data.length < PAGE}
              onClick={() => change({ page: String(page + 1) })}
            >
              Next
            </Button>
          </Button.Group>
        </Group>
      )}
    </Panel>
  );
}
