import type { Snapshot, ToolMock } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { observedCall } from "../evaluations/observe.ts";
import { localTime, type SessionState } from "../sessions/variables.ts";
import { toolType } from "../tools/tool-definition.ts";
import { sessionTasks } from "../workflows/workflow-state.ts";

/** A session before one of its turns, from what was stored when the turn began. */
export type OriginTurn = {
  session: OriginSession;
  snapshot: Snapshot;
  state: SessionState;
  /** The person's words, and their place among messages and calls. */
  text: string;
  seq: number;
  /** The agent's wall clock when the turn began. */
  clock: string;
};

const COLUMNS = [
  "id",
  "channel",
  "agent_id",
  "agent_name",
  "agent_type",
  "agent_timezone",
  "prompt_id",
  "prompt_name",
  "prompt_version_number",
  "source",
  "target",
  "is_outbound",
  "verified",
  "claimed_user",
  "user_name",
  "override_timestamp",
  "turn_count",
  "finished_turn",
] as const;

export type OriginSession = Awaited<ReturnType<typeof selectOrigin>> & {};

const selectOrigin = (db: Db, { sub_organization_id }: Caller, id: number) =>
  db
    .selectFrom("sessions")
    .select([...COLUMNS, "snapshot"])
    .where("id", "=", id)
    .where("sub_organization_id", "=", sub_organization_id)
    .executeTakeFirst();

/** null: nothing was stored of the session's state before this turn, so that nobody can go back to it. */
export async function originTurn(
  db: Db,
  caller: Caller,
  session_id: number,
  turn_index: number,
): Promise<OriginTurn | null> {
  const session = await selectOrigin(db, caller, session_id);
  if (!session) throw notFound("Session", session_id);
  const before = await db
    .selectFrom("sent_records")
    .select(["content", "at"])
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("kind", "=", "state")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const said = await db
    .selectFrom("session_messages")
    .select(["seq", "text"])
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("role", "=", "user")
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  if (!before || !said) return null;
  const { date, time } = localTime(new Date(before.at), session.agent_timezone);
  return {
    session,
    snapshot: session.snapshot as Snapshot,
    state: before.content as SessionState,
    ...said,
    clock: session.override_timestamp ?? `${date}T${time}:00`,
  };
}

/** The answers of services from this turn on, for the same calls of a fork. */
export async function recordedAnswers(db: Db, origin: OriginTurn, turn_index: number): Promise<ToolMock[]> {
  const services = new Set(
    origin.snapshot.tools
      .filter(({ definition }) => toolType(definition) === "endpoint")
      .map(({ name }) => name),
  );
  const calls = await db
    .selectFrom("session_tool_calls")
    .select(["tool_name", "arguments", "request", "result", "error"])
    .where("session_id", "=", origin.session.id)
    .where("turn_index", ">=", turn_index)
    .orderBy("seq")
    .limit(MOST_ANSWERS)
    .execute();
  return calls
    .filter(({ tool_name }) => services.has(tool_name))
    .map(observedCall)
    .map(({ tool, arguments: match, result, error }) => ({
      ...{ tool, match: match as ToolMock["match"], result, error, delay_ms: 0 },
    }));
}

const MOST_ANSWERS = 1_000;

/** Where a turn of this agent can be made to stop. */
export function placesOf({ snapshot }: Pick<OriginTurn, "snapshot">) {
  const tasks = sessionTasks(snapshot.tools);
  const steps = tasks.flatMap(({ key, task }) =>
    task.type !== "steps"
      ? []
      : task.steps.map(({ id, next }) => ({
          workflow: key,
          step: id,
          has_guards: (next ?? []).some((entry) => typeof entry !== "string" && entry.if != null),
        })),
  );
  const holders = new Set(tasks.map(({ tool }) => tool.name));
  const tools = snapshot.tools.map(({ name }) => name).filter((name) => !holders.has(name));
  return { steps, tools };
}
