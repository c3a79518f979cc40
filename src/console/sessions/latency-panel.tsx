import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { SummaryEntry } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { formatDuration } from "../parts/duration.ts";
import { Empty, Fetched, Panel, Scroller } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

const NAMES: Record<string, string> = {
  llm: "Model",
  tool: "Tools",
  http: "Tool requests",
  tts: "Text to speech",
  stt: "Speech to text",
};

const COLUMNS: Column<SummaryEntry>[] = [
  {
    field: "category",
    title: "Phase",
    render: ({ category, sub_category }) =>
      [NAMES[category] ?? category, sub_category].filter(Boolean).join(": "),
  },
  { field: "event_count", title: "Count", align: "right" },
  { field: "average_ms", title: "Average", align: "right", render: (row) => formatDuration(row.average_ms) },
  { field: "sum_ms", title: "Total", align: "right", render: ({ sum_ms }) => formatDuration(sum_ms) },
];

/** The latency of each phase, in total and on average. */
export function LatencyPanel(props: { id: string; isRunning: boolean; refetch_ms: number | false }) {
  const { id, isRunning, refetch_ms } = props;
  const latency = useQuery({
    // Read once more after the end of the session.
    queryKey: ["session", id, "latency", isRunning],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call("GET /api/v1/sessions/latency/{session_id}", { path: { session_id: id }, signal }),
    refetchInterval: isRunning ? refetch_ms : false,
  });
  return (
    <Panel title="Latency" flush>
      <Fetched query={latency}>
        {({ summary }) =>
          summary.length === 0 ? (
            <Empty title="No measurements yet" />
          ) : (
            <Scroller label="Latency by phase">
              <RowsTable columns={COLUMNS} rows={summary} figures />
            </Scroller>
          )
        }
      </Fetched>
    </Panel>
  );
}
