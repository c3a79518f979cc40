import { Group, Select, Stack, Switch, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { InsightsOutput } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { OfflineMark } from "../parts/offline-mark.tsx";
import { Fetched, Panel, RouteLink } from "../parts/parts.tsx";
import { BarList } from "../reports/bar-list.tsx";
import { useFigures } from "../reports/dashboard-view.tsx";
import { chosenDays, DaysChooser } from "../reports/days-chooser.tsx";
import { FigureTableView } from "../reports/figure-table.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { answersOf, keysOf } from "./answers.ts";

const COLUMNS: Column<InsightsOutput>[] = [
  {
    field: "session_id",
    title: "Source",
    orderable: true,
    render: ({ session_id, upload_file_id, upload_file_metadata }) =>
      session_id ? (
        <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>
      ) : (
        <bdi>{fileName(upload_file_metadata) ?? `Recording ${upload_file_id}`}</bdi>
      ),
  },
  {
    field: "insight_key",
    title: "Insight",
    orderable: true,
    render: ({ insight_key }) => <code>{insight_key}</code>,
  },
  {
    field: "value",
    title: "Answer",
    render: (output) =>
      answer(output) === "" ? (
        <Text span inherit c="dimmed">
          nothing found
        </Text>
      ) : (
        <Group gap="xs" wrap="nowrap">
          <bdi dir="auto">{answer(output)}</bdi>
          <OfflineMark model={output.model} />
        </Group>
      ),
  },
  {
    field: "insight_tool_id",
    title: "Tool",
    orderable: true,
    hidden: true,
    render: ({ insight_tool_id, insight_tool_version }) => (
      <RouteLink to={`/insights/tools/${insight_tool_id}`}>
        {insight_tool_id}, version {insight_tool_version}
      </RouteLink>
    ),
  },
  {
    field: "workflow_id",
    title: "Workflow",
    orderable: true,
    hidden: true,
    render: ({ workflow_id }) =>
      workflow_id ? (
        <RouteLink to={`/insights/workflows/${workflow_id}`}>{String(workflow_id)}</RouteLink>
      ) : (
        "–"
      ),
  },
  { field: "created_at", title: "Found", render: ({ created_at }) => <Time at={created_at} kind="minute" /> },
];

function answer({ string_value, numeric_value, json_value, insight_key }: InsightsOutput): string {
  if (string_value !== null && string_value !== undefined) return string_value;
  if (numeric_value !== null && numeric_value !== undefined) return String(numeric_value);
  return String(json_value[insight_key] ?? "");
}

const fileName = (metadata: unknown): string | null =>
  typeof metadata === "object" && metadata !== null && "filename" in metadata
    ? String(metadata.filename)
    : null;

/** The results: the count of each answer, and the list of all of them. */
export function ResultsView() {
  const may = useMay();
  return (
    <Stack gap="md">
      {may("reports_read") && <Answers />}
      <DataTable
        label="Results"
        operation="GET /api/v1/insights/"
        prefix="r_"
        columns={COLUMNS}
        search={{ field: "insight_key", label: "Insight name" }}
        filters={[
          { field: "session_id", label: "Session", kind: "text" },
          { field: "workflow_id", label: "Workflow ID", kind: "text" },
        ]}
        days
        empty={{
          title: "No results yet",
          about: "The first result appears after a session has ended and an active workflow has analyzed it.",
        }}
      />
    </Stack>
  );
}

/** One insight over some days: counts of answers or means of numbers as bars, with a table below. */
function Answers() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { days?: unknown; insight?: string; offline?: string };
  const days = chosenDays(search.days);
  const withOffline = search.offline === "yes";
  const figures = useFigures("insights", days, withOffline);
  const go = (part: { days?: string; insight?: string; offline?: string | undefined }) =>
    void navigate({ to: ".", search: { ...search, ...part }, replace: true, resetScroll: false });
  return (
    <Fetched query={figures} lines={5}>
      {({ tables, numbers }) => {
        const keys = keysOf(tables);
        const key = keys.find((each) => each === search.insight) ?? keys[0];
        const chooser = (
          <Group gap="xs">
            <Switch
              size="xs"
              label="Include the offline model"
              checked={withOffline}
              onChange={({ currentTarget }) => go({ offline: currentTarget.checked ? "yes" : undefined })}
            />
            <DaysChooser days={days} onChange={(next) => go({ days: next })} />
          </Group>
        );
        if (key === undefined) {
          return (
            <Panel title="Answers" actions={chooser}>
              <Text size="sm" c="dimmed">
                {(numbers.find(({ name }) => name.startsWith("Left out"))?.value ?? 0) > 0
                  ? "Only the offline model answered in this period. Its answers are made up and not counted."
                  : "No results in this period."}
              </Text>
            </Panel>
          );
        }
        const { bars, numbers: spread, byVersion } = answersOf(tables, key);
        return (
          <Panel
            title="Answers"
            actions={
              <Group gap="xs">
                <Select
                  size="xs"
                  aria-label="Insight"
                  searchable
                  allowDeselect={false}
                  data={keys}
                  value={key}
                  onChange={(insight) => go(insight === null ? {} : { insight })}
                />
                {chooser}
              </Group>
            }
            flush
          >
            {bars.length > 0 ? (
              <BarList bars={bars} label={`Answers of ${key}`} unnamed="nothing found" />
            ) : (
              <Text size="sm" p="md" {...(spread === null && { c: "dimmed" })}>
                {spread ?? "No short answers to count. Each answer is listed below."}
              </Text>
            )}
            {byVersion.rows.length > 0 && <FigureTableView table={byVersion} tall />}
          </Panel>
        );
      }}
    </Fetched>
  );
}
