import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, notFound } from "../base/errors.ts";
import { isSimulated } from "../channels/simulated.ts";
import type { Db } from "../db/database.ts";
import { withKnownNames } from "./listed/known-names.ts";
import { sessionList } from "./listed/session-list.ts";

/** A session in lists. Its ids are strings here and integers in session debug, as the API specifies. */
export const Session = z
  .object({
    timestamp: timestamp(),
    session_id: z.string().nullish(),
    conversation_id: z.string().nullish(),
    channel_manager_service: z.string().nullish(),
    channel_manager_type: z.string().nullish(),
    channel_manager_sid: z.string().nullish(),
    agent_id: z.string().nullish(),
    agent_name: z.string().nullish(),
    agent_type: z.string().nullish(),
    agent_timezone: z.string().nullish(),
    prompt_id: z.string().nullish(),
    prompt_name: z.string().nullish(),
    prompt_version: z.string().nullish(),
    prompt_version_number: z.int().nullish(),
    agent_version: z.int().nullish().describe("The published version of the agent; null without versions."),
    duration: z
      .number()
      .nullish()
      .describe("Seconds from timestamp to ended_at, on every channel; null while the session runs."),
    session_label_id: z.string().nullish(),
    source: z.string().nullish(),
    target: z.string().nullish(),
    is_legacy: z.boolean().nullish(),
    is_test: z.boolean().nullish(),
    is_outbound: z.boolean().nullish(),
    user_terminated: z.boolean().nullish(),
    transfer_voicemail_detected: z.boolean().nullish(),
    override_timestamp: z.string().nullish(),
    verified: z.boolean().nullish().describe("Whether the person was proven to be `source`"),
    claimed_user: z.string().nullish().describe("Who somebody unproven says they are"),
    ended_at: timestamp().nullish().describe("Null while the session runs."),
    end_reason: z
      .string()
      .nullish()
      .describe("user, agent, idle, transfer, max-duration, operator or error; null while the session runs."),
    simulated: z
      .boolean()
      .nullish()
      .describe("Whether a simulated carrier played the person: nobody was really reached."),
  })
  .meta({ id: "Session" });

const SessionDetail = Session.extend({
  redaction_pending: z
    .boolean()
    .optional()
    .describe(
      "Whether a model has yet to say what is to be redacted. Left out where nobody asked for a model's judgement.",
    ),
  voice: z
    .object({
      hearing_seconds: z.number(),
      speaking_seconds: z.number().describe("Of what was made to be spoken, heard or not."),
      cost_usd: z
        .number()
        .nullable()
        .describe("List price, US dollars. 0 for engines of this machine; null where no price is known."),
    })
    .optional()
    .describe(
      "What this installation heard and spoke itself on a call, once it is over. Left out elsewhere.",
    ),
}).meta({ id: "SessionDetail" });
type SessionDetail = z.infer<typeof SessionDetail>;

/** One sub-organization's sessions as lists show them. */
export const selectSessions = (db: Db, caller: Caller) =>
  db
    .selectFrom("sessions as s")
    .where("s.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "s.timestamp",
      sql<string>`s.id::text`.as("session_id"),
      sql<string>`s.conversation_id::text`.as("conversation_id"),
      "s.channel_manager_service",
      "s.channel_manager_type",
      "s.channel_manager_sid",
      sql<string>`s.agent_id::text`.as("agent_id"),
      "s.agent_name",
      "s.agent_type",
      "s.agent_timezone",
      sql<string>`s.prompt_id::text`.as("prompt_id"),
      "s.prompt_name",
      sql<string>`s.prompt_version_number::text`.as("prompt_version"),
      "s.prompt_version_number",
      "s.agent_version",
      "s.duration",
      // Index: session_labels_session.
      sql<string | null>`(
        select l.id::text from session_labels l where l.session_id = s.id
        order by l.type = 'human-rating' desc, l.id desc limit 1
      )`.as("session_label_id"),
      "s.source",
      "s.target",
      sql<boolean>`false`.as("is_legacy"),
      "s.is_test",
      "s.is_outbound",
      "s.user_terminated",
      "s.transfer_voicemail_detected",
      "s.override_timestamp",
      "s.verified",
      "s.claimed_user",
      "s.ended_at",
      "s.end_reason",
      isSimulated.as("simulated"),
    ]);

/** A session's id in a path. A carrier's call id is a common mistake and gets an error of its own. */
export function sessionNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Fault(
    "refused",
    `"${text}" is no session id: session ids are numbers. A carrier's id is looked up at /api/v1/session_debug/sid/{service}/{sid}.`,
  );
}

/** The session's row, if it belongs to the caller's sub-organization. */
export async function findSession(db: Db, caller: Caller, id: number) {
  const found = await db
    .selectFrom("sessions")
    .select(["id", "conversation_id", "timestamp", "source", "target", "is_test", "ended_at", "duration"])
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .executeTakeFirst();
  if (!found) throw notFound("Session", id);
  return found;
}

export function sessionRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/",
    {
      summary: "List sessions",
      description: `Newest first. Test sessions are left out unless \`is_test\` is searched. ${list.LONG}`,
      tag: "sessions",
      permission: "sessions_read",
      query: list.listQuery(sessionList),
      response: list.listOf(Session),
    },
    async ({ caller, query }) => {
      const all = selectSessions(db, caller);
      const rows = query.search_fields.includes("is_test") ? all : all.where("s.is_test", "=", false);
      const rules = await withKnownNames(db, caller.sub_organization_id, query, sessionList);
      return list.onlyFields(await list.listPage(db, rows, query, rules), query.fields, Session);
    },
  );

  api.get(
    "/api/v1/sessions/:session_id",
    {
      summary: "Get a session",
      tag: "sessions",
      permission: "sessions_read",
      opens: { resource: "sessions", by: "session_id" },
      params: z.object({ session_id: z.string() }),
      response: SessionDetail,
    },
    async ({ caller, params }): Promise<SessionDetail> => {
      const id = sessionNumber(params.session_id);
      const found = await selectSessions(db, caller)
        .select(["s.hearing_ms", "s.speaking_ms", "s.voice_cost_usd"])
        .select(
          sql<boolean | null>`case when (s.redaction -> 'judge') is not null then s.judged_at is null end`.as(
            "redaction_pending",
          ),
        )
        .where("s.id", "=", id)
        .executeTakeFirst();
      if (!found) throw notFound("Session", id);
      const { hearing_ms, speaking_ms, voice_cost_usd, redaction_pending, ...shown } = found;
      const session = { ...shown, ...(redaction_pending !== null && { redaction_pending }) };
      if (hearing_ms === null || speaking_ms === null) return session;
      return {
        ...session,
        voice: {
          hearing_seconds: hearing_ms / 1000,
          speaking_seconds: speaking_ms / 1000,
          cost_usd: voice_cost_usd,
        },
      };
    },
  );
}
