import { type RecordedAnswer, type Snapshot, toolsIn } from "../agents/snapshot.ts";
import type { Db } from "../db/database.ts";
import { observedCall } from "../evaluations/observe.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import { localTime } from "../sessions/variables.ts";
import { callsService } from "../tools/tool-definition.ts";
import type { RecordedTurn } from "./recorded-person.ts";

/** A real session, as a replay plays it again. */
export type SessionRecording = {
  session_id: number;
  snapshot: Snapshot;
  channel: "chat" | "sms" | "email" | "whatsapp";
  /** The agent's wall clock when it began. */
  clock: string;
  source: string | null;
  verified: boolean;
  claimed_user: string | null;
  user_name: string | null;
  is_outbound: boolean;
  start_variables: Record<string, string>;
  turns: RecordedTurn[];
  /** What the agent said and called after the person's last line. */
  end: { heard: string; calls: string[] };
  answers: RecordedAnswer[];
};

type Line = { seq: number; role: "user" | "agent"; text: string };
type Call = { seq: number; tool_name: string; error: string | null };

/** null: it was deleted. */
export async function loadRecording(db: Db, session_id: number): Promise<SessionRecording | null> {
  const session = await db
    .selectFrom("sessions")
    .select([
      ...(["channel", "timestamp", "agent_timezone", "override_timestamp", "source", "verified"] as const),
      ...(["claimed_user", "user_name", "is_outbound", "start_variables"] as const),
      snapshotOf("sessions").as("snapshot"),
    ])
    .where("id", "=", session_id)
    .executeTakeFirst();
  if (!session) return null;
  const lines: Line[] = await db
    .selectFrom("session_messages")
    .select(["seq", "role", "text"])
    .where("session_id", "=", session_id)
    .where("aside", "=", false)
    .orderBy("seq")
    .execute();
  const calls = await db
    .selectFrom("session_tool_calls")
    .select(["seq", "round", "tool_name", "arguments", "request", "result", "whole_result", "error"])
    .where("session_id", "=", session_id)
    .orderBy("seq")
    .execute();
  const { snapshot } = session;
  const { date, time } = localTime(new Date(session.timestamp), session.agent_timezone);
  const { channel, source, verified, claimed_user, user_name, is_outbound } = session;
  const answering = answeredElsewhere(snapshot);
  return {
    session_id,
    snapshot,
    source,
    verified,
    claimed_user,
    user_name,
    is_outbound,
    channel: channel === "voice" ? "chat" : channel,
    clock: session.override_timestamp ?? `${date}T${time}:00`,
    start_variables: (session.start_variables ?? {}) as Record<string, string>,
    ...turnsOf(
      lines,
      calls.filter(({ round }) => round < AFTER_ROUNDS),
    ),
    answers: calls
      .filter(({ tool_name }) => answering.has(tool_name))
      .map((call) => {
        const { tool, arguments: given, result, error } = observedCall(call);
        const whole = call.whole_result === null ? {} : { whole: call.whole_result };
        return { tool, arguments: given, result, error, ...whole };
      }),
  };
}

/** The session end tool's rounds begin here. */
const AFTER_ROUNDS = 1_000;

/** What was called between the person's lines, and what the agent said before each. Pure. */
function turnsOf(lines: readonly Line[], calls: readonly Call[]): Pick<SessionRecording, "turns" | "end"> {
  const turns: RecordedTurn[] = [];
  let after = -1;
  for (const [at, line] of lines.entries()) {
    if (line.role !== "user") continue;
    turns.push({ said: line.text, ...between(lines.slice(0, at), calls, after, line.seq) });
    after = line.seq;
  }
  return { turns, end: between(lines, calls, after, Number.POSITIVE_INFINITY) };
}

function between(lines: readonly Line[], calls: readonly Call[], after: number, before: number) {
  const within = ({ seq }: { seq: number }) => seq > after && seq < before;
  return {
    heard: lines
      .filter((line) => line.role === "agent" && within(line))
      .map(({ text }) => text)
      .join("\n"),
    calls: calls.filter(within).map(calledName),
  };
}

const FAILED = "!";

export const calledName = ({ tool_name, error }: Pick<Call, "tool_name" | "error">): string =>
  error === null ? tool_name : tool_name + FAILED;

/** From the names of tools in one state of an agent to those in another: a tool that was renamed keeps its number. Pure. */
export function toolNames(from: Snapshot, to: Snapshot): (tool: string) => string {
  const there = new Map(toolsIn(to).map(({ id, name }) => [id, name]));
  const names = new Map(toolsIn(from).map(({ id, name }) => [name, there.get(id) ?? name]));
  return (tool) => names.get(tool) ?? tool;
}

/** The recording with its tools called as in another state of the agent. Pure. */
export function calledAsIn(recording: SessionRecording, snapshot: Snapshot): SessionRecording {
  const nameOf = toolNames(recording.snapshot, snapshot);
  const renamed = (calls: string[]) =>
    calls.map((call) => (call.endsWith(FAILED) ? nameOf(call.slice(0, -1)) + FAILED : nameOf(call)));
  return {
    ...recording,
    turns: recording.turns.map((turn) => ({ ...turn, calls: renamed(turn.calls) })),
    end: { ...recording.end, calls: renamed(recording.end.calls) },
    answers: recording.answers.map((answer) => ({ ...answer, tool: nameOf(answer.tool) })),
  };
}

const SEARCH = "data_source_search";

/** Tools whose answers come from outside the conversation: services, and texts that may have changed since. */
export function answeredElsewhere(snapshot: Snapshot): Set<string> {
  return new Set(
    toolsIn(snapshot)
      .filter(({ name, is_system, definition }) => (is_system ? name === SEARCH : callsService(definition)))
      .map(({ name }) => name),
  );
}
