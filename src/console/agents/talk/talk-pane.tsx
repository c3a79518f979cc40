import { ActionIcon, Alert, Button, Group, ScrollArea, Stack, Switch, Text, TextInput } from "@mantine/core";
import {
  IconAlertTriangle,
  IconMessagePlus,
  IconMicrophone,
  IconPlayerStopFilled,
  IconSend,
} from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Code, Empty, Facts, Failure, Panel, RouteLink, Status } from "../../parts/parts.tsx";
import { useKeptText } from "../../server/kept-text.ts";
import { LiveTurn } from "../../sessions/live/live-turn.tsx";
import { Said, TurnView } from "../../sessions/turn-view.tsx";
import { NO_START, StartWith } from "./start-with.tsx";
import classes from "./talk-pane.module.css";
import { useTalk } from "./use-talk.ts";
import { useVoiceTalk } from "./use-voice-talk.ts";

/**
 * A test conversation with the saved draft, in text or by voice: the words as they are written, and beside them the
 * workflow's step, variables, tool calls, tokens and milliseconds.
 */
export function TalkPane({ agent_id }: { agent_id: number }) {
  const [text, setText] = useKeptText(`talk ${agent_id}`);
  const [begin, setBegin] = useState(NO_START);
  const [showEngine, setShowEngine] = useState(false);
  const words = useRef<HTMLDivElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const mute = useRef<HTMLButtonElement>(null);
  const talk = useTalk(agent_id, begin, (words) => setText((typed) => typed || words));
  const voice = useVoiceTalk(agent_id, begin, talk.show);
  const { session, turns, running, state } = talk;
  const isCalling = voice.status !== null;
  const isShown = talk.test_id !== null || isCalling;
  const isOver = (session?.ended ?? false) || isCalling;

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
  }, [isShown]);

  // The button that began it is gone, and what comes next is to write, or to listen.
  useEffect(() => {
    if (isShown && document.activeElement === document.body) (mute.current ?? field.current)?.focus();
  }, [isShown]);

  const callButton = (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconMicrophone size={14} />}
      onClick={() => {
        talk.stop();
        voice.start();
      }}
    >
      Talk by voice
    </Button>
  );
  return (
    <Panel
      title="Talk"
      actions={
        isShown &&
        !isCalling && (
          <>
            <Switch
              size="xs"
              label="Debug trace"
              checked={showEngine}
              onChange={({ currentTarget }) => setShowEngine(currentTarget.checked)}
            />
            {callButton}
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconMessagePlus size={14} />}
              onClick={talk.start}
            >
              Restart
            </Button>
          </>
        )
      }
      flush
    >
      {!isShown ? (
        <Empty
          title="Test this agent"
          action={
            <Stack align="center" gap="sm">
              <Group gap="xs" justify="center">
                <Button onClick={talk.start}>Start conversation</Button>
                {callButton}
              </Group>
              {voice.notice !== "" && <CallNotice>{voice.notice}</CallNotice>}
              <StartWith value={begin} onChange={setBegin} />
            </Stack>
          }
        >
          Talk with the saved draft. Steps, variables, tool calls and latency are shown as you go.
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
              {!isCalling &&
                turns.map((turn) => (
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
              {running && !isCalling && (
                <LiveTurn
                  title={running.after < 0 ? "Opening" : `Turn ${running.after + 1}`}
                  said={running.said}
                  parts={running.parts}
                  isOver={running.isOver}
                />
              )}
              {isCalling && <LiveTurn title="Call" said="" parts={voice.parts} isOver={null} />}
              {talk.queued && <Said source="user">{talk.queued}</Said>}
              {talk.error && <Failure error={talk.error} />}
              {!isCalling && voice.notice !== "" && <CallNotice>{voice.notice}</CallNotice>}
              {talk.story.error && <Failure error={talk.story.error} retry={() => talk.story.refetch()} />}
              {session?.ended && !isCalling && (
                <Text size="sm" c="dimmed" ta="center" py="xs">
                  The conversation has ended.
                </Text>
              )}
            </div>
          </ScrollArea>
          {isCalling ? (
            <div className={classes.composer}>
              <Text size="sm" role="status" lineClamp={2}>
                {voice.notice || voice.status}
              </Text>
              <Group gap="xs" wrap="nowrap">
                <Button ref={mute} variant="default" aria-pressed={voice.isMuted} onClick={voice.mute}>
                  {voice.isMuted ? "Unmute" : "Mute"}
                </Button>
                <Button color="red" onClick={voice.hangUp}>
                  Hang up
                </Button>
              </Group>
            </div>
          ) : (
            <form
              className={classes.composer}
              onSubmit={(event) => {
                event.preventDefault();
                if (text.trim() === "") return;
                talk.say(text);
                setText("");
              }}
            >
              <TextInput
                ref={field}
                aria-label="Your message"
                placeholder={isOver ? "Restart to continue" : "Your message"}
                value={text}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
                maxLength={20_000}
                disabled={isOver}
                autoComplete="off"
              />
              {talk.isAnswering && text === "" ? (
                <ActionIcon
                  type="button"
                  variant="default"
                  size={36}
                  aria-label="Stop"
                  onClick={() => {
                    talk.stop();
                    field.current?.focus();
                  }}
                >
                  <IconPlayerStopFilled size={15} />
                </ActionIcon>
              ) : (
                <ActionIcon
                  type="submit"
                  variant="filled"
                  color="ink"
                  size={36}
                  aria-label="Send"
                  disabled={isOver}
                >
                  <IconSend size={17} />
                </ActionIcon>
              )}
            </form>
          )}
          {state && session && !isCalling && (
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

/** Why a call did not begin or went on no longer, such as a microphone that isn't there. */
const CallNotice = ({ children }: { children: string }) => (
  <Alert color="red" icon={<IconAlertTriangle />} role="alert" my="md">
    {children}
  </Alert>
);
