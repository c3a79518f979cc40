import { Button, Group, Select, Table, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CommunicationRequestResult, RequestStatus } from "../api-types.ts";
import { SearchBox } from "../lists/list-tools.tsx";
import { REQUEST_STATUSES, requestPath, requestWords } from "../outbound/batch-words.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { Empty, Fetched, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { saveFile } from "../parts/save-file.ts";
import { showFailure } from "../parts/show-failure.ts";
import { call, callForBytes } from "../server/api.ts";
import { Time } from "../time/time.tsx";

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

/** The people of a batch, in the order in which they came. */
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
  const download = useMutation({
    mutationFn: () =>
      callForBytes(
        "GET /api/v1/outbound/batches/{batch_id}/results",
        { path: { batch_id }, query: { status, reference_id } },
        "text/csv",
      ),
    onSuccess: (content) => saveFile(`${batch_id} results.csv`, content),
    onError: showFailure,
  });
  return (
    <Panel
      title="People"
      flush
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download CSV
          </Button>
          <SearchBox
            label="Exact reference"
            value={reference_id ?? ""}
            onChange={(reference) => change({ reference: reference.trim() })}
          />
          <Select
            size="xs"
            w={140}
            aria-label="State"
            placeholder="State"
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
              title={status || reference_id || page > 1 ? "Nobody matches" : "Nobody is in this batch yet"}
            >
              {status || reference_id || page > 1
                ? "Take a filter away to see more."
                : "Upload a file: each row becomes a person."}
            </Empty>
          ) : (
            <Scroller
              className={classes.scroll}
              label="People of the batch"
              stale={results.isPlaceholderData}
            >
              <Table highlightOnHover>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th miw={140}>Reference</Table.Th>
                    <Table.Th>Reached at</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Last status</Table.Th>
                    <Table.Th>Agent</Table.Th>
                    <Table.Th ta="right">Attempts</Table.Th>
                    <Table.Th>Last attempt</Table.Th>
                    <Table.Th>Session</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {people.map((person, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a reference may stand twice in a batch
                    <Table.Tr key={index}>
                      <Table.Td>
                        <RouteLink to={requestPath(batch_id, person.reference_id)}>
                          <bdi>{person.reference_id}</bdi>
                        </RouteLink>
                      </Table.Td>
                      <Table.Td>
                        <bdi>{person.target}</bdi>
                      </Table.Td>
                      <Table.Td>
                        <Status tone={requestWords(person.request_status).tone}>
                          {requestWords(person.request_status).word}
                        </Status>
                      </Table.Td>
                      <Table.Td>{spoken(person.channel_manager_status ?? "")}</Table.Td>
                      <Table.Td>{answerText(person)}</Table.Td>
                      <Table.Td ta="right">{person.attempt_count}</Table.Td>
                      <Table.Td>
                        <Time at={person.sent_at} kind="minute" />
                      </Table.Td>
                      <Table.Td>
                        {person.session_id ? (
                          <RouteLink to={`/sessions/${person.session_id}`}>{person.session_id}</RouteLink>
                        ) : (
                          "–"
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
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
