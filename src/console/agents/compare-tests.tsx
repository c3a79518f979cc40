import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TestRunListed } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Empty, Fetched, Panel, RouteLink } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Comparison } from "../tests/comparison-panel.tsx";
import { passedWords } from "../tests/run-words.ts";
import { stateName } from "./version-words.ts";

type Sides = { agent_id: number; before: number; after: number | "draft" };
const FOLLOW_MS = 1000;
const RUNS = "GET /api/v1/test_runs/";

/** What each suite of the agent says of the two: their newest runs, and the button that makes them. */
export function CompareTests(sides: Sides) {
  const suites = useQuery({
    queryKey: ["GET /api/v1/test_suites/", "of agent", sides.agent_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/test_suites/", {
        query: { search_fields: ["agent_id"], search_field_values: [String(sides.agent_id)], limit: 50 },
        signal,
      }),
  });
  return (
    <Panel title="Tests">
      <Fetched query={suites}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No tests yet" action={<RouteLink to="/tests">Tests</RouteLink>}>
              Write tests for this agent to compare the versions.
            </Empty>
          ) : (
            <Stack gap="lg">
              {items.map((suite) => (
                <SuiteOfBoth key={suite.id} suite={suite} {...sides} />
              ))}
            </Stack>
          )
        }
      </Fetched>
    </Panel>
  );
}

type Suite = { id: number; name: string; agent: string; case_count: number };

function SuiteOfBoth({ suite, agent_id, before, after }: Sides & { suite: Suite }) {
  const may = useMay();
  const client = useQueryClient();
  /** A run of the draft says nothing of a later draft, so only one that was begun here is shown. */
  const [draftRun, setDraftRun] = useState<number | null>(null);
  const sides = { suite_id: suite.id, agent_id, draftRun };
  const [first, second] = [useRunOf(before, sides), useRunOf(after, sides)];
  const begin = useAction({
    async mutationFn() {
      for (const state of [before, after]) {
        const { id } = await call("POST /api/v1/test_suites/{suite_id}/runs", {
          path: { suite_id: suite.id },
          body: { agent: suite.agent, version: state === "draft" ? null : state },
        });
        if (state === "draft") setDraftRun(id);
      }
      await client.invalidateQueries({ queryKey: [RUNS] });
    },
    onError: showFailure,
  });
  const [one, other] = [first.data, second.data];
  const isRunning = begin.isPending || [one, other].some((run) => run?.status === "running");
  return (
    <Stack gap="sm" component="section" aria-label={suite.name}>
      <Group justify="space-between">
        <Text fw={600}>
          <RouteLink to={`/tests/${suite.id}`}>
            <bdi>{suite.name}</bdi>
          </RouteLink>
        </Text>
        {may("tests_run") && suite.case_count > 0 && before !== after && (
          <Button
            size="compact-sm"
            leftSection={<IconPlayerPlay size={14} />}
            loading={isRunning}
            onClick={() => begin.mutate()}
          >
            Run tests with both
          </Button>
        )}
      </Group>
      <Group gap="lg">
        <Fetched query={first}>{(run) => <Side name={stateName(before)} run={run} />}</Fetched>
        <Fetched query={second}>{(run) => <Side name={stateName(after)} run={run} />}</Fetched>
      </Group>
      {one && other && !isRunning && <Comparison run={other} before={one.id} />}
    </Stack>
  );
}

/** The newest run of a suite with a state of the agent that was not cancelled; null while there is none. */
function useRunOf(
  state: number | "draft",
  { suite_id, agent_id, draftRun }: { suite_id: number; agent_id: number; draftRun: number | null },
) {
  const wanted: [field: "id" | "suite_id" | "agent_id" | "version", value: number | null][] =
    state === "draft"
      ? [["id", draftRun]]
      : [
          ["suite_id", suite_id],
          ["agent_id", agent_id],
          ["version", state],
        ];
  return useQuery({
    queryKey: [RUNS, "newest", wanted],
    queryFn: async ({ signal }): Promise<TestRunListed | null> => {
      if (state === "draft" && draftRun === null) return null;
      const search_fields = wanted.map(([field]) => field);
      const search_field_values = wanted.map(([, value]) => String(value));
      const { items } = await call(RUNS, {
        query: { search_fields, search_field_values, limit: 50 },
        signal,
      });
      return items.find(({ status }) => status !== "cancelled") ?? null;
    },
    refetchInterval: ({ state: { data } }) => (data?.status === "running" ? FOLLOW_MS : false),
  });
}

const Side = ({ name, run }: { name: string; run: TestRunListed | null }) => (
  <Text size="sm">
    {name}:{" "}
    {run === null ? (
      "not run yet"
    ) : (
      <>
        {run.status === "running" ? "running" : `${passedWords(run)} passed`},{" "}
        <RouteLink to={`/tests/runs/${run.id}`}>run {run.id}</RouteLink>
      </>
    )}
  </Text>
);
