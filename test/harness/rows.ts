import { sql } from "kysely";
import type { Snapshot } from "../../src/agents/snapshot.ts";
import type { ChannelStatus } from "../../src/channels/channel-status.ts";
import type { RequestStatus } from "../../src/channels/request-status.ts";
import type { Db } from "../../src/db/database.ts";
import { insertSession as storeSession } from "../../src/sessions/session-snapshot.ts";
import type { TestApp } from "./app.ts";

/**
 * Rows put straight into the database: what only a carrier, a person or a model would make, in numbers that a test
 * chooses. Everything a test does not care about has a sound value.
 */
const AGENT = { agent_name: "Receptionist", agent_type: "ca_v1" };
const PROMPT = { prompt_id: 1, prompt_name: "Prompt", prompt_version_number: 1 };

/** A session of now, in a conversation of its own. */
export async function insertSession(app: TestApp, more: object = {}): Promise<number> {
  const now = app.clock.now().toISOString();
  const of = { ...AGENT, ...PROMPT, agent_id: 1, sub_organization_id: app.admin.sub_organization_id };
  const conversation = await app.db
    .insertInto("conversations")
    .values({ ...of, timestamp: now, last_activity_at: now, llm_provider: "openai", llm_model: "scripted" })
    .returning("id")
    .executeTakeFirstOrThrow();
  const row = {
    ...of,
    conversation_id: conversation.id,
    timestamp: now,
    last_activity_at: now,
    channel: "chat" as const,
    channel_manager_service: "webchat",
    channel_manager_type: "web_chat_v1",
    channel_manager_sid: "sid",
    agent_timezone: "UTC",
    is_test: false,
    state: "{}",
    turn_count: 4,
    ...more,
  };
  return app.db.transaction().execute((tx) => storeSession(tx, row, NO_SNAPSHOT));
}

const NO_SNAPSHOT = {} as Snapshot;

/** What sessions that a statement inserts by the thousand name as their snapshot. */
export const EMPTY_SNAPSHOT = sql`encode(substring(sha256('{}'::bytea) for 16), 'hex')::uuid`;

export const storeEmptySnapshot = (db: Db, sub_organization_id: number) =>
  sql`
    insert into session_snapshots (sub_organization_id, key, content) values (${sub_organization_id}, ${EMPTY_SNAPSHOT}, '{}')
    on conflict do nothing`.execute(db);

/** An agent, without anything that it could say, on a chat target. */
export async function insertTarget(
  app: TestApp,
  owner: { organization_id: number; sub_organization_id: number },
  target: string,
): Promise<void> {
  const of = { sub_organization_id: owner.sub_organization_id };
  const stamp = { updated_at: app.clock.now().toISOString(), last_updated_by: "admin@example.com" };
  const prompt = await app.db
    .insertInto("prompts")
    .values({
      ...of,
      name: target,
      type: "prompt_v1",
      llm_config: "{}",
      last_updated: stamp.updated_at,
      last_updated_by: stamp.last_updated_by,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const agent = await app.db
    .insertInto("agents")
    .values({
      ...of,
      ...stamp,
      name: target,
      type: "ca_v1",
      prompt_id: prompt.id,
      timezone: "UTC",
      prompt_tool_defaults: "[]",
      variables: "{}",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const channel = await app.db
    .insertInto("channels")
    .values({
      ...stamp,
      organization_id: owner.organization_id,
      name: target,
      channel_service: "webchat",
      supported_modes: "chat",
      config: "{}",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto("channel_targets")
    .values({ ...of, ...stamp, channel_id: channel.id, agent_id: agent.id, target, target_mode: "chat" })
    .execute();
}

/** A batch that is being dialled, of a campaign of its own; resolves with the batch's key. */
export async function insertBatch(
  app: TestApp,
  campaign_name: string,
  sub_organization_id = app.admin.sub_organization_id,
): Promise<number> {
  const now = app.clock.now().toISOString();
  const of = { sub_organization_id, created_at: now, last_updated_by: "admin@example.com" };
  const campaign = await app.db
    .insertInto("campaigns")
    .values({
      ...of,
      campaign_name,
      campaign_variables: "{}",
      hourly_rate: 1,
      retry_count: 0,
      active_days: [],
      include_unknown_line_types: true,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { key } = await app.db
    .insertInto("batches")
    .values({
      ...of,
      batch_id: campaign_name,
      campaign_id: campaign.id,
      auto_call_rate: false,
      status: "ACTIVE",
      last_updated_at: now,
    })
    .returning("key")
    .executeTakeFirstOrThrow();
  return key;
}

let requests = 0;

export async function insertRequest(
  app: TestApp,
  batch_key: number,
  statuses: { request_status: RequestStatus; channel_manager_status: ChannelStatus },
  more: object = {},
): Promise<void> {
  const n = ++requests;
  await app.db
    .insertInto("requests")
    .values({
      batch_key,
      reference_id: `reference-${n}`,
      target: `+1512555${String(n).padStart(4, "0")}`,
      ...statuses,
      created_at: app.clock.now().toISOString(),
      request_variables: "{}",
      attempt_count: 1,
      ...more,
    })
    .execute();
}

let tools = 0;

/** What an analysis of a session said, each time by another tool. */
export async function insertOutput(
  app: TestApp,
  session_id: number,
  insight_key: string,
  value: { string_value?: string; numeric_value?: number; model?: string; entries?: string[] },
): Promise<void> {
  const now = app.clock.now().toISOString();
  const of = { sub_organization_id: app.admin.sub_organization_id, created_at: now, updated_at: now };
  const tool = await app.db
    .insertInto("insight_tools")
    .values({
      ...of,
      name: `Tool of a test ${++tools}`,
      description: "",
      version: 1,
      insight_tool_definition_id: 1,
      tool_arguments: "{}",
      last_updated_by: "admin@example.com",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto("insight_outputs")
    .values({
      ...of,
      ...value,
      session_id,
      insight_tool_id: tool.id,
      insight_tool_version: 1,
      insight_key,
      json_value: JSON.stringify({ [insight_key]: value.string_value ?? value.numeric_value ?? "" }),
    })
    .execute();
}

/** A text that the loop guard held in a session. */
export async function insertHeldText(
  app: TestApp,
  text: {
    sub_organization_id: number;
    channel_id: number;
    channel_target_id: number;
    target: string;
    held_in: number;
  },
): Promise<{ id: number }> {
  const now = app.clock.now().toISOString();
  return app.db
    .insertInto("text_messages")
    .values({
      ...text,
      direction: "in",
      medium: "sms",
      purpose: "answer",
      key: `held-${text.held_in}`,
      source: "+15126670001",
      text: "We are closed.",
      media: "[]",
      status: "ANSWERED",
      held: "repeated",
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
}
