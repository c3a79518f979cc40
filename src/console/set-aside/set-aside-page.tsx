import { Button, Group, Table } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconHandStop } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SetAsideJob } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Empty, Fetched, PageHead, Panel, RouteLink, Scroller } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMe } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import classes from "./set-aside-page.module.css";
import { kindWords } from "./set-aside-words.ts";

const REFRESH_MS = 15_000;
const LIST = ["GET /api/v1/queues/set_aside"] as const;

/** Jobs of all organizations that were set aside because processes died on them twice. For operators only. */
export default function SetAsidePage() {
  const work = useQuery({
    queryKey: LIST,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => call("GET /api/v1/queues/set_aside", { signal }),
  });
  return (
    <>
      <PageHead
        title="Set-aside work"
        about="Work that stopped the program twice. It waits until you retry or drop it."
      />
      <Fetched query={work}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing is set aside" icon={<IconHandStop size={28} />}>
              Messages, chats and insights appear here when the program stopped twice while it ran them.
            </Empty>
          ) : (
            <Panel title="Waiting for an operator" flush>
              <Scroller label="Set-aside work" className={classes.scroll}>
                <Table>
                  <Table.Thead>
                    <Table.Tr>
                      {[
                        "Work",
                        "Organization",
                        "Session",
                        "Set aside",
                        "Interruptions",
                        "Last error",
                        "Actions",
                      ].map((title) => (
                        <Table.Th key={title}>{title}</Table.Th>
                      ))}
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {rows.map((row) => (
                      <Row key={row.job_id} work={row} />
                    ))}
                  </Table.Tbody>
                </Table>
              </Scroller>
            </Panel>
          )
        }
      </Fetched>
    </>
  );
}

function Row({ work }: { work: SetAsideJob }) {
  const { sub_organization_id } = useMe();
  const { session_id, organization_name, last_error } = work;
  return (
    <Table.Tr>
      <Table.Td>
        <bdi>{kindWords(work)}</bdi>
      </Table.Td>
      <Table.Td>
        <bdi>{organization_name ?? "–"}</bdi>
      </Table.Td>
      <Table.Td>
        {session_id === null ? (
          "–"
        ) : work.sub_organization_id === sub_organization_id ? (
          <RouteLink to={`/sessions/${session_id}`}>{String(session_id)}</RouteLink>
        ) : (
          // Another organization's can't be opened here.
          session_id
        )}
      </Table.Td>
      <Table.Td>
        <Time at={work.set_aside_at} kind="minute" />
      </Table.Td>
      <Table.Td>{work.interruptions}</Table.Td>
      <Table.Td>
        <bdi>{last_error ?? "–"}</bdi>
      </Table.Td>
      <Table.Td>
        <Actions work={work} />
      </Table.Td>
    </Table.Tr>
  );
}

function Actions({ work }: { work: SetAsideJob }) {
  const client = useQueryClient();
  const path = { job_id: work.job_id };
  const retrying = useMutation({
    mutationFn: () => call("POST /api/v1/queues/set_aside/{job_id}/retry", { path }),
    onError: showFailure,
    async onSuccess() {
      notifications.show({ message: "Retry started.", color: "green", autoClose: 4000 });
      await client.invalidateQueries({ queryKey: LIST });
    },
  });
  return (
    <Group gap="xs" wrap="nowrap">
      <Button variant="default" size="xs" loading={retrying.isPending} onClick={() => retrying.mutate()}>
        Retry
      </Button>
      <ConfirmButton
        verb="Drop"
        size="xs"
        question="Drop this work?"
        act={() => call("DELETE /api/v1/queues/set_aside/{job_id}", { path })}
        invalidates={[LIST]}
        done="Dropped."
      >
        <bdi>{kindWords(work)}</bdi> is never finished. Later messages of the same conversation are answered;
        a web chat ends.
      </ConfirmButton>
    </Group>
  );
}
