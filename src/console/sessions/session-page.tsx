import { Box, Grid, Group, Stack, Switch } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { LiveSession, Session, SessionDetail } from "../api-types.ts";
import { Empty, Facts, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { personPath } from "../parts/person-path.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { carrierId, channelWords, isCall } from "./channel-words.ts";
import { FoundNeighbours } from "./found-neighbours.tsx";
import { InsightPanel } from "./insight-panel.tsx";
import { LabelPanel } from "./label-panel.tsx";
import { LatencyPanel } from "./latency-panel.tsx";
import { useLiveSessions } from "./live/live-sessions.ts";
import { MakeTest } from "./make-test.tsx";
import { OperatePanel } from "./operate-panel.tsx";
import { PlayWorkflow } from "./play-workflow.tsx";
import { readStory } from "./read-story.ts";
import { RecordingPanel } from "./recording-panel.tsx";
import { RedactedPanel } from "./redacted-panel.tsx";
import { IN, listAddress } from "./session-search.ts";
import { endedBy, isRunning, lengthOf, voiceWords } from "./session-words.ts";
import { TurnView } from "./turn-view.tsx";
import type { engineState } from "./turns.ts";

/** While the stream of changes can't be read. */
const FOLLOW_MS = 2000;

export default function SessionPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const client = useQueryClient();
  const [isFollowed, setFollowed] = useState(false);
  const session = useQuery({
    queryKey: ["session", id],
    queryFn: ({ signal }) => call("GET /api/v1/sessions/{session_id}", { path: { session_id: id }, signal }),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) && !isFollowed ? FOLLOW_MS : false),
  });
  const live = useLiveSessions(
    session.data && isRunning(session.data) ? { session_id: Number(id) } : null,
    () => void client.invalidateQueries({ queryKey: ["session", id] }),
  );
  if (live.isFollowed !== isFollowed) setFollowed(live.isFollowed);
  const { [IN]: search } = useSearch({ strict: false }) as { [IN]?: string };
  return (
    <>
      <PageHead
        title={`Session ${id}`}
        back={{ to: listAddress(search ?? ""), label: "Sessions" }}
        about={session.data && <About session={session.data} />}
        actions={
          <>
            {search !== undefined && <FoundNeighbours id={id} search={search} />}
            {session.data && !isRunning(session.data) && <MakeTest id={id} session={session.data} />}
          </>
        }
      />
      <Fetched query={session} lines={12}>
        {(found) => <Body id={id} session={found} now={live.sessions[0] ?? null} isFollowed={isFollowed} />}
      </Fetched>
    </>
  );
}

function About({ session }: { session: Session }) {
  return (
    <Group gap="xs">
      {isRunning(session) ? <Status tone="busy">running</Status> : <Status tone="quiet">ended</Status>}
      {session.is_test && <Status tone="info">test</Status>}
      <Time at={session.timestamp} />
      <OneLine session={session} />
    </Group>
  );
}

/** The person, and what was said of it or first said in it. */
function OneLine({ session }: { session: Session }) {
  const id = session.session_id ?? "";
  const found = useQuery({
    queryKey: ["session", id, "title", isRunning(session)],
    queryFn: ({ signal }) =>
      call("GET /api/v1/sessions/search", {
        query: {
          search_fields: ["session_id", "is_test"],
          search_field_values: [id, String(session.is_test === true)],
        },
        signal,
      }),
  });
  const title = found.data?.items[0]?.title;
  return (
    <span style={{ minWidth: 0, overflowWrap: "anywhere" }}>
      <bdi>{session.source}</bdi>
      {title && (
        <>
          {": "}
          <bdi>{title}</bdi>
        </>
      )}
    </span>
  );
}

function withoutEngine(search: { engine?: string }) {
  const { engine: _, ...rest } = search;
  return rest;
}

function Body(props: {
  id: string;
  session: SessionDetail;
  /** What the session does at this moment, while it runs. */
  now: LiveSession | null;
  isFollowed: boolean;
}) {
  const { id, session, now, isFollowed } = props;
  const may = useMay();
  const search = useSearch({ strict: false }) as { engine?: string };
  const navigate = useNavigate();
  const showEngine = search.engine === "yes";
  const refetchInterval = isRunning(session) && !isFollowed ? FOLLOW_MS : false;
  const [playing, setPlaying] = useState<Date | null>(null);
  const [seek, setSeek] = useState<{ seconds: number } | null>(null);

  const story = useQuery({
    // Read once more after the end, because the last poll may predate the last message.
    queryKey: ["session", id, "story", isRunning(session)],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => readStory(Number(id), signal),
  });
  const begun = new Date(session.timestamp).getTime();
  const onSeek = useCallback(
    (at: string) => setSeek({ seconds: (new Date(at).getTime() - begun) / 1000 }),
    [begun],
  );
  const isPlaying = (turns: { begun: string | null }[], index: number): boolean => {
    const from = turns[index]?.begun;
    const to = turns[index + 1]?.begun;
    return playing !== null && !!from && new Date(from) <= playing && (!to || playing < new Date(to));
  };

  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Panel
          title="Conversation"
          actions={
            <Switch
              size="sm"
              label="Debug trace"
              checked={showEngine}
              onChange={({ currentTarget }) =>
                void navigate({
                  to: ".",
                  search: currentTarget.checked ? { ...search, engine: "yes" } : withoutEngine(search),
                  replace: true,
                  resetScroll: false,
                })
              }
            />
          }
        >
          <Fetched query={story}>
            {({ turns }) =>
              turns.length === 0 ? (
                <Empty title="No messages yet" />
              ) : (
                <div aria-live={isRunning(session) ? "polite" : "off"}>
                  {turns.map((turn, index) => (
                    <TurnView
                      key={turn.index}
                      session_id={id}
                      sent_of={id}
                      debug_of={id}
                      turn={turn}
                      showEngine={showEngine}
                      isPlaying={isPlaying(turns, index)}
                      {...(seek !== null || playing !== null ? { onSeek } : {})}
                    />
                  ))}
                </div>
              )
            }
          </Fetched>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack gap="md">
          {isRunning(session) && <OperatePanel id={Number(id)} session={session} now={now} />}
          <Panel title="Details">
            <Facts items={factsOf(session, story.data?.state)} />
            {story.data?.state.workflow && may("sessions_debug") && may("tools_read") && (
              <Box mt="sm">
                <PlayWorkflow session_id={Number(id)} workflow={story.data.state.workflow} />
              </Box>
            )}
          </Panel>
          {isCall(session) && !isRunning(session) && may("recording_download") && (
            <RecordingPanel
              id={id}
              entries={story.data?.entries ?? []}
              seek={seek}
              onTime={(seconds) => setPlaying(seconds === null ? null : new Date(begun + seconds * 1000))}
            />
          )}
          <LatencyPanel id={id} isRunning={isRunning(session)} refetch_ms={refetchInterval} />
          {may("session_labels_read") && <LabelPanel id={id} />}
          {may("insights_read") && <InsightPanel id={id} />}
          {may("redacted_values_open") && <RedactedPanel id={id} />}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function factsOf(
  session: SessionDetail,
  state: ReturnType<typeof engineState> | undefined,
): [string, React.ReactNode][] {
  const tokens = state && state.input_tokens + state.output_tokens;
  return [
    [
      "Agent",
      <RouteLink key="agent" to={`/agents/${session.agent_id}`}>
        {session.agent_name}
      </RouteLink>,
    ],
    [
      "Prompt",
      <RouteLink key="prompt" to={`/prompts/${session.prompt_id}`}>
        {session.prompt_name ?? "–"}, version {session.prompt_version_number ?? "–"}
      </RouteLink>,
    ],
    [
      "Channel",
      [channelWords(session), session.is_outbound ? "outbound" : "inbound"].filter(Boolean).join(", "),
    ],
    ["Duration", lengthOf(session) ?? "Running"],
    ["Ended", session.ended_at ? <Time key="ended" at={session.ended_at} /> : null],
    ["Ended by", endedBy(session)],
    ...(session.redaction_pending
      ? [["Redaction", "Waiting for the model's judgement"] as [string, React.ReactNode]]
      : []),
    [
      "Person",
      session.source && session.source.length >= 6 ? (
        <RouteLink key="person" to={personPath(session.source)}>
          <bdi>{session.source}</bdi>
        </RouteLink>
      ) : (
        <bdi key="person">{session.source}</bdi>
      ),
    ],
    ["Our address", <bdi key="ours">{session.target}</bdi>],
    ["Carrier ID", carrierId(session)],
    ["Model", state?.is_scripted ? "Scripted, offline" : null],
    ["Voice", voiceWords(session)],
    ["Tokens", tokens ? `${state.input_tokens} in, ${state.output_tokens} out` : null],
    ...(state?.step ? ([["Step", `${state.workflow}: ${state.step}`]] as [string, React.ReactNode][]) : []),
  ];
}
