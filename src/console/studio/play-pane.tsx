import { Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowBackUp, IconPlayerPlay, IconPlayerTrackNext, IconRefresh } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PlayEvent, PlayedEvent, TaskPlayRequest, ToolDefinition } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { Failure, Loading, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { nextRecorded, type RecordedCall } from "../workflows/recorded-play.ts";
import { AnswerFields } from "./answer-fields.tsx";
import { PlayTalk } from "./play-talk.tsx";
import type { Breakpoints } from "./step-box.tsx";
import { ToolAnswer } from "./tool-answer.tsx";

/** A session whose conversation is played with the workflow as it is now. */
export type RecordedSession = {
  session_id: number;
  calls: RecordedCall[];
  submit: string;
  variables: Record<string, unknown>;
};

type Props = {
  definition: ToolDefinition;
  task: number;
  recorded: RecordedSession | null;
  breakpoints: Breakpoints;
  onPlayed(played: readonly PlayedEvent[]): void;
};

/** `place`: which call of the recording the event is, where it comes from one. */
type Given = { event: PlayEvent; place: number | null };
const BEGIN: Given[] = [{ event: { type: "activate" }, place: null }];

/** Plays the unsaved workflow as a conversation: the author answers for the person, and tools are called or answered by hand. */
export function PlayPane({ definition, task, recorded, breakpoints, onPlayed }: Props) {
  const [given, setGiven] = useState<Given[]>(BEGIN);
  const [entered, setEntered] = useState<Record<string, string>>({});
  const [isRunning, setRunning] = useState(false);
  const events = given.map(({ event }) => event);
  const body: TaskPlayRequest = {
    definition: definition as TaskPlayRequest["definition"],
    task,
    events,
    variables: { ...recorded?.variables, ...entered },
  };
  const query = useQuery({
    queryKey: ["play", body],
    queryFn: ({ signal }) => call("POST /api/v1/tools/play", { body, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const played = query.data?.played ?? [];
  const last = played.at(-1);
  const answer = query.data;
  useEffect(() => {
    onPlayed(answer?.played ?? []);
  }, [answer, onPlayed]);

  const isSettled = !query.isPlaceholderData && !query.isFetching && played.length === given.length;
  const next =
    recorded && last && isSettled
      ? nextRecorded(
          recorded.calls,
          given.map(({ place }) => place),
          { awaits: last.awaits, submit: recorded.submit, isOver: last.status === "completed" },
        )
      : null;
  const add = (event: PlayEvent, place: number | null = null) => setGiven([...given, { event, place }]);

  // The recording runs on until a breakpoint, or until it has nothing more.
  useEffect(() => {
    if (!isRunning || !isSettled || !last) return;
    const before = played.at(-2);
    const entersStop =
      last.step !== null && last.step !== before?.step && breakpoints.steps.includes(last.step);
    const leavesGuard = last.awaits === null && last.step !== null && breakpoints.guards.includes(last.step);
    const callsStop = last.awaits !== null && breakpoints.tools.includes(last.awaits);
    const hasMoved = given.length > 1;
    if (next === null || (hasMoved && (entersStop || leavesGuard || callsStop))) setRunning(false);
    else setGiven([...given, next]);
  }, [isRunning, isSettled, last, next, played, given, breakpoints]);

  if (query.error && !last) return <Failure error={query.error} retry={() => query.refetch()} />;
  if (!last) return <Loading />;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Status tone={last.status === "completed" ? "good" : "busy"}>
          {last.status === "completed" ? "completed" : `in ${last.step ?? "no step"}`}
        </Status>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconArrowBackUp size={14} />}
          disabled={given.length <= 1}
          onClick={() => setGiven(given.slice(0, -1))}
        >
          Back
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => setGiven(BEGIN)}
        >
          Restart
        </Button>
      </Group>
      {recorded && (
        <Group gap="xs">
          <Text size="sm">
            From <RouteLink to={`/sessions/${recorded.session_id}`}>session {recorded.session_id}</RouteLink>
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlayerTrackNext size={14} />}
            disabled={next === null}
            onClick={() => next && add(next.event, next.place)}
          >
            Next recorded
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlayerPlay size={14} />}
            disabled={next === null}
            loading={isRunning}
            onClick={() => {
              if (next) setGiven([...given, next]);
              setRunning(true);
            }}
          >
            Run to breakpoint
          </Button>
          {isSettled && next === null && (
            <Text size="xs" c="dimmed">
              Nothing more was recorded for this workflow.
            </Text>
          )}
        </Group>
      )}
      {query.error && <Failure error={query.error} retry={() => query.refetch()} />}
      <PlayTalk events={events} played={played} />
      {last.awaits !== null ? (
        <ToolAnswer
          key={given.length}
          tool={last.awaits}
          played={last}
          definition={definition}
          onAnswer={(result, error) => add({ type: "called", result, error })}
        />
      ) : last.offered !== null ? (
        <AnswerFields
          key={`${given.length} ${last.step}`}
          offered={last.offered}
          onSubmit={(values) => add({ type: "submit", arguments: values })}
        />
      ) : (
        <Text size="sm" c="dimmed">
          The model continues without the workflow's tool.
        </Text>
      )}
      <Text size="xs" c="dimmed">
        Click a step to stop a recorded conversation before it.
      </Text>
      <KeyValues
        label="Variables at the start"
        keyLabel="Full name, such as vars.name"
        value={entered}
        onChange={setEntered}
      />
    </Stack>
  );
}
