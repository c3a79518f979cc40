import { Button, Checkbox, Group, Select, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { CampaignRequest } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { timeColumn } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { REQUEST_STATUSES, requestPath, requestWords } from "../outbound/batch-words.ts";
import { CHANNEL_STATUSES, spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { PEOPLE_FILTERS, type PeopleFilter } from "../outbound/people-link.ts";
import { DownloadButton } from "../parts/download-button.tsx";
import { Empty, Fetched, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { personPath } from "../parts/person-path.ts";
import { call, callForBytes } from "../server/api.ts";
import { BulkActions, type ChosenPeople } from "./bulk-actions.tsx";

const PAGE = 50;
const REFRESH_MS = 4000;
const OPERATION = "GET /api/v1/outbound/campaigns/{campaign_id}/requests";

const OUTCOMES = {
  reached: "reached",
  voicemail_left: "voicemail left",
  not_reached: "not reached",
  not_tried: "not tried",
  open: "open",
};
const STAGES = { tried: "tried", answered: "answered", talked: "talked", goal: "goal" };
const choices = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

const SELECTS = [
  ["request_status", "Status", REQUEST_STATUSES.map((value) => ({ value, label: requestWords(value).word }))],
  [
    "channel_manager_status",
    "Last status",
    CHANNEL_STATUSES.map((value) => ({ value, label: spoken(value) })),
  ],
  ["outcome", "Outcome", choices(OUTCOMES)],
  ["stage", "Stage", choices(STAGES)],
] as const;

type Picked = ReadonlySet<number>;

const columnsOf = (
  picked: Picked,
  pick: (id: number, isPicked: boolean) => void,
): Column<CampaignRequest>[] => [
  {
    field: "request_id",
    title: "Select",
    render: ({ request_id, reference_id }) => (
      <Checkbox
        size="xs"
        aria-label={`Select ${reference_id}`}
        checked={picked.has(request_id)}
        onChange={(event) => pick(request_id, event.currentTarget.checked)}
      />
    ),
  },
  {
    field: "reference_id",
    title: "Reference",
    render: ({ batch_id, reference_id }) => (
      <RouteLink to={requestPath(batch_id, reference_id)}>
        <bdi>{reference_id}</bdi>
      </RouteLink>
    ),
  },
  {
    field: "target",
    title: "Address",
    render: ({ target }) => (
      <RouteLink to={personPath(target)}>
        <bdi>{target}</bdi>
      </RouteLink>
    ),
  },
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
    render: ({ channel_manager_status, skip_reason }) => skip_reason ?? spoken(channel_manager_status),
  },
  { field: "attempt_count", title: "Attempts", align: "right" },
  timeColumn("sent_at", "Last attempt"),
  {
    field: "session_id",
    title: "Session",
    render: ({ session_id }) =>
      session_id ? <RouteLink to={`/sessions/${session_id}`}>{session_id}</RouteLink> : "–",
  },
];

/** The people of a campaign over all its batches: what the tiles of the board count. Picked or filtered ones are acted on. */
export function PeoplePanel({ campaign_id }: { campaign_id: number }) {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as PeopleFilter & { before?: string };
  const filter = Object.fromEntries(
    PEOPLE_FILTERS.flatMap((name) => (search[name] ? [[name, String(search[name])]] : [])),
  ) as PeopleFilter;
  const [picked, setPicked] = useState<Picked>(new Set());
  const change = (part: Record<string, string>) => {
    setPicked(new Set());
    const next = { ...search, before: "", ...part };
    void navigate({
      to: ".",
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)) as never,
      resetScroll: false,
    });
  };
  const path = { campaign_id };
  const query = { ...filter, before: search.before || null } as never;
  const page = useQuery({
    queryKey: ["campaign", campaign_id, "people", filter, search.before],
    queryFn: ({ signal }) =>
      call(OPERATION, { path, query: { ...(query as object), limit: PAGE }, signal } as never),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const isFiltered = Object.keys(filter).length > 0;
  const chosen =
    picked.size > 0 ? { request_ids: [...picked] } : isFiltered ? (filter as ChosenPeople) : null;
  const pick = (id: number, isPicked: boolean) => {
    const next = new Set(picked);
    if (isPicked) next.add(id);
    else next.delete(id);
    setPicked(next);
  };
  return (
    <Panel
      title={picked.size > 0 ? `People, ${picked.size} selected` : "People"}
      flush
      actions={
        <>
          {SELECTS.map(([name, label, data]) => (
            <Select
              key={name}
              size="xs"
              w={130}
              searchable
              aria-label={label}
              placeholder={label}
              data={data as { value: string; label: string }[]}
              value={filter[name] ?? null}
              onChange={(value) => change({ [name]: value ?? "" })}
              clearable
              clearButtonProps={{ "aria-label": `Clear ${label.toLowerCase()}` }}
            />
          ))}
          {(filter.skip_reason ?? filter.batch_id) && (
            <Button
              size="xs"
              variant="subtle"
              rightSection={<IconX size={12} />}
              onClick={() => change({ skip_reason: "", batch_id: "" })}
            >
              {filter.skip_reason ? `Skipped: ${spoken(filter.skip_reason)}` : `Batch ${filter.batch_id}`}
            </Button>
          )}
          <BulkActions campaign_id={campaign_id} chosen={chosen} onDone={() => setPicked(new Set())} />
          <DownloadButton
            size="xs"
            label="Export CSV"
            name={`campaign ${campaign_id} people.csv`}
            fetch={() => callForBytes(OPERATION, { path, query: filter as never }, "text/csv")}
          />
        </>
      }
    >
      <Fetched query={page} lines={8}>
        {({ requests, next }) => (
          <>
            {requests.length === 0 ? (
              <Empty title={isFiltered || search.before ? "Nobody matches" : "No people yet"}>
                {isFiltered || search.before
                  ? "Remove a filter to see more."
                  : "Create a batch and fill it from a CSV file."}
              </Empty>
            ) : (
              <Scroller
                className={classes.scroll}
                label="People of the campaign"
                stale={page.isPlaceholderData}
              >
                <RowsTable
                  columns={columnsOf(picked, pick)}
                  rows={requests}
                  rowKey={({ request_id }) => request_id}
                />
              </Scroller>
            )}
            {(next !== null || search.before) && (
              <Group justify="space-between" p="sm">
                <Text size="xs" c="dimmed">
                  Newest first
                </Text>
                <Button.Group>
                  <Button
                    size="xs"
                    variant="default"
                    disabled={!search.before}
                    onClick={() => change({ before: "" })}
                  >
                    First page
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    disabled={next === null}
                    onClick={() => change({ before: next ?? "" })}
                  >
                    Next
                  </Button>
                </Button.Group>
              </Group>
            )}
          </>
        )}
      </Fetched>
    </Panel>
  );
}
