import { sql } from "kysely";
import type { Caller } from "../../src/api/caller.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { TestApp } from "./app.ts";
import { EMPTY_SNAPSHOT, storeEmptySnapshot } from "./rows.ts";

/** Arguments of an llm_tool that the offline model answers. */
export const llmArguments = (more: object = {}) => ({
  provider: "openai",
  model: "scripted",
  prompt: "Sum it up.",
  ...more,
});

/** Runs what is due, as the job in the program does; `stopping` when the program is to stop meanwhile. */
export async function runInsights(
  app: TestApp,
  context: { stopping?: AbortSignal; abortSignal?: AbortSignal } = {},
) {
  const handler = app.jobs.find(({ job }) => job.name === "run-insights");
  if (!handler) throw new Error("no job runs insights");
  const never = new AbortController().signal;
  await handler.run({}, { stopping: never, abortSignal: never, ...context } as never);
}

let counter = 0;

/** A configuration, a workflow over it and whatever else a test says, made through the API. */
export function insightsOf(app: TestApp) {
  const post = async (path: string, body: object) => {
    const answer = await app.send("POST", `/api/v1/insights/${path}`, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    tool: (more: object = {}) =>
      post("tool-configurations", {
        name: `tool-${++counter}`,
        description: "",
        version: 1,
        tool_arguments: llmArguments(),
        insight_tool_definition_id: 1,
        ...more,
      }),
    workflow: (more: object = {}) =>
      post("workflows/", {
        name: `workflow-${++counter}`,
        source: "agent",
        description: "",
        insight_tool_ids: [],
        conditions: {},
        ...more,
      }),
    folder: (more: object = {}) => post("folders/", { name: `folder-${++counter}`, ...more }),
    /** As it was read, so that it is up to date. */
    async activate(id: number) {
      const { body } = await app.send("GET", `/api/v1/insights/workflows/${id}`);
      return app.send("PUT", `/api/v1/insights/workflows/${id}/activate`, {
        is_acknowledged: true,
        estimate: body.estimate,
      });
    },
  };
}

export type PastSession = {
  timestamp?: string;
  duration?: number | null;
  agent_id?: number;
  agent_name?: string;
  prompt_name?: string;
  is_test?: boolean;
  ended?: boolean;
  end_reason?: string;
  /** Seconds to the last word. */
  lasted_s?: number;
  said?: ["user" | "agent", string][];
};

/** A session that is over, put straight into the database; returns its id. */
export async function pastSession(app: TestApp, caller: Caller, past: PastSession = {}): Promise<number> {
  const timestamp = past.timestamp ?? app.clock.now().toISOString();
  const last = new Date(Date.parse(timestamp) + (past.lasted_s ?? 60) * 1000).toISOString();
  const agent = {
    agent_id: past.agent_id ?? 1,
    agent_name: past.agent_name ?? "Front desk",
    agent_type: "ca_v1",
  };
  const prompt = { prompt_id: 1, prompt_name: past.prompt_name ?? "Booking", prompt_version_number: 1 };
  const mine = { sub_organization_id: caller.sub_organization_id, timestamp, last_activity_at: last };
  const conversation = await app.db
    .insertInto("conversations")
    .values({ ...mine, ...agent, ...prompt, llm_provider: "openai", llm_model: "scripted" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await storeEmptySnapshot(app.db, caller.sub_organization_id);
  const { id } = await app.db
    .insertInto("sessions")
    .values({
      ...mine,
      ...agent,
      ...prompt,
      conversation_id: conversation.id,
      ended_at: past.ended === false ? null : last,
      end_reason: past.end_reason ?? "user",
      channel: "voice",
      channel_manager_service: "voice",
      channel_manager_type: "voice_sip_v1",
      channel_manager_sid: `sid-${++counter}`,
      agent_timezone: "UTC",
      is_test: past.is_test ?? false,
      duration: past.duration === undefined ? 60 : past.duration,
      snapshot_key: sql<string>`${EMPTY_SNAPSHOT}`,
      state: sql`'{}'::json`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const [seq, [role, text]] of (past.said ?? []).entries()) {
    await app.db
      .insertInto("session_messages")
      .values({ session_id: id, seq, turn_index: seq, role, text, timestamp })
      .execute();
  }
  return id;
}

/** So many sessions that are over, a minute apart up to now, each with a word of the person's; returns the first id. */
export async function manySessions(
  { db, admin, clock }: Pick<TestApp, "db"> & { admin: { sub_organization_id: number }; clock: Clock },
  count: number,
): Promise<number> {
  const { sub_organization_id } = admin;
  const until = clock.now().toISOString();
  await storeEmptySnapshot(db, sub_organization_id);
  const { rows } = await sql<{ first: number }>`
    with conversation as (
      insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type,
        prompt_id, prompt_name, prompt_version_number, llm_provider, llm_model)
      values (${sub_organization_id}, ${until}, ${until}, 1, 'Front desk', 'ca_v1', 1, 'Booking', 1, 'openai', 'scripted')
      returning id),
    made as (
      insert into sessions (sub_organization_id, conversation_id, timestamp, last_activity_at, ended_at, end_reason, channel,
        channel_manager_service, channel_manager_type, channel_manager_sid, agent_id, agent_name, agent_type,
        agent_timezone, prompt_id, prompt_name, prompt_version_number, is_test, duration, snapshot_key, state)
      select ${sub_organization_id}::bigint, conversation.id, at, at, at, 'user', 'voice', 'voice', 'voice_sip_v1',
        'many-' || n, 1, 'Front desk', 'ca_v1', 'UTC', 1, 'Booking', 1, false, 60, ${EMPTY_SNAPSHOT}, '{}'
      from conversation, generate_series(1, ${count}::int) as n,
        lateral (select ${until}::timestamptz - (${count}::int - n + 1) * interval '1 minute' as at) as t
      order by n
      returning id, timestamp),
    said as (
      insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
      select id, 0, 1, 'user', 'I want a refund.', timestamp from made)
    select min(id) as first from made`.execute(db);
  return rows[0]?.first as number;
}
