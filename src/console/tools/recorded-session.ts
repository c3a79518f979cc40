import { useQuery } from "@tanstack/react-query";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import type { RecordedSession } from "../studio/play-pane.tsx";
import { recordedCalls } from "../workflows/recorded-play.ts";

/** The session in the address (`?session=12`), as a workflow of this tool can play it. */
export function useRecordedSession(session: unknown, tool: string | undefined) {
  const session_id = Number(session) || 0;
  const may = useMay()("sessions_debug");
  return useQuery({
    queryKey: ["session", String(session_id), "recorded for", tool],
    enabled: session_id > 0 && tool !== undefined && may,
    async queryFn({ signal }): Promise<RecordedSession | null> {
      const [turn, timeline] = await Promise.all([
        call("GET /api/v1/sessions/{session_id}/debug_turn", {
          path: { session_id },
          query: { turn_index: 1 },
          signal,
        }),
        call("GET /api/v1/sessions/timeline/{session_id}", {
          path: { session_id: String(session_id) },
          signal,
        }),
      ]);
      const task = turn.tasks.find((each) => each.tool === tool);
      if (!task) return null;
      return {
        session_id,
        submit: task.submit_tool,
        variables: turn.variables,
        calls: recordedCalls(timeline.events),
      };
    },
  });
}
