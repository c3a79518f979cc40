import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../../api/schema.ts";
import type { Db } from "../../db/database.ts";

/** More than one person can watch; the newest are shown. */
export const MOST_LIVE = 500;

/** A preview: the session's page has the whole words. */
const PREVIEW_CHARACTERS = 200;

export const LiveSession = z
  .object({
    session_id: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    source: z.string().nullable(),
    target: z.string().nullable(),
    channel: z.enum(["voice", "chat", "sms", "email", "whatsapp"]),
    is_test: z.boolean(),
    is_outbound: z.boolean(),
    timestamp: timestamp(),
    last_activity_at: timestamp(),
    turn_count: z.int(),
    state: z
      .enum(["listening", "answering", "tool", "set-aside"])
      .describe(
        "answering: a turn runs. tool: it has waited for a tool for a few seconds. set-aside: an operator has to let it go on.",
      ),
    running_tool: z.string().nullable(),
    taken_by: z.string().nullable().describe("Who answers in the agent's place."),
    last_words: z
      .object({
        source: z.enum(["user", "agent"]),
        text: z.string().max(PREVIEW_CHARACTERS),
        written_by: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: "LiveSession" });
export type LiveSession = z.infer<typeof LiveSession>;

/** Whose running sessions are watched: all of a sub-organization, or one. */
export type LiveScope = { sub_organization_id: number } & (
  | { is_test: boolean; session_id?: undefined }
  | { session_id: number }
);

/** What changes while a session runs; the rest is read once. */
type Pulse = {
  scope: number;
  id: number;
  next_seq: number;
  turn_count: number;
  last_activity_at: string;
  state: LiveSession["state"];
  running_tool: string | null;
  taken_by: string | null;
};

/** The rows of each scope, in the order of `scopes`. Index: sessions_live, and the primary key for single sessions. */
export async function readPulses(db: Db, scopes: readonly LiveScope[], now: Date): Promise<Pulse[]> {
  const tenants = scopes.map(({ sub_organization_id }) => sub_organization_id);
  const tests = scopes.map((scope) => (scope.session_id === undefined ? scope.is_test : null));
  const ids = scopes.map(({ session_id }) => session_id ?? null);
  const { rows } = await sql<Pulse>`
    select w.scope::integer, s.id, s.next_seq, s.turn_count, s.last_activity_at, t.taken_by,
      case when s.set_aside_at is not null then 'set-aside'
        when s.lease_owner is null or s.lease_expires_at <= ${now.toISOString()} then 'listening'
        when s.running_tool is not null then 'tool' else 'answering' end as state,
      case when s.lease_owner is not null and s.lease_expires_at > ${now.toISOString()}
        then s.running_tool end as running_tool
    from unnest(${tenants}::bigint[], ${tests}::boolean[], ${ids}::bigint[])
      with ordinality as w (tenant, test, id, scope)
    cross join lateral (
      (select * from sessions where w.id is null and sub_organization_id = w.tenant and ended_at is null
        and is_test = w.test order by id desc limit ${MOST_LIVE + 1}::integer)
      union all
      select * from sessions where id = w.id and sub_organization_id = w.tenant and ended_at is null
    ) as s
    left join session_takeovers t on t.session_id = s.id and t.expires_at > ${now.toISOString()}
    order by w.scope, s.id desc`.execute(db);
  return rows;
}

type LiveFacts = Pick<
  LiveSession,
  | "agent_id"
  | "agent_name"
  | "source"
  | "target"
  | "channel"
  | "is_test"
  | "is_outbound"
  | "timestamp"
  | "last_words"
>;

/** Who talks with whom, and the last words of each. Index: primary keys. */
export async function readFacts(db: Db, ids: readonly number[]): Promise<Map<number, LiveFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<LiveFacts & { id: number }>`
    select s.id, s.agent_id::text, s.agent_name, s.source, s.target, s.channel, s.is_test, s.is_outbound, s.timestamp,
      (select json_build_object('source', m.role, 'text', left(m.text, ${PREVIEW_CHARACTERS}::integer),
          'written_by', m.written_by)
        from session_messages m where m.session_id = s.id and not m.aside order by m.seq desc limit 1) as last_words
    from sessions s where s.id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}

/** Of two readings, whether one looks different. */
export const pulsePrint = (pulse: Pulse): string =>
  `${pulse.next_seq} ${pulse.turn_count} ${pulse.last_activity_at} ${pulse.state} ${pulse.running_tool} ${pulse.taken_by}`;

export function liveSession(pulse: Pulse, facts: LiveFacts): LiveSession {
  const { scope: _scope, next_seq: _seq, id, ...changing } = pulse;
  return { session_id: String(id), ...facts, ...changing };
}
