import { Table } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { formatDuration } from "../parts/duration.ts";
import { Empty, Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

const NAMES: Record<string, string> = {
  llm: "Model",
  tool: "Tools",
  http: "Tool requests",
  tts: "Text to speech",
  stt: "Speech to text",
};

/** The latency of each phase, in total and on average. */
export function LatencyPanel(props: { id: string; isRunning: boolean; refetch_ms: number }) {
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
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Phase</Table.Th>
                  <Table.Th ta="right">Count</Table.Th>
                  <Table.Th ta="right">Average</Table.Th>
                  <Table.Th ta="right">Total</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {summary.map(({ category, sub_category, event_count, average_ms, sum_ms }) => (
                  <Table.Tr key={`${category} ${sub_category ?? ""}`}>
                    <Table.Td>
                      {[NAMES[category] ?? category, sub_category].filter(Boolean).join(": ")}
                    </Table.Td>
                    <Table.Td ta="right">{event_count}</Table.Td>
                    <Table.Td ta="right">{formatDuration(average_ms)}</Table.Td>
                    <Table.Td ta="right">{formatDuration(sum_ms)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Fetched>
    </Panel>
  );
}
