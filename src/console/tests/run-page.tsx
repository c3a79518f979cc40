import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { TestRunResponse } from "../api-types.ts";
import { dollars } from "../insights/insight-words.tsx";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { formatDuration } from "../parts/duration.ts";
import { Facts, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { ComparisonPanel } from "./comparison-panel.tsx";
import { Ended } from "./ended.tsx";
import { PassRate } from "./pass-rate.tsx";
import { ResultsPanel } from "./results-panel.tsx";
import { RUN_WORDS } from "./run-words.ts";

const FOLLOW_MS = 1000;
const NOTICES = { DELIVERED: "told", WAITING: "will be tried again", FAILED: "could not be told" } as const;

/** One run of a suite: how far it is, what passed, why the rest did not, and whether it is better than another. */
export default function RunPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const run = useQuery({
    queryKey: ["test run", id],
    queryFn: ({ signal }) => call("GET /api/v1/test_runs/{run_id}", { path: { run_id: Number(id) }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? FOLLOW_MS : false),
  });
  const found = run.data;
  return (
    <>
      <PageHead
        title={`Run ${id}`}
        back={
          found ? { to: `/tests/${found.suite_id}`, label: found.suite } : { to: "/tests", label: "Tests" }
        }
        about={
          found && (
            <Group gap="xs">
              <Status tone={RUN_WORDS[found.status].tone}>{RUN_WORDS[found.status].word}</Status>
              <Time at={found.created_at} /> by <bdi>{found.created_by}</bdi>
              {found.is_scheduled && "(schedule)"}
              {found.notice && `Webhook: ${NOTICES[found.notice.state]}`}
            </Group>
          )
        }
        actions={found?.status === "running" && <CancelRun run={found} />}
      />
      <Fetched query={run} lines={12}>
        {(shown) => (
          <Stack gap="md">
            <Overview run={shown} />
            <ComparisonPanel run={shown} />
            <ResultsPanel run={shown} />
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function Overview({ run }: { run: TestRunResponse }) {
  const { results, cases, cost_usd } = run.summary;
  const done = results.total - results.pending;
  return (
    <Panel>
      <Stack gap="md">
        <Ended status={run.status} noun="run" />
        {run.status === "running" && (
          <div>
            <Text size="sm" mb={4}>
              {done} of {counted(results.total, "conversation")}
            </Text>
            <Progress value={(100 * done) / results.total} aria-label="Progress" />
          </div>
        )}
        <PassRate rate={cases} />
        <Facts
          items={[
            [
              "Agent",
              <RouteLink key="agent" to={`/agents/${run.agent_id}`}>
                {run.agent}
              </RouteLink>,
            ],
            ["State", run.version === null ? "Draft as saved" : `Version ${run.version}`],
            ["Repetitions", run.repetitions],
            ["Cost", cost_usd === 0 ? "none" : dollars(cost_usd)],
            [
              "95 of 100 answers within",
              run.summary.answer_p95_ms === null ? null : formatDuration(run.summary.answer_p95_ms),
            ],
            ["Could not run", results.error > 0 ? results.error : null],
            ["Not run", results.skipped > 0 ? results.skipped : null],
          ]}
        />
      </Stack>
    </Panel>
  );
}

function CancelRun({ run }: { run: TestRunResponse }) {
  const may = useMay();
  const client = useQueryClient();
  const cancelling = useAction({
    mutationFn: () => call("POST /api/v1/test_runs/{run_id}/cancel", { path: { run_id: run.id } }),
    onSuccess: () =>
      Promise.all([["test run"], ["test results"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
    onError: showFailure,
  });
  if (!may("tests_run")) return null;
  return (
    <Button variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
      Cancel the run
    </Button>
  );
}
