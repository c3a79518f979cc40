import { Collapse, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAlertTriangle, IconChevronRight, IconTool } from "@tabler/icons-react";
import { memo, type ReactNode } from "react";
import type { TimelineEvent, TraceEntryResponse } from "../api-types.ts";
import { formatDuration } from "../parts/duration.ts";
import { Code, RouteLink } from "../parts/parts.tsx";
import { withNumbers } from "../parts/with-numbers.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { HeldMark } from "./held-mark.tsx";
import { SentPanel, ToolRequests } from "./sent-panel.tsx";
import { traceWords } from "./trace-words.ts";
import classes from "./turn-view.module.css";
import { type Turn, waterfall } from "./turns.ts";

/**
 * A turn: its messages and tool calls and, when the debug trace is shown, a waterfall of what the engine did. Of hundreds,
 * only those are drawn again that a new message or the playback changed.
 */
export const TurnView = memo(function TurnView(props: {
  /** Where messages of it may be held. */
  session_id?: string;
  /** Whose requests to models and tools can be opened. */
  sent_of?: string;
  /** Whose turns can be opened in the debugger. */
  debug_of?: string;
  turn: Turn;
  /** The conversation's name, where several are on the page. */
  among?: string;
  showEngine: boolean;
  isPlaying?: boolean;
  onSeek?(at: string): void;
}) {
  const { session_id, turn, among, showEngine, isPlaying = false, onSeek } = props;
  const mayDebug = useMay()("sessions_debug");
  const sent_of = mayDebug ? props.sent_of : undefined;
  const debug_of = mayDebug ? props.debug_of : undefined;
  return (
    <section
      className={classes.turn}
      aria-label={[among, turn.index === 0 ? "Opening" : `Turn ${turn.index}`].filter(Boolean).join(", ")}
      data-playing={isPlaying}
    >
      <div className={classes.head}>
        {onSeek && turn.begun ? (
          <UnstyledButton className={classes.seek} onClick={() => onSeek(turn.begun as string)}>
            {turn.index === 0 ? "Opening" : `Turn ${turn.index}`}
          </UnstyledButton>
        ) : (
          <span>{turn.index === 0 ? "Opening" : `Turn ${turn.index}`}</span>
        )}
        <Time at={turn.begun} kind="clock" />
        {turn.duration_ms !== null && <span>{formatDuration(turn.duration_ms)}</span>}
      </div>
      {turn.events.map((event, index) =>
        event.kind === "tool" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: events of the past keep their place
          <ToolCall key={index} event={event} turn={turn} sent_of={sent_of} />
        ) : event.kind === "note" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: events of the past keep their place
          <Note key={index} event={event} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: events of the past keep their place
          <div key={index}>
            <Said source={event.source} lang={event.lang} written_by={event.written_by}>
              {event.text || (event.source === "user" && "(silence)")}
            </Said>
            {event.held && session_id && <HeldMark session_id={session_id} held={event.held} />}
          </div>
        ),
      )}
      {sent_of && turn.trace.some(({ category }) => category === "llm") && (
        <Disclosed label="Sent to the model">
          <SentPanel session_id={sent_of} turn_index={turn.index} />
        </Disclosed>
      )}
      {debug_of && turn.index > 0 && (
        <Text size="xs" component="span">
          <RouteLink to={`/sessions/${debug_of}/debug?turn=${turn.index}`}>Open in debugger</RouteLink>
        </Text>
      )}
      {showEngine && turn.trace.length > 0 && <Waterfall trace={turn.trace} />}
    </section>
  );
});

/** One side's text. Its language is known; the browser detects its direction. */
export function Said(props: {
  source: string | null | undefined;
  lang?: string | null | undefined;
  /** The person who answered in the agent's place. */
  written_by?: string | null | undefined;
  children: ReactNode;
}) {
  const isUser = props.source === "user";
  return (
    <div className={classes.said} data-source={isUser ? "user" : "agent"}>
      <span className={classes.who}>
        {isUser ? "User" : props.written_by ? <bdi>{props.written_by}</bdi> : "Agent"}
      </span>
      <div className={classes.bubble} dir="auto" {...(props.lang && { lang: props.lang })}>
        {typeof props.children === "string" ? withNumbers(props.children) : props.children}
      </div>
    </div>
  );
}

/** What a person wrote to the model only; with a label, what became of an answer. */
function Note({ event }: { event: TimelineEvent }) {
  return (
    <div className={classes.note}>
      <span className={classes.who}>
        {event.label ?? (
          <>
            Note to the agent by <bdi>{event.written_by}</bdi>
            {event.turn_index == null && ", not read yet"}
          </>
        )}
      </span>
      <div dir="auto">{event.text}</div>
    </div>
  );
}

function ToolCall(props: { event: TimelineEvent; turn: Turn; sent_of: string | undefined }) {
  const { event, turn, sent_of } = props;
  const account = turn.trace.find(
    ({ category, label, timestamp }) =>
      category === "tool" && label === event.label && timestamp === event.timestamp,
  );
  const request = parsed(event.tool_request);
  return (
    <Disclosed
      label={
        <>
          <IconTool size={14} aria-hidden />
          <b>{event.label}</b>
          {event.tool_error && (
            <span className={classes.fault}>
              <IconAlertTriangle size={13} aria-hidden /> failed
            </span>
          )}
          <span className={classes.took}>{formatDuration(event.duration_ms)}</span>
        </>
      }
    >
      <Stage title="Model arguments" value={account?.details?.arguments ?? argumentsOf(request)} />
      <Stage title="Arguments after defaults" value={changed(account)} />
      <Stage title="Request" value={request} />
      <Stage title="Result" value={parsed(event.tool_result)} />
      <Stage title="Error" value={event.tool_error} />
      {sent_of && typeof account?.details?.tool_call_id === "string" && (
        <ToolRequests
          session_id={sent_of}
          turn_index={turn.index}
          tool_call_id={account.details.tool_call_id}
        />
      )}
    </Disclosed>
  );
}

const argumentsOf = (request: unknown): unknown =>
  typeof request === "object" && request !== null && "arguments" in request ? request.arguments : undefined;

/** Only where the pipeline changed something. */
function changed(account: TraceEntryResponse | undefined): unknown {
  const { arguments: given, prepared } = account?.details ?? {};
  return JSON.stringify(given) === JSON.stringify(prepared) ? undefined : prepared;
}

function parsed(text: string | null | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function Stage({ title, value }: { title: string; value: unknown }) {
  if (value === undefined || value === null) return null;
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {title}
      </Text>
      <Code value={value} label={title} />
    </div>
  );
}

function Disclosed({ label, children }: { label: ReactNode; children: ReactNode }) {
  const [opened, { toggle }] = useDisclosure(false);
  return (
    <div className={classes.call}>
      <UnstyledButton className={classes.callHead} onClick={toggle} aria-expanded={opened}>
        <IconChevronRight size={14} className={classes.chevron} data-opened={opened} aria-hidden />
        {label}
      </UnstyledButton>
      <Collapse expanded={opened}>{opened && <div className={classes.callBody}>{children}</div>}</Collapse>
    </div>
  );
}

/** The debug trace of a turn: a line for each entry, with its place on the turn's time scale. */
function Waterfall({ trace }: { trace: TraceEntryResponse[] }) {
  const { spans, total_ms } = waterfall(trace);
  const spanOf = new Map(spans.map((span) => [span.entry.id, span]));
  const phases = trace.find(({ category }) => category === "turn");
  return (
    <div className={classes.engine}>
      <ol className={classes.entries}>
        {trace
          .filter((entry) => entry !== phases)
          .map((entry) => (
            <Entry key={entry.id} entry={entry} span={spanOf.get(entry.id)} />
          ))}
      </ol>
      <div className={classes.scale}>
        <span>
          {phases &&
            phasesOf(phases).map(({ name, ms }, index) => (
              <span key={name} title={PHASES[name]}>
                {index > 0 && " · "}
                {name} {ms.toFixed(1)} ms
              </span>
            ))}
        </span>
        {total_ms > 0 && <span>{formatDuration(total_ms)}</span>}
      </div>
    </div>
  );
}

function Entry({
  entry,
  span,
}: {
  entry: TraceEntryResponse;
  span: { from: number; width: number } | undefined;
}) {
  const { line, isFault, more } = traceWords(entry);
  const hasMore = Object.keys(more).length > 0;
  const [opened, { toggle }] = useDisclosure(false);
  const shown = (
    <>
      <span className={classes.category}>{entry.category}</span>
      <span className={classes.line} data-fault={isFault}>
        {isFault && <IconAlertTriangle size={13} aria-label="Fault" />}
        {line}
      </span>
      <span className={classes.track} aria-hidden>
        {span && (
          <span
            className={classes.bar}
            data-category={entry.category}
            style={{ insetInlineStart: `${span.from * 100}%`, width: `max(2px, ${span.width * 100}%)` }}
          />
        )}
      </span>
      <span className={classes.took}>
        {entry.duration_ms === null ? "" : formatDuration(entry.duration_ms)}
      </span>
    </>
  );
  return (
    <li>
      {hasMore ? (
        <UnstyledButton className={classes.entry} onClick={toggle} aria-expanded={opened}>
          {shown}
        </UnstyledButton>
      ) : (
        <div className={classes.entry}>{shown}</div>
      )}
      {opened && <Code value={more} label={`Details of ${line}`} />}
    </li>
  );
}

/** What each phase of a turn is, shown on hover. */
const PHASES: Record<string, string> = {
  lease: "Waiting for the session's previous turn",
  load: "Loading the session",
  model: "Waiting for the model",
  tools: "Waiting for tools",
  store: "Storing the turn",
  engine: "Everything else: prompt, arguments, workflows",
};

const phasesOf = ({ details }: TraceEntryResponse): { name: string; ms: number }[] =>
  Object.entries(details ?? {}).flatMap(([key, ms]) =>
    typeof ms === "number" && ms >= 0.05
      ? [{ name: key === "own_ms" ? "engine" : key.replace(/_ms$/, ""), ms }]
      : [],
  );
