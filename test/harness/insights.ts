import { sql } from "kysely";
import type { Caller } from "../../src/api/caller.ts";
import type { TestApp } from "./app.ts";

/** Arguments of an llm_tool that the offline model answers. */
export const llmArguments = (more: object = {}) => ({
  provider: "openai",
  model: "scripted",
  prompt: "Sum it up.",
  ...more,
});

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
      snapshot: sql`'{}'::json`,
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
