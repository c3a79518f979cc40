import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Db } from "../db/database.ts";

/**
 * Work that nobody does again by itself, since processes died on it: jobs (jobs/interrupted.ts), insight executions
 * (executions/claim.ts) and web chats (sessions/lease.ts). Each kind keeps its own rows; here they are one list.
 */
export const SetAsideWork = z
  .object({
    job_id: z.string(),
    kind: z.enum(["job", "insight-execution", "web-chat"]),
    name: z.string().describe("What was done"),
    organization_id: z.int().nullable(),
    organization_name: z.string().nullable(),
    sub_organization_id: z.int().nullable().describe("For whom"),
    session_id: z.int().nullable().describe("The conversation it belongs to, where it is known"),
    interruptions: z.int().describe("How often its process died while it ran"),
    set_aside_at: timestamp(),
    last_error: z
      .string()
      .nullable()
      .describe("What an earlier try said, where one failed without ending the process"),
  })
  .meta({ id: "SetAsideJob" });
export type SetAsideWork = z.infer<typeof SetAsideWork>;

/** Where the list is cut off; nobody reads further. */
const MOST = 1_000;

/** A kind's own number, as its `job_id` says it; null for another kind. */
export const ownId = (kind: SetAsideWork["kind"], job_id: string): string | null => {
  const own = kind === "job" ? job_id : job_id.startsWith(`${kind}-`) && job_id.slice(kind.length + 1);
  return own && /^\d{1,18}$/.test(own) ? own : null;
};

/** Jobs of texts and mails name a correspondence: its newest session is the one they go on with. */
const sessionOfJob = sql`case j.name
  when 'call-session-end-tool' then (j.payload ->> 'session_id')::bigint
  when 'fetch-recording' then (select c.session_id from calls c where c.id = (j.payload ->> 'call_id')::bigint)
  when 'go-on-with-texts' then (
    select t.session_id from text_messages t
    where t.channel_target_id = (j.payload ->> 'channel_target_id')::bigint and t.source = j.payload ->> 'source'
      and t.session_id is not null order by t.id desc limit 1)
  when 'go-on-with-mails' then (
    select m.session_id from mail_messages m
    where m.channel_target_id = (j.payload ->> 'channel_target_id')::bigint and m.direction = 'in'
      and m.from_address = j.payload ->> 'source' and m.session_id is not null order by m.id desc limit 1)
  end`;

const jobs = (which: RawBuilder<unknown>) => sql`
  select j.job_id::text, 'job' as kind, j.name, j.sub_organization_id, ${sessionOfJob} as session_id, j.interruptions,
    j.set_aside_at, j.last_error
  from interrupted_jobs j where j.set_aside_at is not null and ${which}
  order by j.set_aside_at desc limit ${MOST}`;

const executions = (which: RawBuilder<unknown>) => sql`
  select 'insight-execution-' || e.id, 'insight-execution', w.name, e.sub_organization_id, e.session_id, e.interruptions,
    e.set_aside_at, e.error_message
  from insight_executions e join insight_workflows w on w.id = e.workflow_id
  where e.set_aside_at is not null and e.status = 'FAILED' and ${which}
  order by e.set_aside_at desc limit ${MOST}`;

const chats = (which: RawBuilder<unknown>) => sql`
  select 'web-chat-' || s.id, 'web-chat', s.agent_name, s.sub_organization_id, s.id, s.interruptions, s.set_aside_at,
    null
  from sessions s where s.set_aside_at is not null and s.ended_at is null and ${which}
  order by s.set_aside_at desc limit ${MOST}`;

/** All of it, newest first, or what has this id. */
export async function findSetAside(db: Db, job_id: string | null = null): Promise<SetAsideWork[]> {
  const only = (kind: SetAsideWork["kind"], column: RawBuilder<unknown>) =>
    job_id === null ? sql`true` : sql`${column} = ${ownId(kind, job_id)}::bigint`;
  const { rows } = await sql<SetAsideWork>`
    select w.job_id, w.kind, w.name, o.id as organization_id, o.display_name as organization_name,
      w.sub_organization_id, w.session_id, w.interruptions, w.set_aside_at, w.last_error
    from (
      (${jobs(only("job", sql`j.job_id`))})
      union all (${executions(only("insight-execution", sql`e.id`))})
      union all (${chats(only("web-chat", sql`s.id`))})
    ) as w
    left join sub_organizations sub on sub.id = w.sub_organization_id
    left join organizations o on o.id = sub.organization_id
    order by w.set_aside_at desc, w.job_id limit ${MOST}`.execute(db);
  return rows;
}
