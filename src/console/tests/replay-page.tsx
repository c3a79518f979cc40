import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconScale } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReplayResponse } from "../api-types.ts";
import { dollars } from "../insights/insight-words.tsx";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { Facts, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { Ended } from "./ended.tsx";
import { ReplayPairs } from "./replay-pairs.tsx";
import { ReplayTable } from "./replay-table.tsx";
import { stateWords } from "./replay-words.ts";
import { RUN_WORDS } from "./run-words.ts";

const FOLLOW_MS = 1000;
const LOOKS = {
  better: { color: "green", title: "Better" },
  worse: { color: "red", title: "Worse" },
  different: { color: "yellow", title: "Different" },
  "can't tell": { color: "gray", title: "No difference can be told" },
} as const;

/** One replay: how far it is, whether the candidate is better, and the conversations beside each other. */
export default function ReplayPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const replay = useQuery({
    queryKey: ["replay", id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/replays/{replay_id}", { path: { replay_id: Number(id) }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? FOLLOW_MS : false),
  });
  const found = replay.data;
  return (
    <>
      <PageHead
        title={`Replay ${id}`}
        back={{ to: "/tests/replays", label: "Replays" }}
        about={
          found && (
            <Group gap="xs">
              <Status tone={RUN_WORDS[found.status].tone}>{RUN_WORDS[found.status].word}</Status>
              <Time at={found.created_at} /> by <bdi>{found.created_by}</bdi>
            </Group>
          )
        }
        actions={found?.status === "running" && <CancelReplay replay={found} />}
      />
      <Fetched query={replay} lines={12}>
        {(shown) => (
          <Stack gap="md">
            <Overview replay={shown} />
            <ReplayTable summary={shown.summary} />
            <ReplayPairs replay={shown} />
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function Overview({ replay }: { replay: ReplayResponse }) {
  const { findings, summary, baseline, candidate } = replay;
  const { results, harness, verdict, says, cost_usd } = summary;
  const done = results.total - results.pending;
  const { color, title } = LOOKS[verdict];
  return (
    <Panel>
      <Stack gap="md">
        <Ended status={replay.status} noun="replay" />
        {replay.status === "running" && (
          <div>
            <Text size="sm" mb={4}>
              {done} of {counted(results.total, "session")} replayed
            </Text>
            <Progress value={(100 * done) / results.total} aria-label="Sessions replayed" />
          </div>
        )}
        {findings.length > 0 && (
          <Alert color="yellow" icon={<IconAlertTriangle />} title="Check this">
            {findings.map(({ path, message }) => (
              <div key={`${path} ${message}`}>{message}</div>
            ))}
          </Alert>
        )}
        {replay.status !== "running" && (
          <Alert color={color} icon={<IconScale />} title={title}>
            {says}
          </Alert>
        )}
        <Facts
          items={[
            [
              "Agent",
              <RouteLink key="agent" to={`/agents/${replay.agent_id}`}>
                {replay.agent}
              </RouteLink>,
            ],
            ["Candidate", stateWords(candidate)],
            ["Baseline", stateWords(baseline)],
            ["Baseline repeats the recorded outcome", `${harness.same_outcome} of ${harness.total}`],
            ["Baseline follows the recording", `${harness.followed} of ${harness.total}`],
            ["Cost", cost_usd === 0 ? "none" : dollars(cost_usd)],
            ["Could not run", results.error > 0 ? results.error : null],
            ["Not run", results.skipped > 0 ? results.skipped : null],
          ]}
        />
      </Stack>
    </Panel>
  );
}

function CancelReplay({ replay }: { replay: ReplayResponse }) {
  const may = useMay();
  const client = useQueryClient();
  const cancelling = useAction({
    mutationFn: () => call("POST /api/v1/replays/{replay_id}/cancel", { path: { replay_id: replay.id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["replay"] }),
    onError: showFailure,
  });
  if (!may("tests_run")) return null;
  return (
    <Button variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
      Cancel the replay
    </Button>
  );
}
