import { Select, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Experiment, ExperimentComparison, ExperimentFigure } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { Fetched, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { formatTime, useZone } from "../time/zone.ts";
import {
  intervalWords,
  METRIC_WORDS,
  sessionsBehind,
  splitWords,
  VERDICT_TONES,
  valueWords,
} from "./experiment-words.ts";
import classes from "./experiments.module.css";
import { GuardTable } from "./guard-table.tsx";

/** The versions over one stage: each figure with its interval and the sessions behind it, and what can be told. */
export function ComparisonPanel({ experiment, followMs }: { experiment: Experiment; followMs: number }) {
  const zone = useZone();
  const [stage, setStage] = useState<number | null>(null);
  const { id, stages, status } = experiment;
  const comparison = useQuery({
    queryKey: ["experiment", String(id), "comparison", stage, stages.length],
    queryFn: ({ signal }) =>
      call("GET /api/v1/experiments/{experiment_id}/comparison", {
        path: { experiment_id: id },
        query: stage === null ? {} : { stage },
        signal,
      }),
    refetchInterval: status === "running" ? followMs : false,
  });
  return (
    <Panel
      title="Comparison"
      actions={
        stages.length > 1 && (
          <Select
            aria-label="Stage"
            size="xs"
            allowDeselect={false}
            data={stages.map(({ started_at, weights }, at) => ({
              value: String(at),
              label: `Stage ${at + 1}, ${formatTime(started_at, zone)}: ${splitWords(weights)}`,
            }))}
            value={String(stage ?? comparison.data?.stage ?? 0)}
            onChange={(chosen) => setStage(Number(chosen))}
          />
        )
      }
    >
      <Fetched query={comparison} lines={10}>
        {(found) => (
          <Stack gap="md">
            <Text size="xs" c="dimmed">
              Figures of stage {found.stage + 1}
              {found.collected_at && (
                <>
                  , as of <Time at={found.collected_at} />
                </>
              )}
              . Rates and verdicts count people, means count sessions.
              {found.kept_since &&
                ` Sessions before ${formatTime(found.kept_since, zone, "day")} are deleted by retention and not counted.`}
            </Text>
            <FigureTable comparison={found} />
            <GuardTable guards={found.guards} />
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

function FigureTable({ comparison }: { comparison: ExperimentComparison }) {
  const { versions, figures, experiment_id, stage } = comparison;
  return (
    <Scroller label="Comparison of the versions" className={classes.scroll}>
      <Table aria-label="Comparison">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Figure</Table.Th>
            {versions.map(({ version_number, is_control }) => (
              <Table.Th key={version_number} ta="right">
                Version {version_number}
                {is_control && " (control)"}
              </Table.Th>
            ))}
            <Table.Th ta="right">Difference (95 % interval)</Table.Th>
            <Table.Th>Verdict</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Td>Sessions</Table.Td>
            {versions.map(({ version_number, sessions, people, running, weight }) => (
              <Table.Td key={version_number} ta="right">
                <RouteLink to={sessionsBehind({ experiment_id, stage, version_number })}>
                  {sessions.toLocaleString("en")}
                </RouteLink>
                <Text size="xs" c="dimmed">
                  {counted(people, "person", "people")} ({weight} %), {running.toLocaleString("en")} running
                </Text>
              </Table.Td>
            ))}
            <Table.Td />
            <Table.Td />
          </Table.Tr>
          {figures.map((figure) => (
            <FigureRow key={figure.metric} figure={figure} of={{ experiment_id, stage }} />
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}

function FigureRow(props: { figure: ExperimentFigure; of: { experiment_id: number; stage: number } }) {
  const { figure, of } = props;
  const { metric, unit, versions, differences } = figure;
  const name = METRIC_WORDS[metric];
  const shownValue = (count: number, total: number, value: number) =>
    unit === "rate"
      ? `${count.toLocaleString("en")} of ${total.toLocaleString("en")}`
      : valueWords(unit, value);
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      {versions.map(({ version_number, count, total, value, low, high }) => (
        <Table.Td key={version_number} ta="right">
          {value === null ? (
            "–"
          ) : (
            <RouteLink
              to={sessionsBehind({ ...of, version_number, metric })}
              label={`${name}, version ${version_number}: ${shownValue(count, total, value)}`}
            >
              {shownValue(count, total, value)}
            </RouteLink>
          )}
          {unit === "rate" && value !== null && (
            <Text size="xs" c="dimmed">
              {intervalWords(unit, value, low, high)}
            </Text>
          )}
        </Table.Td>
      ))}
      <Table.Td ta="right">
        {differences.map(({ version_number, difference, low, high }) => (
          <div key={version_number}>{intervalWords(unit, difference, low, high)}</div>
        ))}
      </Table.Td>
      <Table.Td miw="14rem">
        {differences.map(({ version_number, verdict, says }) => (
          <div key={version_number}>
            <Status tone={VERDICT_TONES[verdict]}>{verdict}</Status>
            <Text size="xs" c="dimmed">
              {says}
            </Text>
          </div>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}
