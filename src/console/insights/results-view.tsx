import { Group, Select, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { InsightsOutput } from "../api-types.ts";
import { type Column, DataTable } from "../ground/data-table.tsx";
import { useMay } from "../ground/me.tsx";
import { Empty, Fetched, Panel, RouteLink } from "../ground/parts.tsx";
import { Time } from "../ground/time.tsx";
import { BarList } from "../reports/bar-list.tsx";
import { useFigures } from "../reports/dashboard-view.tsx";
import { chosenDays, DaysChooser } from "../reports/days-chooser.tsx";
import { FigureTableView } from "../reports/figure-table.tsx";
import { answersOf, keysOf } from "./answers.ts";

const COLUMNS: Column<InsightsOutput>[] = [
  {
    field: "session_id",
    title: "Of",
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
        <bdi dir="auto">{answer(output)}</bdi>
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
  {
    field: "created_at",
    title: "Found",
    render: ({ created_at }) => <Time at={created_at} kind="minute" />,
  },
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

/** What was found: how often each answer was given, and every single one. */
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
        rowKey={({ id }) => id}
        search={{ field: "insight_key", label: "Name of the insight" }}
        filters={[
          { field: "session_id", label: "Session", kind: "text" },
          { field: "workflow_id", label: "Workflow's number", kind: "text" },
        ]}
        days
        empty={
          <Empty title="Nothing found yet">
            The first result appears when a session has ended and an active workflow has looked at it.
          </Empty>
        }
      />
    </Stack>
  );
}

/** One insight over some days: its answers as bars, numbers by their mean; the same as a table below. */
function Answers() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { days?: unknown; insight?: string };
  const days = chosenDays(search.days);
  const figures = useFigures("insights", days);
  const go = (part: { days?: string; insight?: string }) =>
    void navigate({ to: ".", search: { ...search, ...part }, replace: true, resetScroll: false });
  return (
    <Fetched query={figures} lines={5}>
      {({ tables }) => {
        const keys = keysOf(tables);
        const key = keys.find((each) => each === search.insight) ?? keys[0];
        const chooser = <DaysChooser days={days} onChange={(next) => go({ days: next })} />;
        if (key === undefined) {
          return (
            <Panel title="Answers" actions={chooser}>
              <Text size="sm" c="dimmed">
                Nothing was found in these days.
              </Text>
            </Panel>
          );
        }
        const { bars, numbers, byVersion } = answersOf(tables, key);
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
              <Text size="sm" p="md" {...(numbers === null && { c: "dimmed" })}>
                {numbers ?? "There are no short answers to count; each one is listed below."}
              </Text>
            )}
            {byVersion.rows.length > 0 && <FigureTableView table={byVersion} tall />}
          </Panel>
        );
      }}
    </Fetched>
  );
}
