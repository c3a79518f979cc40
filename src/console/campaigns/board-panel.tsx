import { Grid, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import type { CampaignBoard, CampaignBoardBatch } from "../api-types.ts";
import { batchPath, requestPath, requestWords } from "../outbound/batch-words.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { type PeopleFilter, peoplePath } from "../outbound/people-link.ts";
import { OutcomeTiles, StatusTiles } from "../outbound/status-tiles.tsx";
import { Tile, Tiles } from "../outbound/tile.tsx";
import { counted } from "../parts/counted.ts";
import { Empty, Fetched, Panel, RouteLink, Scroller, Status, type Tone } from "../parts/parts.tsx";
import { NearTime } from "../time/near-time.tsx";
import { Sentence } from "../time/sentence.tsx";
import { Time } from "../time/time.tsx";
import { formatTime, useZone } from "../time/zone.ts";
import { boardQuery } from "./board-query.ts";

const FOLLOW_MS = 3000;
/** The most batches that the board returns. */
const MOST_BATCHES = 50;

/** The board of a campaign: people by status, what each batch waits for, and the latest changes with their reasons. */
export function BoardPanel({ campaign_id }: { campaign_id: number }) {
  const board = useQuery({ ...boardQuery(campaign_id), refetchInterval: FOLLOW_MS });
  return (
    <Fetched query={board} lines={12}>
      {(now) => <Board board={now} />}
    </Fetched>
  );
}

function Board({ board }: { board: CampaignBoard }) {
  const zone = useZone();
  if (board.batches.length === 0 && Object.keys(board.status_counts).length === 0) {
    return (
      <Panel>
        <Empty
          title="No people yet"
          action={<RouteLink to={`/campaigns/${board.campaign_id}?view=batches`}>To its batches</RouteLink>}
        >
          Create a batch and fill it from a CSV file. Then this page shows who is being contacted and why
          everybody else waits.
        </Empty>
      </Panel>
    );
  }
  const link = (filter: PeopleFilter) => peoplePath(board.campaign_id, filter);
  return (
    <Stack gap="md">
      <Panel
        title="Now"
        actions={
          <Text size="xs" c="dimmed">
            as of <Time at={board.at} kind="clock" />
          </Text>
        }
      >
        <Stack gap="md">
          <Text size="sm" role="status">
            <b>
              {board.under_way === 0
                ? "No attempts under way."
                : `${counted(board.under_way, "attempt")} under way.`}
            </b>{" "}
            {today(board, zone)}
          </Text>
          {board.total_rate > 0 && (
            <Text size="sm" c="dimmed">
              Up to {counted(board.total_rate, "attempt")} an hour. Each batch keeps its own rate.
            </Text>
          )}
          <FunnelTiles board={board} />
          <OutcomeTiles counts={board.outcome_counts} link={link} />
          <StatusTiles counts={board.status_counts} details={board.detailed_status_counts} link={link} />
          <SkipCounts board={board} />
        </Stack>
      </Panel>
      <Grid gap="md" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Panel title="Batches" flush>
            {board.batches.length === 0 ? (
              <Empty title="All batches finished" />
            ) : (
              <Table>
                <Table.Thead className="sr-only">
                  <Table.Tr>
                    <Table.Th>Batch and what it waits for</Table.Th>
                    <Table.Th>Waiting</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {board.batches.map((batch) => (
                    <BatchRow key={batch.batch_id} batch={batch} />
                  ))}
                </Table.Tbody>
              </Table>
            )}
            {board.batches.length >= MOST_BATCHES && (
              <Text size="xs" c="dimmed" p="sm">
                The newest {MOST_BATCHES};{" "}
                <RouteLink to={`/campaigns/${board.campaign_id}?view=batches`} underline="always">
                  all batches
                </RouteLink>
              </Text>
            )}
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Panel title="Recent activity" flush>
            {board.latest.length === 0 ? (
              <Empty title="No attempts yet">
                Each attempt and each skipped person appears here with the reason.
              </Empty>
            ) : (
              <Scroller className={classes.latest} label="Recent activity">
                <Table highlightOnHover>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>When</Table.Th>
                      <Table.Th>Who</Table.Th>
                      <Table.Th>State</Table.Th>
                      <Table.Th>Why</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {board.latest.map((person) => (
                      <Table.Tr key={`${person.batch_id} ${person.reference_id} ${person.at}`}>
                        <Table.Td>
                          <NearTime at={person.at} now={board.at} />
                        </Table.Td>
                        <Table.Td>
                          <RouteLink to={requestPath(person.batch_id, person.reference_id)}>
                            <bdi>{person.reference_id}</bdi>
                          </RouteLink>
                          <Text size="xs" c="dimmed">
                            <bdi>{person.target}</bdi>
                          </Text>
                        </Table.Td>
                        <Table.Td>
                          <Status tone={requestWords(person.request_status).tone}>
                            {requestWords(person.request_status).word}
                          </Status>
                        </Table.Td>
                        <Table.Td>
                          <Sentence text={person.text} isNow />
                          {person.session_id !== null && (
                            <>
                              {" "}
                              <RouteLink to={`/sessions/${person.session_id}`}>
                                Session {person.session_id}
                              </RouteLink>
                            </>
                          )}
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Scroller>
            )}
          </Panel>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

/** From everybody who was tried to the goal; each step leads to its people. */
function FunnelTiles({ board: { campaign_id, funnel } }: { board: CampaignBoard }) {
  const steps = [
    ["tried", funnel.tried, null],
    ["answered", funnel.answered, funnel.tried],
    ["talked", funnel.talked, funnel.answered],
    ...(funnel.goal === null ? [] : [["goal", funnel.goal, funnel.talked] as const]),
  ] as const;
  return (
    <Stack gap={6}>
      <Tiles title="How far people got">
        {steps.map(([stage, count, before]) => (
          <Tile
            key={stage}
            sign={<Status tone={stage === "goal" ? "good" : "info"}>{stage}</Status>}
            count={count}
            to={peoplePath(campaign_id, { stage })}
            about={before ? `${Math.round((100 * count) / before)} % of the step before` : null}
          />
        ))}
      </Tiles>
      {funnel.goal === null && (
        <Text size="xs" c="dimmed">
          To count successes,{" "}
          <RouteLink to={`/campaigns/${campaign_id}?view=settings`} underline="always">
            choose a goal
          </RouteLink>
          .
        </Text>
      )}
    </Stack>
  );
}

/** "Skipped: 3 suppressed, 2 no consent", each a link to its people. */
function SkipCounts({ board: { campaign_id, skip_counts } }: { board: CampaignBoard }) {
  const reasons = Object.entries(skip_counts);
  if (reasons.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Skipped:{" "}
      {reasons.map(([reason, count], index) => (
        <Fragment key={reason}>
          {index > 0 && ", "}
          <RouteLink to={peoplePath(campaign_id, { skip_reason: reason })} underline="always">
            {`${count.toLocaleString("en")} ${spoken(reason)}`}
          </RouteLink>
        </Fragment>
      ))}
    </Text>
  );
}

const STEP_TONES: Record<CampaignBoardBatch["next_step"]["kind"], Tone> = {
  waiting: "quiet",
  "under-way": "busy",
  over: "quiet",
};

/** It goes on when somebody does something about it. */
const HELD = new Set([
  "batch-paused",
  "stopped",
  "source-paused",
  "no-words",
  "no-approved-template",
  "no-sender",
  "spend-cap",
  "confirmation",
]);

function BatchRow({ batch }: { batch: CampaignBoardBatch }) {
  const { batch_id, waiting, next_step } = batch;
  const isHeld = HELD.has(next_step.reason);
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <RouteLink to={batchPath(batch_id)} fw={600}>
          <bdi>{batch_id}</bdi>
        </RouteLink>
        <Text size="sm">
          <Sentence text={next_step.text} isNow />
        </Text>
        {next_step.until && (
          <Text size="xs" c="dimmed">
            Next check <Time at={next_step.until} kind="minute" />
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <Status tone={isHeld ? "warn" : STEP_TONES[next_step.kind]}>
          {`${waiting.toLocaleString("en")} waiting`}
        </Status>
      </Table.Td>
    </Table.Tr>
  );
}

/** Use of the daily limit, for each day that is open now. Days are those of the campaign's clock, told where it isn't the chosen one. */
function today({ days, timezone, batches }: CampaignBoard, zone: string): string {
  if (batches.length === 0) return "";
  if (days.length === 0) return `It is closed now, on the clock of ${timezone}.`;
  return days
    .map(
      ({ date, cap, first_attempts }) =>
        `${formatTime(date, "UTC", "day")}${timezone === zone ? "" : ` in ${timezone}`}: ${counted(first_attempts, "new person", "new people")} contacted${cap === null ? " (no daily limit)" : ` of ${cap.toLocaleString("en")}`}.`,
    )
    .join(" ");
}
