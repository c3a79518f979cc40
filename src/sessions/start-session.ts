import { chooseMessageText, type MessageRule } from "../agents/message-rules.ts";
import { sha256 } from "../base/crypto.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { Engine } from "./engine.ts";
import { freezeSnapshot, type Snapshot } from "./snapshot.ts";
import {
  localTime,
  type SessionFacts,
  type SessionState,
  sessionLookup,
  systemVariables,
} from "./variables.ts";

/** How a session comes in (domain decision 13.1). `source` is always the person, `target` always ours. */
export type SessionStart = {
  sub_organization_id: number;
  agent_id: number;
  channel: "voice" | "chat" | "sms" | "email" | "whatsapp";
  service: string;
  type: string;
  sid: string;
  channel_target_id: number | null;
  source: string | null;
  target: string | null;
  is_test: boolean;
  is_outbound: boolean;
  /** Campaign and request variables, under their `vars.` names. */
  variables?: Record<string, string>;
  /** The agent's wall clock, moved for a test. */
  override_timestamp?: string | null;
  resume_token?: string;
};

export type StartedSession = {
  session_id: number;
  conversation_id: number;
  /** Rendered; null when the agent has no message. */
  greeting: string | null;
  agent_initiated: boolean;
  language: string;
};

/** Sessions of one person with one agent are one conversation while no gap between them is longer. */
const CONVERSATION_GAP_MS = 24 * 3_600_000;
const DEFAULT_LANGUAGE = "en-US";

/** Opens a session: freezes what it runs on, greets, and tells of it, all in one transaction. */
export async function startSession(engine: Engine, start: SessionStart): Promise<StartedSession> {
  const snapshot = await freezeSnapshot(engine.db, start.sub_organization_id, start.agent_id);
  const real = engine.clock.now();
  const at = agentTime(real, start.override_timestamp, snapshot.agent.timezone);
  const language = snapshot.language_group?.language_configs[0]?.language_code ?? DEFAULT_LANGUAGE;
  const state: SessionState = { variables: { ...snapshot.agent.variables, ...start.variables }, language };

  return engine.db.transaction().execute(async (tx) => {
    const conversation_id = await joinConversation(tx, start, snapshot, real);
    const { id: session_id } = await tx
      .insertInto("sessions")
      .values(sessionRow(start, snapshot, state, conversation_id, real))
      .returning("id")
      .executeTakeFirstOrThrow();

    const facts = sessionFacts({
      ...start,
      id: session_id,
      conversation_id,
      agent_name: snapshot.agent.name,
      agent_timezone: snapshot.agent.timezone,
    });
    const greeting = greetingText(snapshot, state, facts, at);
    if (greeting !== null) {
      await tx
        .insertInto("session_messages")
        .values({
          session_id,
          seq: 0,
          turn_index: 0,
          role: "agent",
          text: greeting,
          lang: language,
          timestamp: real.toISOString(),
        })
        .execute();
    }
    await publish(tx, start.sub_organization_id, [
      {
        at: real,
        source: "llm-prompt",
        source_id: snapshot.prompt.id,
        category: "conversation",
        type: "session-start",
        description: `Session with ${snapshot.agent.name} started`,
        session_id,
        conversation_id,
        user_id: start.source,
        attributes: { channel: start.channel, is_test: start.is_test, is_outbound: start.is_outbound },
      },
    ]);
    return {
      session_id,
      conversation_id,
      greeting,
      agent_initiated: snapshot.agent.agent_initiated,
      language,
    };
  });
}

/** Now, or the moved wall clock of a test read in the agent's zone. */
export function agentTime(real: Date, override: string | null | undefined, timezone: string): Date {
  if (!override) return real;
  const local = Temporal.PlainDateTime.from(override);
  return new Date(local.toZonedDateTime(timezone).epochMilliseconds);
}

/** The greeting of this moment: preamble, then the text of the rule that fits best (domain decision 8). */
export function greetingText(
  snapshot: Snapshot,
  state: SessionState,
  facts: SessionFacts,
  at: Date,
): string | null {
  const { message, agent } = snapshot;
  if (message?.type !== "greeting") return null;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(agent.timezone)
    .toPlainDateTime();
  const lookup = sessionLookup(state, systemVariables(facts, state.language, localTime(at, agent.timezone)));
  return [
    message.preamble,
    chooseMessageText({ text: message.text, rules: message.rules as MessageRule[] }, local),
  ]
    .filter((part): part is string => !!part)
    .map((part) => renderTemplate(part, lookup))
    .join("\n\n");
}

export const sessionFacts = (row: {
  id: number;
  conversation_id: number;
  agent_name: string;
  agent_timezone: string;
  channel: string;
  source: string | null;
  target: string | null;
  is_outbound: boolean;
}): SessionFacts => ({
  session_id: row.id,
  conversation_id: row.conversation_id,
  agent_name: row.agent_name,
  timezone: row.agent_timezone,
  channel: row.channel,
  source: row.source,
  target: row.target,
  is_outbound: row.is_outbound,
});

async function joinConversation(tx: Tx, start: SessionStart, snapshot: Snapshot, now: Date): Promise<number> {
  const known = start.source === null ? undefined : await openConversation(tx, start, now);
  if (known) {
    await tx
      .updateTable("conversations")
      .set({ last_activity_at: now.toISOString() })
      .where("id", "=", known.id)
      .execute();
    return known.id;
  }
  const { agent, prompt } = snapshot;
  const { id } = await tx
    .insertInto("conversations")
    .values({
      sub_organization_id: start.sub_organization_id,
      timestamp: now.toISOString(),
      last_activity_at: now.toISOString(),
      agent_id: agent.id,
      agent_name: agent.name,
      agent_type: agent.type,
      prompt_id: prompt.id,
      prompt_name: prompt.name,
      prompt_version_number: prompt.version_number,
      llm_provider: prompt.llm_config.provider,
      llm_model: prompt.llm_config.model,
      llm_temperature: prompt.llm_config.temperature ?? null,
      llm_seed: prompt.llm_config.seed ?? null,
      user_address: start.source,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

const openConversation = (db: Db, start: SessionStart, now: Date) =>
  db
    .selectFrom("conversations")
    .select("id")
    .where("sub_organization_id", "=", start.sub_organization_id)
    .where("agent_id", "=", start.agent_id)
    .where("user_address", "=", start.source)
    .where("last_activity_at", ">", new Date(now.getTime() - CONVERSATION_GAP_MS).toISOString())
    .orderBy("last_activity_at", "desc")
    .limit(1)
    .executeTakeFirst();

function sessionRow(
  start: SessionStart,
  snapshot: Snapshot,
  state: SessionState,
  conversation_id: number,
  now: Date,
) {
  const { agent, prompt } = snapshot;
  return {
    sub_organization_id: start.sub_organization_id,
    conversation_id,
    timestamp: now.toISOString(),
    channel: start.channel,
    channel_manager_service: start.service,
    channel_manager_type: start.type,
    channel_manager_sid: start.sid,
    channel_target_id: start.channel_target_id,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_type: agent.type,
    agent_timezone: agent.timezone,
    prompt_id: prompt.id,
    prompt_name: prompt.name,
    prompt_version_number: prompt.version_number,
    source: start.source,
    target: start.target,
    is_test: start.is_test,
    is_outbound: start.is_outbound,
    override_timestamp: start.override_timestamp ?? null,
    snapshot: json(snapshot),
    state: json(state),
    next_seq: 1,
    last_activity_at: now.toISOString(),
    resume_token_hash: start.resume_token ? sha256(start.resume_token) : null,
  };
}
