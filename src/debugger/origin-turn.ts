import { sql } from "kysely";
import type { Snapshot, ToolMock } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { observedCall } from "../evaluations/observe.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import { localTime, type SessionState } from "../sessions/variables.ts";
import { callsService, tasksOf } from "../tools/tool-definition.ts";
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
    .select([...COLUMNS, snapshotOf("sessions").as("snapshot")])
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
  const state = await stateBefore(db, session_id, turn_index);
  const said = await db
    .selectFrom("session_messages")
    .select(["seq", "text", "timestamp"])
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("role", "=", "user")
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  if (!state || !said) return null;
  const { timestamp, ...message } = said;
  const { date, time } = localTime(new Date(timestamp), session.agent_timezone);
  return {
    session,
    snapshot: session.snapshot,
    state,
    ...message,
    clock: session.override_timestamp ?? `${date}T${time}:00`,
  };
}

/**
 * Stored with the first rows of the turn. A turn that never stored any, because its process died, has not changed the session:
 * its state is that of the session, as long as no other turn followed. Index: primary key.
 */
async function stateBefore(db: Db, session_id: number, turn_index: number): Promise<SessionState | null> {
  const { rows } = await sql<{ state: SessionState }>`
    (select case when kind = 'state' then content else content -> 'before' end as state
      from sent_records
      where session_id = ${session_id} and turn_index = ${turn_index}
        and (kind = 'state' or kind = 'round' and content -> 'before' is not null)
      order by id limit 1)
    union all
    select state from sessions
    where id = ${session_id} and turn_count = ${turn_index} and finished_turn < ${turn_index} and not exists (
      select from session_trace where session_id = ${session_id} and turn_index = ${turn_index})
      and (select o.stores_requests from sub_organizations s join organizations o on o.id = s.organization_id
        where s.id = sessions.sub_organization_id)
    limit 1`.execute(db);
  return rows[0]?.state ?? null;
}

/** The answers of services from this turn on, for the same calls of a fork. */
export async function recordedAnswers(db: Db, origin: OriginTurn, turn_index: number): Promise<ToolMock[]> {
  const services = new Set(
    origin.snapshot.tools.filter(({ definition }) => callsService(definition)).map(({ name }) => name),
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
      tool,
      match: match as ToolMock["match"],
      result,
      error,
      delay_ms: 0,
      is_recorded: true,
    }));
}

const MOST_ANSWERS = 1_000;

/** Where the turn of a fork can be made to stop. */
export async function placesOfSession(db: Db, caller: Caller, session_id: number) {
  const session = await selectOrigin(db, caller, session_id);
  if (!session) throw notFound("Session", session_id);
  return placesOf(session);
}

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
  const workflows = tasks.flatMap(({ key, task, tool, tool_name }) =>
    task.type !== "steps" || tool_name === null
      ? []
      : [
          {
            workflow: key,
            tool: tool.name,
            submit_tool: tool_name,
            task,
            index: tasksOf(tool.definition).findIndex((each) => each.task === task),
          },
        ],
  );
  return { steps, tools, tasks: workflows };
}
