import { type RawBuilder, sql } from "kysely";
import { lockBook } from "../address-book/contact-store.ts";
import { deleteMails, deleteSessions, SESSIONS_AT_ONCE } from "./delete-sessions.ts";
import { type DeletedCounts, removed } from "./deleted-counts.ts";
import { listFiles } from "./files-to-remove.ts";
import type { ErasedPerson } from "./person-address.ts";
import { inboxStore } from "./person-inboxes.ts";
import { requestStore, stepRequestStore } from "./person-requests.ts";
import { counted, MOST_ROWS, mentions, ofPerson, type PersonStore, storeOfTable } from "./person-store.ts";
import { testCaseStore, testRunStore } from "./person-tests.ts";
import { uploadStore } from "./person-uploads.ts";

/*
 * Everywhere that something of a person is stored. `test/contract/erasure/erase-person.test.ts` writes through every store
 * and searches all columns afterwards, so a store that is missing here fails there.
 */

/** Indexes: sessions_person, sessions_claimed. */
export const sessionsOf = ({ tenant, spellings }: ErasedPerson): RawBuilder<unknown> => sql`
  select id from sessions where sub_organization_id = ${tenant} and source = any(${spellings}::text[])
  union
  select id from sessions where sub_organization_id = ${tenant} and claimed_user = any(${spellings}::text[])`;

const mailsOf = (person: ErasedPerson): RawBuilder<unknown> =>
  sql`id in (select id from mail_messages where direction = 'in' and ${ofPerson(person, "from_address")}
    union all select id from mail_messages where direction = 'out' and ${ofPerson(person, "to_address")})`;

/** Entries that quote the address. */
const auditEntriesOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select id from audit_entries
  where sub_organization_id = ${person.tenant}
    and ${mentions(sql`(coalesce(before::text, '') || coalesce(after::text, '') || coalesce(resource_id, ''))`, person)}`;

const jobsOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select id from graphile_worker._private_jobs
  where flags ? ${`tenant:${person.tenant}`} and ${mentions(sql`(payload::text || coalesce(key, ''))`, person)}
    and locked_at is null`;

const OF_SESSIONS: [name: string, table: string][] = [
  ["messages", "session_messages"],
  ["tool_calls", "session_tool_calls"],
  ["notes", "session_notes"],
  ["trace", "session_trace"],
  ["model_requests", "sent_records"],
  ["labels", "session_labels"],
  ["recordings", "recordings"],
  ["insight_results", "insight_outputs"],
  ["insight_executions", "insight_executions"],
  ["calls", "calls"],
];

const sessionStore: PersonStore = {
  name: "sessions",
  async count(db, person) {
    const counts: DeletedCounts = { sessions: await counted(db, sessionsOf(person)) };
    for (const [name, table] of OF_SESSIONS)
      counts[name] = await counted(
        db,
        sql`select 1 from ${sql.table(table)} where session_id in (${sessionsOf(person)})`,
      );
    return counts;
  },
  /** Those that nobody works on and no hold keeps: whoever begins a turn after this waits for the lock and finds nothing. */
  async removeSome(tx, person, now) {
    const { rows } = await sql<{ id: number }>`
      select id from sessions
      where id in (${sessionsOf(person)}) and legal_hold_at is null
        and (lease_owner is null or lease_expires_at <= ${now.toISOString()}::timestamptz)
        and not exists (select from calls where calls.session_id = sessions.id and calls.state <> 'ended')
      order by id limit ${SESSIONS_AT_ONCE}::bigint for update of sessions`.execute(tx);
    return deleteSessions(tx, { tenant: person.tenant, ids: rows.map(({ id }) => id) });
  },
};

const mailStore: PersonStore = {
  name: "mails",
  count: async (db, person) => ({
    mails: await counted(db, sql`select id from mail_messages where ${mailsOf(person)}`),
  }),
  removeSome: async (tx, person) => ({
    mails: await deleteMails(tx, person.tenant, mailsOf(person), MOST_ROWS),
  }),
};

/** Exports hold everything of their time, so those that exist go, whoever they are about. */
const exportStore: PersonStore = {
  name: "exports",
  count: async (db, { tenant }) => ({
    exports: await counted(db, sql`select id from takeouts where sub_organization_id = ${tenant}`),
  }),
  async removeSome(tx, { tenant }) {
    const { rows } = await sql<{ id: string }>`
      delete from takeouts where sub_organization_id = ${tenant} returning id`.execute(tx);
    await listFiles(
      tx,
      tenant,
      rows.map(({ id }) => `takeouts/${id}`),
    );
    return { exports: rows.length };
  },
};

/** The act stays, with who and when; what the record looked like goes. */
const auditStore: PersonStore = {
  name: "audit_entries_blanked",
  count: async (db, person) => ({ audit_entries_blanked: await counted(db, auditEntriesOf(person)) }),
  removeSome: async (tx, person) => ({
    audit_entries_blanked: await removed(
      tx,
      sql`update audit_entries set before = null, after = '{"deleted": true}'::json,
          resource_id = case when ${mentions(sql`resource_id`, person)} then null else resource_id end
        where id in (select id from (${auditEntriesOf(person)}) as found limit ${MOST_ROWS}::bigint)`,
    ),
  }),
};

/** Opt-outs stay, because they protect the person; the words that were said go. */
const suppressionStore: PersonStore = {
  name: "suppressions_kept",
  count: async (db, person) => ({
    suppressions_kept: await counted(
      db,
      sql`select id from suppressions where ${ofPerson(person, "address")}`,
    ),
  }),
  removeSome: async (tx, person) => ({
    suppressions_blanked: await removed(
      tx,
      sql`update suppressions set said = null, message_id = null, session_id = null, comment = null, lifted_said = null,
          lifted_message_id = null
        where ${ofPerson(person, "address")}
          and num_nonnulls(said, message_id, session_id, comment, lifted_said, lifted_message_id) > 0`,
    ),
  }),
};

/** Kept as proof that somebody was reached rightly, without what tells more than the address; none of them holds any more. */
const consentStore: PersonStore = {
  name: "consents_kept",
  count: async (db, person) => ({
    consents_kept: await counted(db, sql`select id from consents where ${ofPerson(person, "address")}`),
  }),
  removeSome: async (tx, person, now) => ({
    consents_blanked: await removed(
      tx,
      sql`update consents set wording = null, evidence = null, revoked_said = null,
          revoked_at = coalesce(revoked_at, ${now.toISOString()}::timestamptz), revoked_through = coalesce(revoked_through, 'erasure')
        where ${ofPerson(person, "address")}
          and (revoked_at is null or num_nonnulls(wording, evidence, revoked_said) > 0)`,
    ),
  }),
};

const lookupStore: PersonStore = {
  name: "number_lookups",
  count: async (db, person) => ({
    number_lookups: await counted(db, sql`select number from number_lookups where ${lookup(person)}`),
  }),
  removeSome: async (tx, person) => ({
    number_lookups: await removed(tx, sql`delete from number_lookups where ${lookup(person)}`),
  }),
};
const lookup = ({ tenant, spellings }: ErasedPerson) => sql`
  organization_id = (select organization_id from sub_organizations where id = ${tenant})
  and number = any(${spellings}::text[])`;

/** Jobs that wait for this person, and the empty queues that bear their address. */
const jobStore: PersonStore = {
  name: "jobs",
  count: async (db, person) => ({ jobs: await counted(db, jobsOf(person)) }),
  async removeSome(tx, person) {
    const interrupted = await removed(
      tx,
      sql`delete from interrupted_jobs
        where sub_organization_id = ${person.tenant} and ${mentions(sql`payload::text`, person)}`,
    );
    const jobs = await removed(
      tx,
      sql`delete from graphile_worker._private_jobs where id in (${jobsOf(person)})`,
    );
    // Nobody may add a job to a queue that is deleted here: a job whose queue is gone never runs.
    await sql`lock table graphile_worker._private_job_queues in share row exclusive mode`.execute(tx);
    await sql`
      delete from graphile_worker._private_job_queues queue
      where ${mentions(sql`queue_name`, person)} and locked_at is null
        and not exists (select from graphile_worker._private_jobs job where job.job_queue_id = queue.id)`.execute(
      tx,
    );
    return { jobs: jobs + interrupted };
  },
};

/** The record of the person, with all its addresses; of its audit entries the content goes, whatever it was about then. */
const contactStore: PersonStore = {
  name: "contacts",
  count: async (db, person) => ({ contacts: await counted(db, contactsOf(person)) }),
  async removeSome(tx, person) {
    // What makes contacts by itself looks under this lock whether the person's sessions are still there.
    await lockBook(tx, person.tenant);
    const { rows } = await sql<{ id: number }>`
      delete from contacts where id in (${contactsOf(person)}) returning id`.execute(tx);
    const audit_entries_blanked = await removed(
      tx,
      sql`update audit_entries set before = null, after = '{"deleted": true}'::json
        where sub_organization_id = ${person.tenant} and resource = 'contacts'
          and resource_id = any(${rows.map(({ id }) => String(id))}::text[])`,
    );
    return { contacts: rows.length, audit_entries_blanked };
  },
};
const contactsOf = (person: ErasedPerson): RawBuilder<unknown> =>
  sql`select distinct contact_id from contact_addresses where ${ofPerson(person, "address")}`;

/** These leave alone what an attempt, a call or a turn is under way for. */
export const STORES_THAT_WAIT: readonly PersonStore[] = [requestStore, stepRequestStore, sessionStore];

/** In this order: what others refer to comes after them, and what may still be written comes last. */
export const PERSON_STORES: readonly PersonStore[] = [
  stepRequestStore,
  requestStore,
  sessionStore,
  storeOfTable(
    "texts",
    "text_messages",
    (person) => sql`select id from text_messages where ${ofPerson(person, "source")}`,
  ),
  mailStore,
  storeOfTable(
    "call_backs",
    "call_backs",
    (person) => sql`select id from call_backs where ${ofPerson(person, "target")}`,
  ),
  storeOfTable(
    "test_outreach",
    "test_outreach",
    (person) => sql`select id from test_outreach where ${ofPerson(person, "target")}`,
  ),
  uploadStore,
  inboxStore,
  lookupStore,
  // Index: events_person.
  storeOfTable(
    "events",
    "events",
    (person) => sql`select id from events where ${ofPerson(person, "user_id")}`,
  ),
  suppressionStore,
  consentStore,
  contactStore,
  storeOfTable(
    "session_views",
    "session_views",
    (person) => sql`
      select id from session_views
      where sub_organization_id = ${person.tenant}
        and ${mentions(sql`(name || ' ' || array_to_string(search_field_values, ' '))`, person)}`,
  ),
  testCaseStore,
  testRunStore,
  exportStore,
  jobStore,
  auditStore,
];
