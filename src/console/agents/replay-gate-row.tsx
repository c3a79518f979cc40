import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AgentResponse, ReplayGateResult } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { GateRow } from "./gate-row.tsx";

const FOLLOW_MS = 1000;

/** The replay that a draft has to pass, what it says of the draft, and the button that runs it. */
export function ReplayGateRow({ agent, gate }: { agent: AgentResponse; gate: ReplayGateResult }) {
  const client = useQueryClient();
  const [replay_id, setReplay] = useState<number | null>(null);
  const begin = useAction({
    mutationFn: () =>
      call("POST /api/v1/agents/{agent_id}/replays", {
        path: { agent_id: agent.id },
        body: { filter: gate.filter, sessions: gate.sessions },
      }),
    onSuccess: ({ id }) => setReplay(id),
    onError: showFailure,
  });
  const replay = useQuery({
    queryKey: ["replay", String(replay_id)],
    enabled: replay_id !== null,
    queryFn: ({ signal }) =>
      call("GET /api/v1/replays/{replay_id}", { path: { replay_id: replay_id as number }, signal }),
    refetchInterval: ({ state }) => (state.data && state.data.status !== "running" ? false : FOLLOW_MS),
  });
  const isOver = replay.data !== undefined && replay.data.status !== "running";
  const isRunning = begin.isPending || (replay_id !== null && !isOver);
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: ["agent", String(agent.id), "versioning"] });
  }, [isOver, client, agent.id]);
  const results = replay.data?.summary.results;
  const shown = gate.replay_id ?? replay_id;
  const told = results
    ? `${results.total - results.pending} of ${counted(results.total, "session")} replayed`
    : "Starting the replay";
  return (
    <GateRow
      gate={gate}
      run={shown === null ? null : { name: `Replay ${shown}`, to: `/tests/replays/${shown}` }}
      progress={isRunning ? told : null}
      action="Run the replay"
      onRun={() => begin.mutate()}
    />
  );
}
