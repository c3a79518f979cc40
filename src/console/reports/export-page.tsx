import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconPackageExport } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TakeoutStatusResponse } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { Empty, Failure, Fetched, PageHead, Panel, Status, type Tone } from "../parts/parts.tsx";
import { ApiError, addressOf, call } from "../server/api.ts";
import { useMe } from "../server/me.tsx";
import { createStore, useStore } from "../server/store.ts";
import { Time } from "../time/time.tsx";

const REFRESH_ms = 2000;

/** The API has no list of exports, so the browser remembers those requested in it, by sub-organization. */
const asked = createStore<Record<string, string[]>>({}, "parley.takeouts");
const REMEMBERED = 5;

const STATES: Record<TakeoutStatusResponse["status"], { tone: Tone; word: string }> = {
  pending: { tone: "busy", word: "waits" },
  in_progress: { tone: "busy", word: "is being made" },
  completed: { tone: "good", word: "ready" },
  failed: { tone: "bad", word: "failed" },
  canceled: { tone: "quiet", word: "canceled" },
};

export default function ExportPage() {
  const client = useQueryClient();
  const owner = String(useMe().sub_organization_id);
  const all = useStore(asked);
  const jobs = all[owner] ?? [];
  const create = useAction({
    mutationFn: () => call("POST /api/v1/takeouts/create", {}),
    async onSuccess({ job_id }) {
      asked.set({ ...all, [owner]: [job_id, ...jobs].slice(0, REMEMBERED) });
      await client.invalidateQueries({ queryKey: ["takeout"] });
    },
  });
  const ask = (
    <Button
      leftSection={<IconPackageExport size={16} />}
      loading={create.isPending}
      onClick={() => create.mutate()}
    >
      New export
    </Button>
  );
  return (
    <>
      <PageHead
        title="Export everything"
        back={{ to: "/reports", label: "Reports" }}
        about="ZIP archives of the organization's configuration, sessions, recordings, outbound data and insights. No secrets. Kept for seven days."
        actions={ask}
      />
      {create.error && <Failure error={create.error} />}
      {jobs.length === 0 ? (
        <Panel>
          <Empty title="No exports yet" icon={<IconPackageExport size={28} />}>
            Exports run in the background, one at a time. Download their archives here: JSON Lines text, and
            recordings as stored.
          </Empty>
        </Panel>
      ) : (
        <Stack gap="md">
          {jobs.map((job) => (
            <Takeout
              key={job}
              job_id={job}
              onForget={() => asked.set({ ...all, [owner]: jobs.filter((each) => each !== job) })}
            />
          ))}
        </Stack>
      )}
    </>
  );
}

function Takeout({ job_id, onForget }: { job_id: string; onForget(): void }) {
  const takeout = useQuery({
    queryKey: ["takeout", job_id],
    queryFn: ({ signal }) => call("GET /api/v1/takeouts/get/{job_id}", { path: { job_id }, signal }),
    refetchInterval: ({ state }) =>
      state.data && ["pending", "in_progress"].includes(state.data.status) ? REFRESH_ms : false,
  });
  const isGone = takeout.error instanceof ApiError && takeout.error.status === 404;
  if (isGone) {
    return (
      <Panel>
        <Group justify="space-between">
          <Text size="sm">This export has expired. Exports are kept for seven days.</Text>
          <Button variant="default" size="compact-sm" onClick={onForget}>
            Remove from this list
          </Button>
        </Group>
      </Panel>
    );
  }
  return (
    <Fetched query={takeout} lines={2}>
      {({ status, updated_at, file_names, missing_recordings }) => (
        <Panel
          title={
            <>
              Export, <Time at={updated_at} kind="minute" />
            </>
          }
          actions={<Status tone={STATES[status].tone}>{STATES[status].word}</Status>}
        >
          {status === "completed" ? (
            <Stack gap="xs">
              {missing_recordings ? <MissingRecordings count={missing_recordings} /> : null}
              {(file_names ?? []).map((name) => (
                <ArchiveRow key={name} job_id={job_id} name={name} />
              ))}
            </Stack>
          ) : (
            <Text size="sm" c="dimmed">
              {status === "failed"
                ? "See Events for the reason, then start a new export."
                : "You can leave this page. The export continues."}
            </Text>
          )}
        </Panel>
      )}
    </Fetched>
  );
}

function MissingRecordings({ count }: { count: number }) {
  const are = counted(count, "recording is", "recordings are");
  return (
    <Alert color="yellow" title={`${are} not in this export`}>
      Their files were not on the machine that made it. The manifest.json of the first recordings archive
      names them. Ask who operates Parley, then export again.
    </Alert>
  );
}

/** A plain link, so that an archive of gigabytes is saved to disk without passing through the page's memory. */
function ArchiveRow({ job_id, name }: { job_id: string; name: string }) {
  const href = addressOf("/api/v1/takeouts/get/{job_id}/file/{file_name}", { job_id, file_name: name }, {});
  return (
    <Group justify="space-between" wrap="nowrap">
      <bdi style={{ overflowWrap: "anywhere" }}>{name}</bdi>
      <Button
        component="a"
        href={href}
        download={name}
        variant="default"
        size="compact-sm"
        leftSection={<IconDownload size={14} />}
        aria-label={`Fetch ${name}`}
      >
        Fetch
      </Button>
    </Group>
  );
}
