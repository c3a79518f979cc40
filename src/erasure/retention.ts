import { sql } from "kysely";
import { z } from "zod";
import { noteDeletedBefore } from "../accounts/audit/link-entries.ts";
import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { TRANSCRIPT_KEY } from "../insights/transcript.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { filesOfRecording } from "../sessions/recordings/rotate-recordings.ts";
import { type AgentRetentionDays, agentsWithRetention } from "./agent-retention.ts";
import { deleteMails, deleteSessions, SESSIONS_AT_ONCE } from "./delete-sessions.ts";
import { addCounts, type DeletedCounts, removed, sumOf } from "./deleted-counts.ts";
import type { ErasureDeps } from "./erase-people.ts";
import { listFiles, removeListedFiles } from "./files-to-remove.ts";
import {
  RETENTION_KINDS,
  type RetentionDays,
  type RetentionKind,
  tenantsWithRetention,
} from "./privacy-settings.ts";

/*
 * Deletes what is older than an organization keeps it. Each transaction deletes a bounded number of rows, so that nobody
 * waits for it; one that dies is continued the next day. Sessions on legal hold are kept with all that belongs to them.
 */
const deleteExpired: Job<object> = {
  name: "delete-expired",
  payload: z.object({}),
  max_attempts: 3,
  schedule: "11 4 * * *",
};

const MOST_ROWS = 2_000;
const NOTHING: DeletedCounts = {};
const DAY_ms = 86_400_000;

/** `agents`: whose sessions; what belongs to no session goes with all agents but some. */
type Expired = {
  tenant: number;
  before: string;
  now: string;
  agents: { only: number } | { but: number[] };
};

/** Of the sessions `s`. */
const ofAgents = ({ agents }: Pick<Expired, "agents">) =>
  "only" in agents ? sql`s.agent_id = ${agents.only}` : sql`s.agent_id <> all(${agents.but}::bigint[])`;

/** What a session's row says of whether it may go: over, not held, not worked on. */
const isFree = (now: string) => sql`
  s.ended_at is not null and s.legal_hold_at is null
  and (s.lease_owner is null or s.lease_expires_at <= ${now}::timestamptz)
  and not exists (select from calls c where c.session_id = s.id and c.state <> 'ended')`;

const heldSessions = (tenant: number) =>
  sql`select id from sessions where sub_organization_id = ${tenant} and legal_hold_at is not null`;

/** Messages that no session came of. Indexes: text_messages_sub_organization, mail_messages_list. */
const withoutSession = async (
  tx: Tx,
  { tenant, before }: Pick<Expired, "tenant" | "before">,
): Promise<DeletedCounts> => ({
  texts: await removed(
    tx,
    sql`delete from text_messages where id in (
          select id from text_messages where sub_organization_id = ${tenant} and session_id is null and held_in is null
            and status not in ('RECEIVED', 'PENDING') and created_at < ${before}::timestamptz
          order by id limit ${MOST_ROWS}::bigint)`,
  ),
  mails: await deleteMails(
    tx,
    tenant,
    sql`sub_organization_id = ${tenant} and session_id is null and held_in is null
          and state not in ('received', 'queued', 'handing') and created_at < ${before}::timestamptz`,
    MOST_ROWS,
  ),
});

/** Of people who once called or wrote, of whom nobody noted anything and no session is left. Index: contacts_listed. */
const contactsOfSessions = async (
  tx: Tx,
  { tenant, before }: Pick<Expired, "tenant" | "before">,
): Promise<DeletedCounts> => ({
  contacts: await removed(
    tx,
    sql`delete from contacts where id in (
          select c.id from contacts c
          where c.sub_organization_id = ${tenant} and c.updated_at < ${before}::timestamptz
            and num_nonnulls(c.name, c.notes, c.key, c.timezone, c.language) = 0
            and not exists (
              select from contact_addresses a where a.contact_id = c.id and (a.linked_through <> 'session'
                or exists (
                  select from sessions s where s.sub_organization_id = ${tenant} and s.source = a.address)))
          limit ${MOST_ROWS}::bigint)`,
  ),
});

/** Each deletes some rows of one kind; all zeros: none is left. */
const STEPS: Record<RetentionKind, ((tx: Tx, expired: Expired) => Promise<DeletedCounts>)[]> = {
  recording: [
    // Index: recordings_created.
    async (tx, expired) => {
      const { tenant, before } = expired;
      const { rows } = await sql<{ file_name: string }>`
        delete from recordings where id in (
          select r.id from recordings r join sessions s on s.id = r.session_id
          where r.created_at < ${before}::timestamptz and s.sub_organization_id = ${tenant}
            and s.legal_hold_at is null and ${ofAgents(expired)}
          order by r.created_at limit ${MOST_ROWS}::bigint)
        returning file_name`.execute(tx);
      await listFiles(
        tx,
        tenant,
        rows.flatMap(({ file_name }) => filesOfRecording(file_name)),
      );
      return { recordings: rows.length };
    },
    // Uploads, as if each had been deleted by hand: with their words.
    async (tx, { tenant, before, now, agents }) => {
      if ("only" in agents) return NOTHING;
      const { rows } = await sql<{ id: number; object_key: string }>`
        select id, object_key from insight_files
        where sub_organization_id = ${tenant} and deleted_at is null and created_at < ${before}::timestamptz
        order by id limit ${MOST_ROWS}::bigint for update`.execute(tx);
      const ids = sql`any(${rows.map(({ id }) => id)}::bigint[])`;
      await sql`update insight_files set deleted_at = ${now}::timestamptz where id = ${ids}`.execute(tx);
      const insight_results = await removed(
        tx,
        sql`delete from insight_outputs where upload_file_id = ${ids} and insight_key = ${TRANSCRIPT_KEY}`,
      );
      await listFiles(
        tx,
        tenant,
        rows.map(({ object_key }) => object_key),
      );
      return { uploads: rows.length, insight_results };
    },
  ],
  session: [
    // Index: sessions_timestamp.
    async (tx, expired) => {
      const { tenant, before, now } = expired;
      const { rows } = await sql<{ id: number }>`
        select s.id from sessions s
        where s.sub_organization_id = ${tenant} and s.timestamp < ${before}::timestamptz
          and s.ended_at < ${before}::timestamptz and ${isFree(now)} and ${ofAgents(expired)}
        order by s.timestamp, s.id limit ${SESSIONS_AT_ONCE}::bigint for update of s skip locked`.execute(tx);
      return deleteSessions(tx, { tenant, ids: rows.map(({ id }) => id) });
    },
    async (tx, { agents, ...expired }) => ("only" in agents ? NOTHING : withoutSession(tx, expired)),
    async (tx, { agents, ...expired }) => ("only" in agents ? NOTHING : contactsOfSessions(tx, expired)),
  ],
  trace: [
    // A session's rows by primary key; those that have none left cost one look each.
    async (tx, { tenant, before, ...expired }) => ({
      trace: await removed(
        tx,
        sql`delete from session_trace where session_id in (
          select s.id from sessions s
          where s.sub_organization_id = ${tenant} and s.timestamp < ${before}::timestamptz
            and s.ended_at < ${before}::timestamptz and s.legal_hold_at is null and ${ofAgents(expired)}
            and exists (select from session_trace t where t.session_id = s.id)
          order by s.timestamp, s.id limit ${SESSIONS_AT_ONCE}::bigint)`,
      ),
    }),
  ],
  request: [
    // Index: sent_records_at.
    async (tx, { tenant, before, ...expired }) => ({
      model_requests: await removed(
        tx,
        sql`delete from sent_records where (session_id, id) in (
          select r.session_id, r.id from sent_records r join sessions s on s.id = r.session_id
          where r.at < ${before}::timestamptz and s.sub_organization_id = ${tenant}
            and s.ended_at < ${before}::timestamptz and s.legal_hold_at is null and ${ofAgents(expired)}
          limit ${MOST_ROWS}::bigint)`,
      ),
    }),
  ],
  insight: [
    // Index: insight_outputs_created.
    async (tx, { tenant, before, ...expired }) => ({
      insight_results: await removed(
        tx,
        sql`delete from insight_outputs where id in (
          select o.id from insight_outputs o left join sessions s on s.id = o.session_id
          where o.sub_organization_id = ${tenant} and o.created_at < ${before}::timestamptz
            and case when o.session_id is null then ${"but" in expired.agents}::boolean
              else s.legal_hold_at is null and ${ofAgents(expired)} end
          limit ${MOST_ROWS}::bigint)`,
      ),
    }),
  ],
  event: [
    // Index: events_timestamp.
    async (tx, { tenant, before }) => ({
      events: await removed(
        tx,
        sql`delete from events where id in (
          select id from events where sub_organization_id = ${tenant} and timestamp < ${before}::timestamptz
            and (session_id is null
              or session_id not in (select id::text from (${heldSessions(tenant)}) as held (id)))
          limit ${MOST_ROWS}::bigint)`,
      ),
    }),
  ],
  audit: [
    // Index: audit_entries_at.
    async (tx, { tenant, before }) => ({
      audit_entries: await removed(
        tx,
        sql`delete from audit_entries where id in (
          select id from audit_entries where sub_organization_id = ${tenant} and at < ${before}::timestamptz
          limit ${MOST_ROWS}::bigint)`,
      ),
    }),
  ],
};

export const deleteExpiredJob = (deps: ErasureDeps): JobHandler =>
  handle(deleteExpired, async (_, { stopping }) => {
    try {
      await oneByOne(
        await tenantsWithRetention(deps.db),
        ({ sub_organization_id, retention }) =>
          deleteOfTenant(deps, sub_organization_id, retention, stopping),
        stopping,
      );
    } finally {
      if (!stopping.aborted) await removeListedFiles(deps);
    }
  });

async function deleteOfTenant(
  { db, clock, vault }: ErasureDeps,
  tenant: number,
  retention: RetentionDays,
  stopping: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const agents = await agentsWithRetention(db, tenant);
  let counts: DeletedCounts = {};
  for (const kind of RETENTION_KINDS) {
    for (const { days, of } of termsOf(kind, retention, agents)) {
      const before = new Date(now.getTime() - days * DAY_ms).toISOString();
      const expired = { tenant, before, now: now.toISOString(), agents: of };
      // Before the first is deleted, so that nobody misses it.
      if (kind === "audit")
        await db.transaction().execute((tx) => noteDeletedBefore(tx, vault, tenant, before));
      for (const step of STEPS[kind]) {
        while (!stopping.aborted) {
          const some = await db.transaction().execute((tx) => step(tx, expired));
          if (sumOf(some) === 0) break;
          counts = addCounts(counts, some);
        }
      }
    }
  }
  if (sumOf(counts) === 0) return;
  await db.transaction().execute((tx) =>
    publish(tx, tenant, [
      {
        at: clock.now(),
        source: "job",
        source_id: null,
        category: "privacy",
        type: "retention",
        description: "What was older than the organization keeps it was deleted.",
        attributes: { retention, counts },
      },
    ]),
  );
}

/** How long a kind is kept: by each agent that says so itself, and by all others. What is kept for good is left out. */
function termsOf(
  kind: RetentionKind,
  retention: RetentionDays,
  agents: { agent_id: number; retention: AgentRetentionDays }[],
): { days: number; of: Expired["agents"] }[] {
  const own = agents.flatMap(({ agent_id, retention: theirs }) => {
    const days = (theirs as Partial<RetentionDays>)[kind];
    return days === undefined ? [] : { days, of: { only: agent_id } };
  });
  const all = [...own, { days: retention[kind], of: { but: own.map(({ of }) => of.only) } }];
  return all.flatMap(({ days, of }) => (days === null ? [] : { days, of }));
}
