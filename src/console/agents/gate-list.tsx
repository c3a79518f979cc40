import { Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AgentResponse, GateResult, ReplayGateResult } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { GateRow } from "./gate-row.tsx";
import { ReplayGateRow } from "./replay-gate-row.tsx";

const FOLLOW_MS = 1000;

type Props = { agent: AgentResponse; gates: readonly GateResult[]; replay_gate: ReplayGateResult | null };

/** The suites and the replay that a draft has to pass, what each says of it, and the run that would tell. */
export function GateList({ agent, gates, replay_gate }: Props) {
  if (gates.length === 0 && replay_gate === null) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Required tests">
      <Text size="sm" fw={550}>
        Required tests
      </Text>
      {gates.map((gate) => (
        <Gate key={gate.suite_id} agent={agent} gate={gate} />
      ))}
      {replay_gate && <ReplayGateRow agent={agent} gate={replay_gate} />}
    </Stack>
  );
}

function Gate({ agent, gate }: { agent: AgentResponse; gate: GateResult }) {
  const client = useQueryClient();
  const [run_id, setRun] = useState<number | null>(null);
  const begin = useAction({
    mutationFn: () =>
      call("POST /api/v1/test_suites/{suite_id}/runs", {
        path: { suite_id: gate.suite_id },
        body: { agent: agent.name },
      }),
    onSuccess: ({ id }) => setRun(id),
    onError: showFailure,
  });
  const run = useQuery({
    queryKey: ["test run", String(run_id)],
    enabled: run_id !== null,
    queryFn: ({ signal }) =>
      call("GET /api/v1/test_runs/{run_id}", { path: { run_id: run_id as number }, signal }),
    refetchInterval: ({ state }) => (state.data && state.data.status !== "running" ? false : FOLLOW_MS),
  });
  const isOver = run.data !== undefined && run.data.status !== "running";
  const isRunning = begin.isPending || (run_id !== null && !isOver);
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: ["agent", String(agent.id), "versioning"] });
  }, [isOver, client, agent.id]);
  const results = run.data?.summary.results;
  const shown = gate.run_id ?? run_id;
  const told = results
    ? `${results.total - results.pending} of ${counted(results.total, "test")} run`
    : "Starting tests";
  return (
    <GateRow
      gate={gate}
      run={shown === null ? null : { name: `Run ${shown}`, to: `/tests/runs/${shown}` }}
      progress={isRunning ? told : null}
      action={gate.suite === null ? undefined : `Run ${gate.suite}`}
      onRun={() => begin.mutate()}
    />
  );
}
