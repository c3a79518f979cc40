import { freezeSnapshot, type Snapshot, type SnapshotTest, withBuiltInTools } from "../agents/snapshot.ts";
import { type AssignedVersion, assignVersion } from "../agents/version-split.ts";
import type { Announcement } from "../announcements/announcement.ts";
import { sha256 } from "../base/crypto.ts";
import { randomBase62 } from "../base/ids.ts";
import { json, type Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { insertTrace } from "../events/trace.ts";
import { isPlainText } from "../expressions/quoted-data.ts";
import { rulesFor } from "../redaction/policy.ts";
import type { RedactionRules, Redactor } from "../redaction/redactor.ts";
import type { Engine } from "../sessions/engine.ts";
import { agentTime, sessionFacts } from "../sessions/session-facts.ts";
import {
  keepOriginals,
  redactedState,
  rememberRules,
  type SessionRedaction,
  sealedSnapshot,
  sessionRedactor,
} from "../sessions/session-redactor.ts";
import { insertSession } from "../sessions/session-snapshot.ts";
import type { SessionState } from "../sessions/variables.ts";
import { PAGE } from "../workflows/instruction-lookup.ts";
import { sessionTasks } from "../workflows/workflow-state.ts";
import { announcementText, announcementTrace, greetingText, greetingTrace } from "./greeting.ts";
import { joinConversation } from "./join-conversation.ts";
import { openWorkflows } from "./open-workflows.ts";
import { organizationRules, sessionAnnouncements } from "./organization-rules.ts";
import { findContacts } from "./safety/contacts.ts";

/** The input of a new session. `source` is always the person's address, `target` always ours. */
export type SessionStart = {
  sub_organization_id: number;
  agent_id: number;
  /** Which state of the agent; a test run hands over the one it was begun with. Left out: the one that people reach. */
  held_with?: "draft" | Snapshot;
  /** Built-in tools that the agent has in this session, also where its prompt doesn't name them. */
  adds_tools?: readonly string[];
  channel: "voice" | "chat" | "sms" | "email" | "whatsapp";
  service: string;
  type: string;
  sid: string;
  channel_target_id: number | null;
  source: string | null;
  target: string | null;
  is_test: boolean;
  is_outbound: boolean;
  /** The campaign whose attempt opens it. */
  campaign_id?: number | null;
  /**
   * Whether `source` is verified: by the carrier of a call or text, or by an identity token. An unverified session joins no
   * earlier conversation, and no later session joins its own.
   */
  verified: boolean;
  /** The claimed identity of an unverified person. */
  claimed_user?: string | null;
  /** The name of a verified visitor. */
  user_name?: string | null;
  /** Variables of the campaign and the request, or of the visitor's page, under their `vars.` names. */
  variables?: Record<string, string>;
  /** A test of the author's: its mocks, and the seed of the model. Joins no conversation. */
  test?: SnapshotTest & { seed: number | null };
  /** The language to begin in, one that the agent offers; left out: its first. */
  language?: string | undefined;
  /** The agent's wall clock, set for a test. */
  override_timestamp?: string | null;
  resume_token?: string;
  /** Of a call: whether it is recorded, by us or its carrier. */
  is_recorded?: boolean;
  /** "later": the channel calls `openWorkflows` once the person can hear the greeting. */
  greets?: "now" | "later";
  /**
   * "in-answer": the agent's own first words don't reach the person as they are. A campaign's mail adds what is announced
   * to its template; an approved template of WhatsApp has no place for it, so the first answer says it.
   */
  announces?: "at-once" | "in-answer";
};

type StartedSession = {
  session_id: number;
  conversation_id: number;
  /** The workflows' words and the rendered greeting; null when the agent says nothing. */
  greeting: string | null;
  /** Whether the agent continues without waiting for the person. */
  agent_initiated: boolean;
  language: string;
};

const DEFAULT_LANGUAGE = "en-US";

/** Further writes of the transaction that opens a session. */
export type OnOpen = (tx: Tx, session: { session_id: number; conversation_id: number }) => Promise<void>;

/** Opens a session: freezes its snapshot, opens its workflows, greets, and writes its event. */
export async function startSession(
  engine: Engine,
  start: SessionStart,
  onOpen: OnOpen = async () => {},
): Promise<StartedSession> {
  const { sub_organization_id, agent_id, held_with = "live" } = start;
  const assigned = held_with === "live" ? await assignVersion(engine.db, start) : null;
  const agent =
    typeof held_with === "object"
      ? held_with
      : await freezeSnapshot(engine.db, sub_organization_id, agent_id, assigned?.version_number ?? held_with);
  const equipped = await withBuiltInTools(engine.db, sub_organization_id, agent, start.adds_tools ?? []);
  const frozen = start.test ? asTested(equipped, start.test) : equipped;
  // Variables of a visitor's page are left out: they are what the visitor claims, not what the organization wrote.
  const outreach = Object.entries(start.variables ?? {}).flatMap(([name, text]) =>
    name.startsWith(PAGE) ? [] : [text],
  );
  const outreach_texts = outreach.filter((text) => !isPlainText(text));
  const [{ safety, announcements: rows }, rules] = await Promise.all([
    organizationRules(engine.db, sub_organization_id),
    rulesFor(engine.db, sub_organization_id, agent_id),
  ]);
  const snapshot = {
    ...frozen,
    ...(outreach_texts.length > 0 && { outreach_texts }),
    ...(safety && { safety }),
  };
  const real = engine.clock.now();
  const at = agentTime(real, start.override_timestamp, snapshot.agent.timezone);
  const language =
    start.language ?? snapshot.language_group?.language_configs[0]?.language_code ?? DEFAULT_LANGUAGE;
  const state: SessionState = { variables: { ...snapshot.agent.variables, ...start.variables }, language };
  // A test has none: its agent's words must not depend on where its author is.
  const announcements = start.test ? [] : sessionAnnouncements(rows, start, language);
  // Read before any tool runs, because a tool may put other people's addresses into the variables.
  if (safety?.withhold_unknown_contacts && start.variables)
    state.safety = { contacts: outreach.flatMap(findContacts) };
  const { seal_key = null, ...kept } = rules ?? {};
  const redaction = rules && {
    ...(kept as RedactionRules),
    scope: randomBase62(16),
    ...(seal_key && { seals: true as const }),
  };
  const redactor = sessionRedactor(engine.vault, real, { redaction, originals: null, seal_key });
  const greetsLater = start.greets === "later";
  const hasTasks = sessionTasks(snapshot.tools).length > 0;
  const greets = !hasTasks && !greetsLater && snapshot.message?.type === "greeting";
  // Whatever speaks first says them: the greeting below, else the opening or the first turn.
  const announcesLater = start.announces === "in-answer";
  if (announcements.length > 0 && (announcesLater || !greets)) state.announcements = announcements;
  if (announcements.length > 0 && announcesLater) state.announcements_wait = true;
  const at_once = announcesLater ? [] : announcements;

  const started = await engine.db.transaction().execute(async (tx) => {
    const conversation_id = await joinConversation(tx, start, snapshot, real);
    const row = {
      ...sessionRow(start, snapshot, conversation_id, real),
      ...rememberedRow(start, state, redaction, redactor),
    };
    const session_id = await insertSession(tx, row, sealedSnapshot(redactor, snapshot));
    // Testers are assigned like everybody, and counted in nothing.
    if (assigned && !start.is_test) await insertAssignment(tx, session_id, assigned);

    const facts = sessionFacts({
      ...start,
      claimed_user: start.claimed_user ?? null,
      user_name: start.user_name ?? null,
      id: session_id,
      conversation_id,
      agent_name: snapshot.agent.name,
      agent_timezone: snapshot.agent.timezone,
    });
    const greeting = greets ? announced(at_once, greetingText(snapshot, state, facts, at)) : null;
    if (greeting !== null) {
      const trace = [...announcementTrace(at_once), ...greetingTrace(snapshot, at)];
      await insertTrace(tx, session_id, 0, trace, real);
      await tx
        .insertInto("session_messages")
        .values({
          session_id,
          seq: 0,
          turn_index: 0,
          role: "agent",
          text: redactor.redact(greeting),
          lang: language,
          timestamp: real.toISOString(),
        })
        .execute();
    }
    await keepOriginals(tx, session_id, redactor);
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
    await onOpen(tx, { session_id, conversation_id });
    return {
      session_id,
      conversation_id,
      greeting,
      agent_initiated: snapshot.agent.agent_initiated,
      language,
    };
  });
  rememberRules(engine.db, started.session_id, redaction && { ...redaction, seal_key });
  if (!hasTasks || greetsLater) return started;
  const opened = await openWorkflows(engine, started.session_id, start.override_timestamp ?? null);
  return {
    ...started,
    greeting: opened.said,
    agent_initiated: !opened.ended && (started.agent_initiated || opened.wants_turn),
  };
}

/** The first words of the agent: what is announced, then the greeting; null: none. */
function announced(announcements: readonly Announcement[], greeting: string | null): string | null {
  if (announcements.length === 0) return greeting;
  return [announcementText(announcements), ...(greeting === null ? [] : [greeting])].join("\n\n");
}

async function insertAssignment(tx: Tx, session_id: number, assigned: AssignedVersion): Promise<void> {
  await tx
    .insertInto("experiment_sessions")
    .values({ session_id, ...assigned })
    .execute();
}

function asTested(snapshot: Snapshot, { seed, ...test }: NonNullable<SessionStart["test"]>): Snapshot {
  const { prompt } = snapshot;
  const llm_config = seed === null ? prompt.llm_config : { ...prompt.llm_config, seed };
  return { ...snapshot, prompt: { ...prompt, llm_config }, test };
}

function sessionRow(start: SessionStart, snapshot: Snapshot, conversation_id: number, now: Date) {
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
    agent_version: snapshot.version ?? null,
    source: start.source,
    target: start.target,
    is_test: start.is_test,
    is_outbound: start.is_outbound,
    verified: start.verified,
    claimed_user: start.claimed_user ?? null,
    user_name: start.user_name ?? null,
    override_timestamp: start.override_timestamp ?? null,
    next_seq: 1,
    last_activity_at: now.toISOString(),
    resume_token_hash: start.resume_token ? sha256(start.resume_token) : null,
  };
}

/** What it begins with to remember. */
const rememberedRow = (
  { variables }: SessionStart,
  state: SessionState,
  redaction: SessionRedaction | null,
  redactor: Redactor,
) => ({
  state: json(redactedState(redactor, state)),
  start_variables: variables ? json(redactor.redact(variables)) : null,
  redaction: redaction && json(redaction),
});
