import { Button, Grid, Group, MultiSelect, Stack, Switch, Text, Textarea } from "@mantine/core";
import { IconPlayerPlay, IconPlayerTrackNext, IconRestore } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { DebugTurn, SessionFork } from "../api-types.ts";
import { Unreadable } from "../editors/unreadable.ts";
import { useAction } from "../parts/action.ts";
import { lazyPart } from "../parts/lazy-part.tsx";
import { Failure, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { readStory } from "../sessions/read-story.ts";
import { TurnView } from "../sessions/turn-view.tsx";
import { useBreakpoints } from "../studio/use-breakpoints.ts";
import { readText } from "./json-text.ts";
import { NO_EDITS, StopView } from "./stop-view.tsx";
import { VariableTable } from "./variable-table.tsx";

const Canvas = lazyPart("canvas", async () => ({ default: (await import("../studio/canvas.tsx")).Canvas }));

/** A turn of a session, run again in a test session with breakpoints. */
export default function DebugPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const search = useSearch({ strict: false }) as { turn?: string | number };
  const turn_index = Number(search.turn ?? 1) || 1;
  const turn = useQuery({
    queryKey: ["session", id, "debug turn", turn_index],
    queryFn: ({ signal }) =>
      call("GET /api/v1/sessions/{session_id}/debug_turn", {
        path: { session_id: Number(id) },
        query: { turn_index },
        signal,
      }),
  });
  return (
    <>
      <PageHead
        title={`Debug turn ${turn_index}`}
        back={{ to: `/sessions/${id}`, label: `Session ${id}` }}
        about={turn.data?.agent_name}
      />
      <Fetched query={turn} lines={8}>
        {(found) => <Workbench key={`${id} ${turn_index}`} id={id} turn={found} />}
      </Fetched>
    </>
  );
}

type Edits = Record<string, string>;
const valuesOf = (edits: Edits) =>
  Object.fromEntries(Object.entries(edits).map(([name, text]) => [name, readText(text)]));

function Workbench({ id, turn }: { id: string; turn: DebugTurn }) {
  const { turn_index } = turn;
  const may = useMay();
  const [words, setWords] = useState(turn.text);
  const [before, setBefore] = useState<Edits>({});
  const { set, ...places } = useBreakpoints();
  const [isOpen, setOpen] = useState(false);
  const [fork, setFork] = useState<SessionFork | null>(null);
  const [edits, setEdits] = useState(NO_EDITS);
  const [unreadable, setUnreadable] = useState(0);
  const breakpoints = { steps: [...places.steps], guards: [...places.guards], tools: [...places.tools] };

  const run = useAction({
    mutationFn: () =>
      call("POST /api/v1/sessions/{session_id}/forks", {
        path: { session_id: Number(id) },
        body: {
          turn_index,
          text: words,
          variables: valuesOf(before),
          breakpoints,
          network: isOpen ? "open" : "closed",
        },
      }),
    onSuccess: reached,
  });
  const go = useAction({
    mutationFn: ({ session_id }: SessionFork) =>
      call("POST /api/v1/sessions/{session_id}/continue", {
        path: { session_id },
        body: {
          variables: valuesOf(edits.values),
          breakpoints,
          ...(edits.answer && { answer: edits.answer }),
        },
      }),
    onSuccess: reached,
  });
  function reached(now: SessionFork) {
    setFork(now);
    setEdits(NO_EDITS);
  }
  const back = () => {
    setFork(null);
    setEdits(NO_EDITS);
    run.reset();
    go.reset();
  };
  const isBusy = run.isPending || go.isPending;
  const error = run.error ?? go.error;

  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <Panel title="Conversation">
            <Conversation id={id} until={turn_index - 1} />
            {fork && <Conversation id={String(fork.session_id)} from={turn_index} stand={standOf(fork)} />}
          </Panel>
          {turn.tasks.map(({ workflow, tool, task }) => (
            <Panel
              key={workflow}
              title={`Workflow ${workflow}`}
              actions={
                may("tools_read") && (
                  <Text size="sm">
                    <RouteLink to={`/tools/${encodeURIComponent(tool)}?session=${id}`}>
                      Open in the studio
                    </RouteLink>
                  </Text>
                )
              }
            >
              <Canvas
                label={`Steps of ${workflow}`}
                task={task}
                selected={null}
                current={currentOf(turn, fork, workflow)}
                acts={NO_ACTS}
                breakpoints={places}
              />
              <Text size="xs" c="dimmed" mt={4}>
                Click a step to stop before it.
              </Text>
            </Panel>
          ))}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="md">
          <Panel title={fork ? "Progress" : `Before turn ${turn_index}`}>
            <Stack gap="sm">
              {fork === null && (
                <>
                  <Textarea
                    label="Person's message"
                    autosize
                    maxLength={20_000}
                    value={words}
                    onChange={({ currentTarget }) => setWords(currentTarget.value)}
                  />
                  <Text size="xs" c="dimmed">
                    The agent's clock: {turn.clock.replace("T", " ")}
                  </Text>
                  <VariableTable
                    label="Variables before the turn"
                    variables={turn.variables}
                    edits={before}
                    onEdit={setBefore}
                  />
                  <Switch
                    size="sm"
                    label="Call real services"
                    description="Off: tools answer as recorded."
                    checked={isOpen}
                    onChange={({ currentTarget }) => setOpen(currentTarget.checked)}
                  />
                </>
              )}
              {fork?.stop && (
                <Unreadable value={setUnreadable}>
                  <StopView stop={fork.stop} isOpen={isOpen} edits={edits} onEdit={setEdits} />
                </Unreadable>
              )}
              {fork && <Standing fork={fork} />}
              {error && <Failure error={error} />}
              <Group gap="xs">
                {fork === null ? (
                  <Button
                    leftSection={<IconPlayerPlay size={15} />}
                    loading={isBusy}
                    onClick={() => run.mutate()}
                  >
                    Run
                  </Button>
                ) : (
                  <>
                    {fork.status === "stopped" && (
                      <Button
                        leftSection={<IconPlayerTrackNext size={15} />}
                        loading={isBusy}
                        disabled={unreadable > 0}
                        onClick={() => go.mutate(fork)}
                      >
                        Continue
                      </Button>
                    )}
                    <Button
                      variant="default"
                      leftSection={<IconRestore size={15} />}
                      disabled={isBusy}
                      onClick={back}
                    >
                      Back to turn {turn_index}
                    </Button>
                  </>
                )}
              </Group>
            </Stack>
          </Panel>
          <Panel title="Breakpoints">
            <Stack gap="sm">
              <MultiSelect
                label="Before steps"
                data={unique(turn.steps.map(({ step }) => step))}
                value={breakpoints.steps}
                onChange={(chosen) => set("steps", chosen)}
              />
              <MultiSelect
                label="At conditions of steps"
                data={unique(turn.steps.filter(({ has_guards }) => has_guards).map(({ step }) => step))}
                value={breakpoints.guards}
                onChange={(chosen) => set("guards", chosen)}
              />
              <MultiSelect
                label="Before tools"
                data={unique(turn.tools)}
                value={breakpoints.tools}
                onChange={(chosen) => set("tools", chosen)}
              />
            </Stack>
          </Panel>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

const NO_ACTS = {};

/** The step where the workflow stands: at the stop, or before the turn. */
function currentOf(turn: DebugTurn, fork: SessionFork | null, workflow: string): string | null {
  if (fork) return fork.stop?.workflow === workflow ? fork.stop.step : null;
  return turn.workflows.find((each) => each.workflow === workflow)?.step ?? null;
}

const unique = (names: string[]) => [...new Set(names)];

/** The conversation is read again at each stop, and at the end. */
const standOf = ({ session_id, status, stop }: SessionFork) =>
  `${session_id} ${status} ${JSON.stringify(stop)?.length}`;

function Standing({ fork }: { fork: SessionFork }) {
  return (
    <Group gap="xs">
      {fork.status === "finished" && <Status tone="good">The turn has ended</Status>}
      {fork.status === "stopped" && !fork.stop && <Status tone="warn">not begun</Status>}
      {fork.status === "abandoned" && <Status tone="quiet">The session has ended</Status>}
      {fork.status === "running" && <Status tone="busy">running</Status>}
      <Text size="xs" component="span">
        <RouteLink to={`/sessions/${fork.session_id}?engine=yes`}>Session {fork.session_id}</RouteLink>
      </Text>
    </Group>
  );
}

/** The turns of a session, up to one of them or from one on; read anew when it stands elsewhere. */
function Conversation(props: { id: string; from?: number; until?: number; stand?: string }) {
  const { id, from = 0, until = Number.POSITIVE_INFINITY, stand = "" } = props;
  const story = useQuery({
    queryKey: ["session", id, "debugged", from, until, stand],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await readStory(Number(id), signal)).turns,
    gcTime: 0,
  });
  return (
    <Fetched query={story} lines={3}>
      {(turns) =>
        turns
          .filter(({ index }) => index >= from && index <= until)
          .map((turn) => <TurnView key={turn.index} sent_of={id} turn={turn} showEngine={from > 0} />)
      }
    </Fetched>
  );
}
