import { Button, Group, NumberInput, Progress, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { DataSourceCrawl, DataSourceCrawlPage } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { counted } from "../parts/counted.ts";
import { Facts, Failure, Fetched, Panel, Status, type Tone } from "../parts/parts.tsx";
import { useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { ApiError, call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const PAGES = "GET /api/v1/data_sources/{data_source_id}/crawl/pages/";
const DOCUMENTS = "GET /api/v1/data_sources/{data_source_id}/documents/";

/** The web site that is read into the data source: where it begins, how far it goes, and what came of each page. */
export function CrawlView({ data_source_id }: { data_source_id: number }) {
  const path = { data_source_id };
  const crawl = useQuery({
    queryKey: ["crawl", data_source_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/data_sources/{data_source_id}/crawl", { path, signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 1_500 : 15_000),
  });
  const mayWrite = useMay()("data_sources_write");
  return (
    <Fetched query={crawl}>
      {(found) => (
        <Stack gap="md">
          {found && <CrawlStatus data_source_id={data_source_id} crawl={found} />}
          {mayWrite && (
            <Panel title={found ? "Settings" : "Read a web site"}>
              <CrawlForm data_source_id={data_source_id} crawl={found} />
            </Panel>
          )}
          {found && (
            <DataTable
              label="Pages"
              operation={PAGES}
              path={path}
              columns={COLUMNS}
              rowKey={({ url }) => url}
              search={{ field: "url", label: "Search by address" }}
              refresh_ms={3_000}
              empty={{ title: "No pages yet" }}
            />
          )}
        </Stack>
      )}
    </Fetched>
  );
}

type OfCrawl = { data_source_id: number; crawl: DataSourceCrawl };

const STATUS: Record<DataSourceCrawl["status"], [Tone, string]> = {
  running: ["busy", "Reading"],
  finished: ["good", "Finished"],
  stopped: ["quiet", "Stopped"],
  failed: ["bad", "Failed"],
};

function CrawlStatus({ data_source_id, crawl }: OfCrawl) {
  const may = useMay();
  const client = useQueryClient();
  const path = { data_source_id };
  const invalidates = [["crawl", data_source_id], [PAGES], [DOCUMENTS]];
  const isRunning = crawl.status === "running";
  const change = useAction({
    mutationFn: () =>
      isRunning
        ? call("POST /api/v1/data_sources/{data_source_id}/crawl/stop", { path })
        : call("POST /api/v1/data_sources/{data_source_id}/crawl/run", { path }),
    onSuccess: () => Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const done = crawl.pages_read + crawl.pages_skipped + crawl.pages_failed;
  const expected = Math.min(crawl.max_pages, done + crawl.pages_waiting);
  const [tone, word] = STATUS[crawl.status];
  return (
    <Panel
      title="Web site"
      actions={
        <>
          {may("data_sources_write") && (
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              leftSection={isRunning ? <IconPlayerStop size={14} /> : <IconPlayerPlay size={14} />}
              onClick={() => change.mutate()}
            >
              {isRunning ? "Stop" : "Read again"}
            </Button>
          )}
          {may("data_sources_delete") && (
            <ConfirmButton
              size="xs"
              verb="Remove"
              question="Remove the web site?"
              act={() => call("DELETE /api/v1/data_sources/{data_source_id}/crawl", { path })}
              invalidates={invalidates}
              done="Web site removed"
            >
              The pages that were read from it are deleted. Uploaded files stay.
            </ConfirmButton>
          )}
        </>
      }
    >
      <Stack gap="sm">
        {change.error && <Failure error={change.error} />}
        {isRunning && (
          <Progress value={(100 * done) / Math.max(1, expected)} animated aria-label="Pages read so far" />
        )}
        <Facts
          items={[
            [
              "Status",
              <Status key="status" tone={tone}>
                {word}
              </Status>,
            ],
            ["Address", <bdi key="address">{crawl.start_url}</bdi>],
            ["Pages read", crawl.pages_read.toLocaleString("en")],
            ["Skipped", crawl.pages_skipped.toLocaleString("en")],
            ["Failed", crawl.pages_failed.toLocaleString("en")],
            ["Waiting", crawl.pages_waiting.toLocaleString("en")],
            ["Started", <Time key="started" at={crawl.started_at} />],
            ["Next time", crawl.next_run_at && <Time key="next" at={crawl.next_run_at} />],
          ]}
        />
        {crawl.problem && (
          <Text size="sm" c="red" role="alert">
            {crawl.problem}.
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

const EVERY = [
  { value: "", label: "Only when started here" },
  { value: "24", label: "Every day" },
  { value: "168", label: "Every week" },
  { value: "720", label: "Every 30 days" },
];

type Values = { start_url: string; max_depth: number; max_pages: number; every_hours: string };

const valuesOf = (crawl: DataSourceCrawl | null): Values => ({
  start_url: crawl?.start_url ?? "",
  max_depth: crawl?.max_depth ?? 3,
  max_pages: crawl?.max_pages ?? 200,
  every_hours: crawl?.every_hours == null ? "" : String(crawl.every_hours),
});
const LABELS = {
  start_url: "Start address",
  max_depth: "Depth of links",
  max_pages: "Most pages",
  every_hours: "Read again (h)",
};

function CrawlForm({ data_source_id, crawl }: { data_source_id: number; crawl: DataSourceCrawl | null }) {
  const path = { data_source_id };
  const record = useRecordForm<DataSourceCrawl, Values>({
    noun: "Web site",
    labels: LABELS,
    record: crawl,
    values: valuesOf,
    save: ({ every_hours, ...values }) =>
      call("PUT /api/v1/data_sources/{data_source_id}/crawl", {
        path,
        body: { ...values, every_hours: every_hours === "" ? null : Number(every_hours) },
      }),
    reread: () => call("GET /api/v1/data_sources/{data_source_id}/crawl", { path }),
    invalidates: [["crawl", data_source_id]],
    onSaved: () => {},
  });
  const { fields } = record;
  const { every_hours } = fields.getValues();
  const known = EVERY.some(({ value }) => value === every_hours);
  const own = { value: every_hours, label: `Every ${counted(Number(every_hours), "hour")}` };
  return (
    <RecordFormFrame form={record} verb="Save and read">
      <TextInput
        label={LABELS.start_url}
        description="Pages of the same site that are linked from here are read. robots.txt is honoured."
        placeholder="https://www.example.com/"
        required
        maxLength={1000}
        {...fields.getInputProps("start_url")}
      />
      <Group align="flex-end" gap="sm">
        <NumberInput
          label={LABELS.max_depth}
          min={0}
          max={10}
          w={140}
          {...fields.getInputProps("max_depth")}
        />
        <NumberInput
          label={LABELS.max_pages}
          min={1}
          max={1000}
          w={140}
          {...fields.getInputProps("max_pages")}
        />
        <Select
          label="Read again"
          data={known ? EVERY : [...EVERY, own]}
          allowDeselect={false}
          w={220}
          {...fields.getInputProps("every_hours")}
        />
      </Group>
    </RecordFormFrame>
  );
}

const PAGE_STATUS: Record<DataSourceCrawlPage["status"], [Tone, string]> = {
  waiting: ["quiet", "Waiting"],
  read: ["good", "Read"],
  unchanged: ["good", "Unchanged"],
  skipped: ["quiet", "Skipped"],
  failed: ["bad", "Failed"],
};

const COLUMNS: Column<DataSourceCrawlPage>[] = [
  { field: "url", title: "Address", orderable: true },
  {
    field: "status",
    title: "Status",
    orderable: true,
    render: ({ status }) => <Status tone={PAGE_STATUS[status][0]}>{PAGE_STATUS[status][1]}</Status>,
  },
  { field: "problem", title: "Reason", render: ({ problem }) => problem && <bdi>{problem}</bdi> },
  { field: "depth", title: "Depth", orderable: true, align: "right" },
  timeColumn("read_at", "Read"),
];
