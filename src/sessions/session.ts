import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, notFound } from "../base/errors.ts";
import { isSimulated } from "../channels/simulated.ts";
import type { Db } from "../db/database.ts";

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

/**
 * Contains. Indexes: sessions_words has those that are over, so that no turn writes to it, and sessions_open the others.
 */
function ended(name: string) {
  const contains = list.text(name);
  return list.byTrigrams({
    ...contains,
    match: (value) => {
      const found = sql<boolean>`${sql.ref(name)} ilike ${list.containing(value)}`;
      return sql`(s.ended_at is null and ${found} or s.ended_at is not null and ${found})`;
    },
  });
}

/** Sessions that an experiment assigned a version: its number, its number and stage as `7.0`, those and the version as `7.0:2`. */
function ofExperiment(value: string): RawBuilder<boolean> | { problem: string } {
  const found = /^(\d{1,15})(?:\.(\d{1,4})(?::(\d{1,9}))?)?$/.exec(value.trim());
  if (!found)
    return { problem: "Input should be the number of an experiment, number.stage, or number.stage:version" };
  const [, id, stage = null, version = null] = found;
  return sql`s.id in (select x.session_id from experiment_sessions x
    where x.experiment_id = ${id}::bigint and (${stage}::integer is null or x.stage = ${stage}::integer)
      and (${version}::bigint is null or x.version_number = ${version}::bigint))`;
}

const OUTCOMES: Record<string, string> = {
  errors: "is_error",
  transfers: "is_transfer",
  opt_outs: "is_opt_out",
  complaints: "is_complaint",
  slow: "is_slow",
};

function withOutcome(value: string): RawBuilder<boolean> | { problem: string } {
  const flag = OUTCOMES[value.trim()];
  if (flag === undefined) return { problem: `Input should be one of ${Object.keys(OUTCOMES).join(", ")}` };
  return sql`exists (select from experiment_sessions x where x.session_id = s.id and ${sql.ref(`x.${flag}`)})`;
}

export const sessionList = {
  fields: {
    timestamp: list.time("s.timestamp"),
    session_id: list.integer("s.id"),
    conversation_id: list.integer("s.conversation_id"),
    channel_manager_service: list.exact("s.channel_manager_service"),
    channel_manager_type: list.read(list.exact("s.channel_manager_type")),
    // Index: sessions_sid.
    channel_manager_sid: list.wholeBeforePart("s.channel_manager_sid"),
    agent_type: list.read(list.exact("s.agent_type")),
    agent_id: list.integer("s.agent_id"),
    agent_name: ended("s.agent_name"),
    agent_version: list.read(list.integer("s.agent_version")),
    // Index: experiment_sessions_people.
    experiment_id: list.custom(ofExperiment),
    // Index: experiment_sessions_bad.
    experiment_outcome: list.custom(withOutcome),
    prompt_id: list.read(list.integer("s.prompt_id")),
    prompt_name: ended("s.prompt_name"),
    source: ended("s.source"),
    target: ended("s.target"),
    duration: list.read(list.number("s.duration")),
    is_outbound: list.read(list.boolean("s.is_outbound")),
    is_legacy: list.custom(
      (value) => (value.toLowerCase() === "true" ? sql`false` : sql`true`),
      list.noOrder("s.id"),
    ),
    // Index: sessions_tests.
    is_test: list.boolean("s.is_test"),
    ended_at: list.read(list.time("s.ended_at")),
    end_reason: list.read(list.exact("s.end_reason")),
    // Index: sessions_open.
    is_running: list.custom((value) => {
      const lower = value.trim().toLowerCase();
      if (lower !== "true" && lower !== "false") return { problem: "Input should be true or false" };
      return lower === "true" ? sql`s.ended_at is null` : sql`s.ended_at is not null`;
    }),
  },
  time: "s.timestamp",
  order: [
    { column: "s.timestamp", direction: "desc" },
    { column: "s.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
} satisfies list.ListRules;

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
      return list.onlyFields(await list.listPage(db, rows, query, sessionList), query.fields, Session);
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
