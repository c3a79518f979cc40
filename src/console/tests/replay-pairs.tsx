import { Button, SimpleGrid, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReplayMeasures, ReplayPair, ReplayResponse } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { PageWindow } from "../parts/page-window.tsx";
import { Fetched, Panel, RouteLink, Scroller, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import classes from "./replay.module.css";
import { divergenceWords, PAIR_WORDS } from "./replay-words.ts";
import { SessionTurns } from "./session-turns.tsx";

const FOLLOW_MS = 2000;
const LIMIT = 1000;

/** Session by session: what came of each lane; a row opens the conversations beside each other. */
export function ReplayPairs({ replay }: { replay: ReplayResponse }) {
  const [open, setOpen] = useState<ReplayPair | null>(null);
  const pairs = useQuery({
    queryKey: ["replay pairs", replay.id, replay.status],
    queryFn: ({ signal }) =>
      call("GET /api/v1/replays/{replay_id}/pairs", {
        path: { replay_id: replay.id },
        query: { limit: LIMIT },
        signal,
      }),
    refetchInterval: replay.status === "running" ? FOLLOW_MS : false,
  });
  return (
    <Panel title="Sessions" flush>
      <Fetched query={pairs} lines={8}>
        {({ items }) => (
          <Scroller label="Replayed sessions" className={classes.scroll}>
            <Table aria-label="Sessions">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Recorded</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Baseline</Table.Th>
                  <Table.Th>Candidate</Table.Th>
                  <Table.Th>Conversations</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {[...items].sort(byInterest).map((pair) => (
                  <Row key={pair.id} pair={pair} onOpen={() => setOpen(pair)} />
                ))}
              </Table.Tbody>
            </Table>
          </Scroller>
        )}
      </Fetched>
      {open && <PairWindow pair={open} onClose={() => setOpen(null)} />}
    </Panel>
  );
}

/** What differs comes first. */
const byInterest = (a: ReplayPair, b: ReplayPair): number =>
  Number(differs(b)) - Number(differs(a)) || a.position - b.position;

const differs = ({ baseline, candidate }: ReplayPair): boolean =>
  baseline !== null && candidate !== null && laneWords(baseline) !== laneWords(candidate);

const laneWords = ({ tools, turns, ended_by }: ReplayMeasures): string =>
  [
    ...tools.map(({ tool, called, failed }) =>
      failed === 0 ? `${tool} ${called}×` : `${tool} ${called}×, ${failed} failed`,
    ),
    counted(turns, "turn"),
    `ended by the ${ended_by}`,
  ].join(" · ");

function Row({ pair, onOpen }: { pair: ReplayPair; onOpen(): void }) {
  const { session_id, status, notes, baseline, candidate } = pair;
  const { word, tone } = PAIR_WORDS[status];
  return (
    <Table.Tr>
      <Table.Td>
        {session_id === null ? (
          "deleted"
        ) : (
          <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>
        )}
      </Table.Td>
      <Table.Td>
        <Status tone={tone}>{word}</Status>
        {notes.map((note) => (
          <Text key={note} size="xs" c="dimmed">
            {note}
          </Text>
        ))}
      </Table.Td>
      <Lane measures={baseline} />
      <Lane measures={candidate} />
      <Table.Td>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Compare session ${session_id ?? pair.position + 1}`}
          disabled={baseline === null && candidate === null}
          onClick={onOpen}
        >
          Compare
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const Lane = ({ measures }: { measures: ReplayMeasures | null }) => (
  <Table.Td>
    {measures === null ? (
      "–"
    ) : (
      <>
        <bdi>{laneWords(measures)}</bdi>
        {measures.diverged && (
          <Text size="xs" c="dimmed">
            {divergenceWords(measures.diverged)}
          </Text>
        )}
      </>
    )}
  </Table.Td>
);

function PairWindow({ pair, onClose }: { pair: ReplayPair; onClose(): void }) {
  const lanes = [
    { name: "Recorded", session_id: pair.session_id, measures: null },
    { name: "Baseline", session_id: pair.baseline_session_id, measures: pair.baseline },
    { name: "Candidate", session_id: pair.candidate_session_id, measures: pair.candidate },
  ];
  return (
    <PageWindow opened onClose={onClose} size="95%" title={`Session ${pair.session_id ?? pair.position + 1}`}>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {lanes.map(({ name, session_id, measures }) => (
          <section key={name} aria-label={name}>
            <Text fw={600} mb="xs">
              {name}
            </Text>
            {measures?.diverged && (
              <Text size="sm" mb="xs">
                {divergenceWords(measures.diverged)}
              </Text>
            )}
            <SessionTurns session_id={session_id} among={name} absent="Deleted or not run." />
          </section>
        ))}
      </SimpleGrid>
    </PageWindow>
  );
}
