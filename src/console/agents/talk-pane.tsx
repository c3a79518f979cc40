import { ActionIcon, Button, Group, Loader, ScrollArea, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconMessagePlus, IconSend } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Code, Empty, Facts, Failure, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMe } from "../server/me.tsx";
import { Said, TurnView } from "../sessions/turn-view.tsx";
import { engineState, turnsOf } from "../sessions/turns.ts";
import { CallLink } from "./call-link.tsx";
import { NO_START, StartWith, startFields, type TalkStart } from "./start-with.tsx";
import classes from "./talk-pane.module.css";

/** The part of a test conversation's answer that this pane uses. */
type Content = { session_id: number; ended: boolean };

/**
 * A test conversation with the saved agent: the messages, and beside them the workflow's step, variables,
 * tool calls, tokens and milliseconds. It reads the session, so Sessions shows the same later.
 */
export function TalkPane({ agent_id }: { agent_id: number }) {
  const me = useMe();
  const client = useQueryClient();
  const [test_id, setTestId] = useState<string | null>(null);
  const [session, setSession] = useState<Content | null>(null);
  const [text, setText] = useState("");
  const [begin, setBegin] = useState<TalkStart>(NO_START);
  const [showEngine, setShowEngine] = useState(false);
  const words = useRef<HTMLDivElement>(null);
  const log = useRef<HTMLDivElement>(null);

  const story = useQuery({
    queryKey: ["session", String(session?.session_id), "talk"],
    enabled: session !== null,
    async queryFn({ signal }) {
      const session_id = session?.session_id as number;
      const [timeline, trace] = await Promise.all([
        call("GET /api/v1/sessions/timeline/{session_id}", {
          path: { session_id: String(session_id) },
          signal,
        }),
        call("GET /api/v1/sessions/{session_id}/trace", { path: { session_id }, signal }),
      ]);
      return { turns: turnsOf(timeline.events, trace.entries), state: engineState(trace.entries) };
    },
  });

  const say = useMutation({
    // A message sent while the agent answers waits for the answer.
    scope: { id: `talk ${agent_id}` },
    async mutationFn({ test, words, start }: { test: string; words: string; start: boolean }) {
      const { response } = await call("POST /api/v1/agents/test/messages", {
        body: {
          service_name: "console",
          source: begin.caller.trim() || me.email,
          ...startFields(begin),
          test_id: test,
          agent_id: String(agent_id),
          text: words,
          session_start: start,
        },
      });
      return (response as { content: Content }).content;
    },
    async onSuccess(content) {
      setSession(content);
      await client.invalidateQueries({ queryKey: ["session", String(content.session_id), "talk"] });
    },
  });
  const start = () => {
    const test = randomName();
    setTestId(test);
    setSession(null);
    say.mutate({ test, words: "", start: true });
  };
  const turns = session ? (story.data?.turns ?? []) : [];
  const state = session ? story.data?.state : undefined;
  const waiting = say.isPending ? say.variables.words : "";

  // Scrolls to the end whenever the conversation grows, also after late layout. The page itself doesn't scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log is there once a conversation is
  useEffect(() => {
    const content = log.current;
    if (content === null) return;
    const observer = new ResizeObserver(() => {
      words.current?.scrollTo({ top: words.current.scrollHeight });
    });
    observer.observe(content);
    return () => observer.disconnect();
  }, [test_id === null]);

  return (
    <Panel
      title="Talk"
      actions={
        <>
          <CallLink agent_id={agent_id} />
          {test_id !== null && (
            <>
              <Switch
                size="xs"
                label="Debug trace"
                checked={showEngine}
                onChange={({ currentTarget }) => setShowEngine(currentTarget.checked)}
              />
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconMessagePlus size={14} />}
                onClick={start}
              >
                Restart
              </Button>
            </>
          )}
        </>
      }
      flush
    >
      {test_id === null ? (
        <Empty
          title="Test this agent"
          action={
            <Stack align="center" gap="sm">
              <Button onClick={start}>Start conversation</Button>
              <StartWith value={begin} onChange={setBegin} />
            </Stack>
          }
        >
          Chat with what was saved last, published or not. You see steps, variables, tool calls and latency as
          you go.
        </Empty>
      ) : (
        <div className={classes.talk}>
          <ScrollArea
            className={classes.words}
            type="auto"
            viewportRef={words}
            viewportProps={{ tabIndex: 0, "aria-label": "Conversation" }}
          >
            <div ref={log} className={classes.log} aria-live="polite">
              {turns.map((turn) => (
                <TurnView
                  key={turn.index}
                  turn={turn}
                  showEngine={showEngine}
                  {...(session && {
                    sent_of: String(session.session_id),
                    debug_of: String(session.session_id),
                  })}
                />
              ))}
              {waiting && <Said source="user">{waiting}</Said>}
              {say.isPending && <Loader type="dots" size="sm" aria-label="The agent is typing" />}
              {say.error && <Failure error={say.error} />}
              {story.error && <Failure error={story.error} retry={() => void story.refetch()} />}
              {session?.ended && (
                <Text size="sm" c="dimmed" ta="center" py="xs">
                  The conversation has ended.
                </Text>
              )}
            </div>
          </ScrollArea>
          <form
            className={classes.composer}
            onSubmit={(event) => {
              event.preventDefault();
              if (text.trim() === "") return;
              say.mutate({ test: test_id, words: text, start: false });
              setText("");
            }}
          >
            <TextInput
              aria-label="Your message"
              placeholder={session?.ended ? "Restart to continue" : "Your message"}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              maxLength={20_000}
              disabled={session?.ended ?? false}
              dir="auto"
              autoComplete="off"
            />
            <ActionIcon
              type="submit"
              variant="filled"
              color="ink"
              size={36}
              aria-label="Send"
              disabled={session?.ended ?? false}
            >
              <IconSend size={17} />
            </ActionIcon>
          </form>
          {state && session && (
            <Stack gap="xs" className={classes.state}>
              <Group gap="xs">
                {state.is_scripted && <Status tone="info">Scripted model, offline</Status>}
                <Text size="xs" component="span">
                  <RouteLink to={`/sessions/${session.session_id}?engine=yes`}>
                    Session {session.session_id}
                  </RouteLink>
                </Text>
              </Group>
              <Facts
                items={[
                  ["Step", state.step ? `${state.workflow}: ${state.step}` : "No active workflow"],
                  [
                    "Tokens",
                    state.input_tokens + state.output_tokens
                      ? `${state.input_tokens} in, ${state.output_tokens} out`
                      : null,
                  ],
                  ["Last turn", lastTurn(turns)],
                ]}
              />
              {state.variables.size > 0 && (
                <Code value={Object.fromEntries(state.variables)} label="Changed variables" />
              )}
            </Stack>
          )}
        </div>
      )}
    </Panel>
  );
}

function lastTurn(turns: { duration_ms: number | null }[]): string {
  const ms = turns.at(-1)?.duration_ms;
  return ms === null || ms === undefined ? "–" : `${Math.round(ms)} ms`;
}

/** `crypto.randomUUID` is missing over plain http from another machine. */
const randomName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
