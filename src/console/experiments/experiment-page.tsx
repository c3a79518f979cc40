import { Alert, Group, Stack } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Experiment } from "../api-types.ts";
import { Findings } from "../parts/findings.tsx";
import { Names } from "../parts/names.tsx";
import { Facts, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { ComparisonPanel } from "./comparison-panel.tsx";
import { ExperimentActions } from "./experiment-actions.tsx";
import {
  GUARD_WORDS,
  limitsOf,
  nextStep,
  rampWords,
  STATUS_WORDS,
  splitWords,
  weightsNow,
} from "./experiment-words.ts";
import { StagesPanel } from "./stages-panel.tsx";

/** The guard job looks every 20 seconds; before that nothing is new. */
const FOLLOW_MS = 20_000;

/** One experiment: who meets which version, what its guardrails say, how the versions compare, and how to end it. */
export default function ExperimentPage() {
  const { id, experiment } = useParams({ strict: false }) as { id: string; experiment: string };
  const found = useQuery({
    queryKey: ["experiment", experiment],
    queryFn: ({ signal }) =>
      call("GET /api/v1/experiments/{experiment_id}", {
        path: { experiment_id: Number(experiment) },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? FOLLOW_MS : false),
  });
  const stored = found.data;
  return (
    <>
      <PageHead
        title={stored ? <bdi>{stored.name}</bdi> : `Experiment ${experiment}`}
        back={{ to: `/agents/${id}/experiments`, label: "Experiments" }}
        about={
          stored && (
            <Group gap="xs">
              <Status tone={STATUS_WORDS[stored.status].tone}>{STATUS_WORDS[stored.status].word}</Status>
              {stored.started_at && <Time at={stored.started_at} />}
            </Group>
          )
        }
        actions={stored && <ExperimentActions experiment={stored} />}
      />
      <Fetched query={found} lines={12}>
        {(shown) => (
          <Stack gap="md">
            <Overview experiment={shown} />
            {shown.stages.length > 0 && (
              <>
                <ComparisonPanel experiment={shown} followMs={FOLLOW_MS} />
                <StagesPanel experiment={shown} />
              </>
            )}
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function Overview({ experiment }: { experiment: Experiment }) {
  const { status, ended_at, ended_because, guards, next_step_at } = experiment;
  const next = status === "running" ? nextStep(experiment) : null;
  return (
    <Panel title="Traffic">
      <Stack gap="md">
        {status === "returned" && (
          <Alert color="red" icon={<IconArrowBackUp />} title="Everybody was returned to the control">
            {ended_because}
          </Alert>
        )}
        <Findings issues={experiment.validation_issues} />
        <Facts
          items={[
            [
              "Agent",
              <RouteLink key="agent" to={`/agents/${experiment.agent_id}`}>
                <bdi>{experiment.agent}</bdi>
              </RouteLink>,
            ],
            ["Split", splitWords(weightsNow(experiment))],
            ["Ramp", rampWords(experiment.ramp)],
            [
              "Next step",
              next && (
                <>
                  {next.percent} %
                  {next_step_at ? (
                    <>
                      {" "}
                      at <Time at={next_step_at} />
                    </>
                  ) : (
                    ", by hand"
                  )}
                </>
              ),
            ],
            ["Guardrails", guards.map((guard) => GUARD_WORDS[guard]).join(", ") || "none"],
            ["Limited to", <Names key="limit" of={limitsOf(experiment)} none="all sessions of the agent" />],
            ...(ended_at
              ? ([
                  ["Ended", <Time key="ended" at={ended_at} />],
                  ["Reason", <bdi key="reason">{ended_because}</bdi>],
                ] as [string, React.ReactNode][])
              : []),
          ]}
        />
      </Stack>
    </Panel>
  );
}
