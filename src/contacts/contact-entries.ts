import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { ErasedPerson } from "../erasure/person-address.ts";
import { statusAt } from "../planning/batch-state.ts";
import { type ExplainedAttempt, explainAttempt, type RequestOfAttempt } from "../planning/explain.ts";

/** Somebody by their addresses, within one sub-organization; the spellings as in an erasure, so that both mean the same rows. */
export type ContactPerson = ErasedPerson;

export const ENTRY_KINDS = [
  "session",
  "text",
  "mail",
  "request",
  "attempt",
  "call-back",
  "consent",
  "consent-revoked",
  "suppression",
  "suppression-lifted",
] as const;
type EntryKind = (typeof ENTRY_KINDS)[number];

export type ContactEntry = {
  at: string;
  kind: EntryKind;
  id: string;
  /** The person's own. */
  address: string | null;
  channel: string | null;
  /** Who spoke: in is the person; null: not a message. */
  direction: "in" | "out" | null;
  text: string;
  status: string | null;
  session_id: number | null;
  campaign_id: number | null;
  campaign_name: string | null;
  batch_id: string | null;
  reference_id: string | null;
};

/** The place of an entry in the list. */
export type EntryPlace = Pick<ContactEntry, "at" | "kind" | "id">;

/** A source: its columns as {@link ContactEntry} has them, `at` and `id` first; `attempt` only of attempts. */
type EntrySource = {
  kind: EntryKind;
  at: string;
  id: string;
  from: RawBuilder<unknown>;
  columns: RawBuilder<unknown>;
};

const of = ({ tenant, spellings }: ContactPerson, table: string, column: string): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.sub_organization_id`)} = ${tenant} and ${sql.ref(`${table}.${column}`)} = any(${spellings}::text[])`;

const NO_CAMPAIGN = sql`null::bigint as campaign_id, null::text as campaign_name, null::text as batch_id,
  null::text as reference_id, null::json as attempt`;

/**
 * A text that was seen to, but neither by an agent nor by an opt-out word's reply: its sender had opted out, say. Index:
 * text_messages_key.
 */
const IS_UNANSWERED = sql`t.direction = 'in' and t.status = 'ANSWERED' and t.session_id is null and not exists (
  select from text_messages reply where reply.channel_id = t.channel_id and reply.direction = 'out'
    and reply.key = concat('re-', t.id, '-0'))`;

/** Conversations, texts and mails. Indexes: sessions_person, sessions_claimed, text_messages_person, mail_messages_sender, mail_messages_recipient. */
const spoken = (contact: ContactPerson): EntrySource[] => [
  {
    kind: "session",
    at: "s.timestamp",
    id: "s.id",
    from: sql`sessions s where s.id in (
      select id from sessions where sub_organization_id = ${contact.tenant} and source = any(${contact.spellings}::text[])
      union select id from sessions where sub_organization_id = ${contact.tenant} and claimed_user = any(${contact.spellings}::text[]))`,
    columns: sql`case when s.source = any(${contact.spellings}::text[]) then s.source else s.claimed_user end as address, s.channel, case when s.is_outbound then 'out' else 'in' end as direction,
      concat(s.agent_name, case when s.is_test then ' (test)' else '' end, coalesce(': ' || (
        select left(m.text, 300) from session_messages m
        where m.session_id = s.id and m.role = 'user' and m.text <> '' order by m.seq desc limit 1), '')) as text,
      coalesce(s.end_reason, case when s.ended_at is null then 'running' end) as status, s.id as session_id, ${NO_CAMPAIGN}`,
  },
  {
    kind: "text",
    at: "t.created_at",
    id: "t.id",
    from: sql`text_messages t where ${of(contact, "t", "source")}`,
    columns: sql`t.source as address, t.medium as channel, t.direction, t.text,
      case when ${IS_UNANSWERED} then 'UNANSWERED' else t.status end as status, t.session_id, ${NO_CAMPAIGN}`,
  },
  {
    kind: "mail",
    at: "m.created_at",
    id: "m.id",
    from: sql`mail_messages m where m.id in (
      select id from mail_messages where direction = 'in' and ${of(contact, "mail_messages", "from_address")}
      union all
      select id from mail_messages where direction = 'out' and ${of(contact, "mail_messages", "to_address")})`,
    columns: sql`case m.direction when 'in' then m.from_address else m.to_address end as address, 'email' as channel, m.direction, concat(m.subject, E'\n', left(coalesce(m.new_text, m.text), 2000)) as text,
      coalesce(m.channel_status, m.state) as status, m.session_id, ${NO_CAMPAIGN}`,
  },
];

const CAMPAIGN = sql`c.id as campaign_id, c.campaign_name, b.batch_id`;

/** Campaigns, consents and opt-outs. Indexes: requests_target, requests_target_out, attempts_target, suppressions_live, consents_live, call_backs_target. */
const reached = (contact: ContactPerson): EntrySource[] => [
  {
    kind: "request",
    at: "r.created_at",
    id: "r.id",
    from: sql`batches b join campaigns c on c.id = b.campaign_id cross join lateral (
        select * from requests where batch_key = b.key and target = any(${contact.spellings}::text[])
          and request_status not in ('DUPLICATE', 'INVALID', 'CANCELED')
        union all
        select * from requests where batch_key = b.key and target = any(${contact.spellings}::text[])
          and request_status in ('DUPLICATE', 'INVALID', 'CANCELED')
      ) r where b.sub_organization_id = ${contact.tenant}`,
    columns: sql`r.target as address, coalesce(c.mode, 'voice') as channel, null as direction,
      coalesce(r.skip_reason ->> 'text', 'Added to the campaign.') as text, r.request_status as status, r.session_id,
      ${CAMPAIGN}, r.reference_id, null::json as attempt`,
  },
  {
    kind: "attempt",
    at: "a.started_at",
    id: "a.key",
    from: sql`attempts a join batches b on b.key = a.batch_key join campaigns c on c.id = a.campaign_id
      left join requests r on r.batch_key = a.batch_key and r.id = a.request_id
      where ${of(contact, "a", "target")}`,
    columns: sql`a.target as address, a.mode as channel, 'out' as direction, '' as text, a.channel_status as status, a.session_id, ${CAMPAIGN},
      a.reference_id, json_build_object('attempt_number', a.attempt_number, 'state', a.state,
        'channel_status', a.channel_status, 'answerer', a.answerer, 'provider_status', a.provider_status,
        'started_at', a.started_at, 'ended_at', a.ended_at, 'decision', a.decision, 'hang_up_at', a.hang_up_at,
        'request', case when r.id is not null then json_build_object('batch_status', b.status, 'expires_on', b.expires_on,
          'request_status', r.request_status, 'attempt_count', r.attempt_count, 'step_log', r.step_log,
          'skipped', r.skip_reason ->> 'text') end) as attempt`,
  },
  {
    kind: "call-back",
    at: "k.asked_at",
    id: "k.id",
    from: sql`call_backs k join batches b on b.key = k.batch_key join campaigns c on c.id = k.campaign_id
      left join requests r on r.batch_key = k.batch_key and r.id = k.request_id
      where ${of(contact, "k", "target")}`,
    columns: sql`k.target as address, 'voice' as channel, 'in' as direction,
      concat('Asked to be called at ', to_char(k.due_at at time zone k.timezone, 'YYYY-MM-DD HH24:MI'), ' ', k.timezone) as text,
      case when r.attempt_count > k.after_attempt then 'called'
        when r.request_status = 'PENDING' and r.call_back_after = r.attempt_count then 'waiting'
        when r.request_status in ('INITIATED', 'CONNECTED') then 'asked' else 'canceled' end as status,
      k.session_id, ${CAMPAIGN}, r.reference_id, null::json as attempt`,
  },
  {
    kind: "consent",
    at: "n.created_at",
    id: "n.id",
    from: sql`consents n where ${of(contact, "n", "address")}`,
    columns: sql`n.address, n.channel, null as direction,
      concat('Consent to ', n.purpose, ' by ', n.given_through, coalesce(': ' || n.wording, '')) as text,
      case when n.revoked_at is null then 'valid' else 'revoked' end as status, null::bigint as session_id, ${NO_CAMPAIGN}`,
  },
  {
    kind: "consent-revoked",
    at: "n.revoked_at",
    id: "n.id",
    from: sql`consents n where ${of(contact, "n", "address")} and n.revoked_at is not null`,
    columns: sql`n.address, n.channel, null as direction,
      concat('Consent to ', n.purpose, ' revoked by ', n.revoked_through, coalesce(': ' || n.revoked_said, '')) as text,
      null::text as status, null::bigint as session_id, ${NO_CAMPAIGN}`,
  },
  {
    kind: "suppression",
    at: "u.created_at",
    id: "u.id",
    from: sql`suppressions u where ${of(contact, "u", "address")}`,
    columns: sql`u.address, u.scope as channel, null as direction,
      concat('Suppressed: ', u.reason, ', by ', u.through, coalesce(': ' || u.said, '')) as text,
      case when u.lifted_at is null then 'holds' else 'lifted' end as status, u.session_id, ${NO_CAMPAIGN}`,
  },
  {
    kind: "suppression-lifted",
    at: "u.lifted_at",
    id: "u.id",
    from: sql`suppressions u where ${of(contact, "u", "address")} and u.lifted_at is not null`,
    columns: sql`u.address, u.scope as channel, null as direction,
      concat('Suppression lifted by ', u.lifted_through, coalesce(': ' || u.lifted_said, '')) as text, null::text as status,
      null::bigint as session_id, ${NO_CAMPAIGN}`,
  },
];

/** What the caller may see: conversations, campaigns, or both. */
export type Visible = { sessions: boolean; outbound: boolean };

/** Newest first, beyond `from`. Each source gives at most `most`, so a page costs the same however much there is. */
export async function readEntries(
  db: Db,
  contact: ContactPerson,
  { visible, from, most, now }: { visible: Visible; from: EntryPlace | null; most: number; now: Date },
): Promise<ContactEntry[]> {
  const sources = [
    ...(visible.sessions ? spoken(contact) : []),
    ...(visible.outbound ? reached(contact) : []),
  ];
  if (sources.length === 0) return [];
  const each = sources.map(({ kind, at, id, from: rows, columns }) => {
    const place = sql`(${sql.ref(at)}, ${kind}::text, ${sql.ref(id)}::text collate "C")`;
    const beyond =
      from === null
        ? sql`true`
        : sql`${place} < (${from.at}::timestamptz, ${from.kind}::text, ${from.id}::text)`;
    return sql`(select ${sql.ref(at)} as at, ${kind}::text as kind, ${sql.ref(id)}::text collate "C" as id, ${columns}
      from ${rows} and ${beyond} order by ${sql.ref(at)} desc, ${sql.ref(id)}::text collate "C" desc limit ${most})`;
  });
  const { rows } = await sql<ContactEntry & { attempt: StoredAttempt | null }>`
    select * from (${sql.join(each, sql` union all `)}) entries
    order by at desc, kind desc, id desc limit ${most}`.execute(db);
  return rows.map(({ attempt, ...entry }) => ({
    ...entry,
    text: attempt === null ? entry.text : explained(attempt, now),
  }));
}

/** With its request as it stands; null: that was deleted since. */
type StoredAttempt = ExplainedAttempt & {
  request: (RequestOfAttempt & { expires_on: string | null }) | null;
};

function explained({ request, ...attempt }: StoredAttempt, now: Date): string {
  if (request === null) return explainAttempt(attempt, "UTC", now);
  const { expires_on, batch_status: status, ...more } = request;
  const batch_status = statusAt(
    { status, expires_on: expires_on === null ? null : new Date(expires_on) },
    now,
  );
  return explainAttempt(attempt, "UTC", now, { ...more, batch_status });
}
