import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AgentResponse, GateResult } from "../api-types.ts";
import { RouteLink, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const FOLLOW_MS = 1000;

/** The suites that a draft has to pass, what each says of it, and the run that would tell. */
export function GateList({ agent, gates }: { agent: AgentResponse; gates: readonly GateResult[] }) {
  if (gates.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Tests that must pass">
      <Text size="sm" fw={550}>
        Tests that must pass
      </Text>
      {gates.map((gate) => (
        <Gate key={gate.suite_id} agent={agent} gate={gate} />
      ))}
    </Stack>
  );
}

function Gate({ agent, gate }: { agent: AgentResponse; gate: GateResult }) {
  const mayRun = useMay()("tests_run");
  const client = useQueryClient();
  const [run_id, setRun] = useState<number | null>(null);
  const begin = useMutation({
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
    refetchInterval: ({ state }) => (state.data?.status === "finished" ? false : FOLLOW_MS),
  });
  const isOver = run.data !== undefined && run.data.status !== "running";
  const isRunning = begin.isPending || (run_id !== null && !isOver);
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: ["agent", String(agent.id), "versioning"] });
  }, [isOver, client, agent.id]);
  const results = run.data?.summary.results;
  const shown = gate.run_id ?? run_id;
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="xs">
        <Status tone={gate.passes ? "good" : "bad"}>{gate.passes ? "Passes" : "Holds back"}</Status>
        <Text size="sm">{gate.says}</Text>
        {shown !== null && (
          <Text size="sm">
            <RouteLink to={`/tests/runs/${shown}`}>Run {shown}</RouteLink>
          </Text>
        )}
      </Group>
      {isRunning && (
        <Text size="sm" role="status">
          {results ? `${results.total - results.pending} of ${results.total} tests run` : "The tests begin"}
        </Text>
      )}
      {mayRun && !gate.passes && gate.suite !== null && !isRunning && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlayerPlay size={14} />}
          onClick={() => begin.mutate()}
        >
          Run {gate.suite}
        </Button>
      )}
    </Group>
  );
}
