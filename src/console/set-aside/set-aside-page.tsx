import { Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconHandStop } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { SetAsideJob } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Empty, Fetched, PageHead, Panel, RouteLink, Scroller } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMe } from "../server/me.tsx";
import classes from "./set-aside-page.module.css";
import { kindWords } from "./set-aside-words.ts";

const REFRESH_MS = 15_000;
const LIST = ["GET /api/v1/queues/set_aside"] as const;

const COLUMNS: Column<SetAsideJob>[] = [
  { field: "kind", title: "Work", render: (work) => <bdi>{kindWords(work)}</bdi> },
  {
    field: "organization_name",
    title: "Organization",
    render: ({ organization_name }) => <bdi>{organization_name ?? "–"}</bdi>,
  },
  { field: "session_id", title: "Session", render: (work) => <SessionLink work={work} /> },
  timeColumn("set_aside_at", "Set aside"),
  { field: "interruptions", title: "Interruptions" },
  { field: "last_error", title: "Last error", render: ({ last_error }) => <bdi>{last_error ?? "–"}</bdi> },
  { field: "actions", title: "Actions", render: (work) => <Actions work={work} /> },
];

/** Jobs of all organizations that were set aside because processes died on them twice. For operators only. By hand: they come all at once. */
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
                <RowsTable columns={COLUMNS} rows={rows} rowKey={({ job_id }) => job_id} />
              </Scroller>
            </Panel>
          )
        }
      </Fetched>
    </>
  );
}

/** Another organization's session can't be opened here. */
function SessionLink({ work: { session_id, sub_organization_id } }: { work: SetAsideJob }) {
  const me = useMe();
  if (session_id === null) return "–";
  if (sub_organization_id !== me.sub_organization_id) return session_id;
  return <RouteLink to={`/sessions/${session_id}`}>{String(session_id)}</RouteLink>;
}

function Actions({ work }: { work: SetAsideJob }) {
  const client = useQueryClient();
  const path = { job_id: work.job_id };
  const retrying = useAction({
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
