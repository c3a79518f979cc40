import { type RawBuilder, sql } from "kysely";
import { containing } from "../api/list.ts";
import { SEALED_MARK } from "../base/sealed-text.ts";
import type { Db, Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import { deleteMails, deleteSessions, SESSIONS_AT_ONCE } from "./delete-sessions.ts";
import { type DeletedCounts, removed } from "./deleted-counts.ts";
import { listFiles } from "./files-to-remove.ts";
import type { ErasedPerson } from "./person-address.ts";

/*
 * Everywhere that something of a person is stored: how it is counted, and how some of it is deleted in one transaction.
 * `test/contract/erasure/erase-person.test.ts` writes through every store and searches all columns afterwards, so a store
 * that is missing here fails there.
 */
export type PersonStore = {
  name: string;
  count(db: Db, person: ErasedPerson): Promise<DeletedCounts>;
  /** Deletes a bounded number; all zeros: nothing is left. */
  removeSome(tx: Tx, person: ErasedPerson, now: Date): Promise<DeletedCounts>;
};

const MOST_ROWS = 1_000;

/** Indexes: sessions_person, sessions_claimed. */
export const sessionsOf = ({ tenant, spellings }: ErasedPerson): RawBuilder<unknown> => sql`
  select id from sessions where sub_organization_id = ${tenant} and source = any(${spellings}::text[])
  union
  select id from sessions where sub_organization_id = ${tenant} and claimed_user = any(${spellings}::text[])`;

const of = ({ tenant, spellings }: ErasedPerson, column: string): RawBuilder<unknown> =>
  sql`sub_organization_id = ${tenant} and ${sql.ref(column)} = any(${spellings}::text[])`;

const mailsOf = (person: ErasedPerson): RawBuilder<unknown> =>
  sql`id in (select id from mail_messages where direction = 'in' and ${of(person, "from_address")}
    union all select id from mail_messages where direction = 'out' and ${of(person, "to_address")})`;

/** Each batch by itself: requests_target has those that count, requests_target_out the others. */
const requestsOf = ({ tenant, spellings }: ErasedPerson): RawBuilder<unknown> => sql`
  select request.batch_key, request.id from batches batch cross join lateral (
    select batch_key, id from requests
    where batch_key = batch.key and target = any(${spellings}::text[])
      and request_status not in ('DUPLICATE', 'INVALID', 'CANCELED')
    union all
    select batch_key, id from requests
    where batch_key = batch.key and target = any(${spellings}::text[])
      and request_status in ('DUPLICATE', 'INVALID', 'CANCELED')
  ) as request
  where batch.sub_organization_id = ${tenant}`;

const mentions = (text: RawBuilder<unknown>, { spellings }: ErasedPerson): RawBuilder<unknown> =>
  sql`(${sql.join(
    spellings.map((spelling) => sql`${text} ilike ${containing(spelling)}`),
    sql` or `,
  )})`;

/** An inbox keeps its latest messages only, so they are read. */
const inboxMessagesOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select m.id from webhook_inbox_messages m join webhook_inboxes i on i.id = m.inbox_id
  where i.sub_organization_id = ${person.tenant} and ${mentions(sql`m.body || m.headers::text`, person)}`;

/**
 * Those, and the sealed ones that quote the address: no statement can look into these, and an inbox has a hundred. What is
 * read is opened on its way.
 */
async function inboxMessageIds(db: Db, person: ErasedPerson): Promise<number[]> {
  const { rows: plain } = await sql<{ id: number }>`${inboxMessagesOf(person)}`.execute(db);
  const { rows: sealed } = await sql<{ id: number; body: string }>`
    select m.id, m.body from webhook_inbox_messages m join webhook_inboxes i on i.id = m.inbox_id
    where i.sub_organization_id = ${person.tenant} and m.body like ${`${SEALED_MARK}%`}::text`.execute(db);
  const quoted = sealed.filter(({ body }) =>
    person.spellings.some((spelling) => body.toLowerCase().includes(spelling.toLowerCase())),
  );
  return [...plain, ...quoted].map(({ id }) => id);
}

const inboxStore: PersonStore = {
  name: "webhook_inbox_messages",
  count: async (db, person) => ({ webhook_inbox_messages: (await inboxMessageIds(db, person)).length }),
  removeSome: async (tx, person) => {
    const ids = await inboxMessageIds(tx, person);
    return {
      webhook_inbox_messages: await removed(
        tx,
        sql`delete from webhook_inbox_messages where id = any(${ids}::bigint[])`,
      ),
    };
  },
};

/** Entries that quote the address. */
const auditEntriesOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select id from audit_entries
  where sub_organization_id = ${person.tenant}
    and ${mentions(sql`(coalesce(before::text, '') || coalesce(after::text, '') || coalesce(resource_id, ''))`, person)}`;

const filesOf = (person: ErasedPerson): RawBuilder<unknown> =>
  sql`select id from insight_files where ${of(person, "customer_number")}`;

const jobsOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select id from graphile_worker._private_jobs
  where flags ? ${`tenant:${person.tenant}`} and ${mentions(sql`(payload::text || coalesce(key, ''))`, person)}
    and locked_at is null`;

async function counted(db: Db, rows: RawBuilder<unknown>): Promise<number> {
  const { rows: found } = await sql<{ n: number }>`select count(*) as n from (${rows}) as found`.execute(db);
  return found[0]?.n ?? 0;
}

/** A store of one table whose rows have an id. */
const simple = (
  name: string,
  table: string,
  rowsOf: (person: ErasedPerson) => RawBuilder<unknown>,
): PersonStore => ({
  name,
  count: async (db, person) => ({ [name]: await counted(db, rowsOf(person)) }),
  removeSome: async (tx, person) => ({
    [name]: await removed(
      tx,
      sql`delete from ${sql.table(table)} where id in (select id from (${rowsOf(person)}) as found limit ${MOST_ROWS}::bigint)`,
    ),
  }),
});

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

const requestStore: PersonStore = {
  name: "requests",
  async count(db, person) {
    const deliveries = sql`
      select d.key from (${requestsOf(person)}) as r join webhook_deliveries d on d.request_id = r.id and not d.is_test`;
    return {
      requests: await counted(db, requestsOf(person)),
      attempts: await counted(db, sql`select key from attempts where ${of(person, "target")}`),
      webhook_deliveries: await counted(db, deliveries),
    };
  },
  async removeSome(tx, person) {
    // Locked by a statement of its own, so that the next one sees the attempt of a claim that was under way.
    const locked = await sql<{ id: number }>`
      select r.id from requests r
      join (select batch_key, id from (${requestsOf(person)}) as all_of_them limit ${MOST_ROWS}::bigint) as found
        on found.batch_key = r.batch_key and found.id = r.id
      for update of r`.execute(tx);
    const { rows } = await sql<{ id: number; batch_key: number; reference_id: string }>`
      with found as (select batch_key, id from (${requestsOf(person)}) as all_of_them
        where id = any(${locked.rows.map(({ id }) => id)}::bigint[]))
      delete from requests r using found where r.batch_key = found.batch_key and r.id = found.id
        and not exists (select from attempts a where ${of(person, "a.target")} and a.request_id = r.id and a.state <> 'ENDED')
        and not exists (
          select from batches b join attempts a on a.campaign_id = b.campaign_id and a.reference_id = r.reference_id
          where b.key = r.batch_key and a.request_id = r.id and a.state <> 'ENDED')
      returning r.id, r.batch_key, r.reference_id`.execute(tx);
    const ids = rows.map(({ id }) => id);
    const gone = await sql<{ key: number }>`
      delete from webhook_deliveries where request_id = any(${ids}::bigint[]) and not is_test
      returning key`.execute(tx);
    const keys = gone.rows.map(({ key }) => key);
    await sql`delete from webhook_outbox where delivery_key = any(${keys}::bigint[])`.execute(tx);
    const tries = await removed(
      tx,
      sql`delete from webhook_tries where delivery_key = any(${keys}::bigint[])`,
    );
    const attempts = await removed(
      tx,
      sql`delete from attempts where key in (
        select key from attempts where ${of(person, "target")} and state = 'ENDED' limit ${MOST_ROWS}::bigint)`,
    );
    // Steps of a campaign may have reached the person at another address. Index: attempts_reference.
    const steps = await removed(
      tx,
      sql`delete from attempts where key in (
        select a.key
        from json_to_recordset(${JSON.stringify(rows)}::json) as w (id bigint, batch_key bigint, reference_id text)
        join batches b on b.key = w.batch_key
        cross join lateral (
          select key from attempts
          where campaign_id = b.campaign_id and reference_id = w.reference_id and batch_key = w.batch_key
            and request_id = w.id ${FOR_EACH}
        ) a)`,
    );
    return {
      ...{ requests: rows.length, webhook_deliveries: keys.length, webhook_tries: tries },
      attempts: attempts + steps,
    };
  },
};

const uploadStore: PersonStore = {
  name: "uploads",
  count: async (db, person) => ({ uploads: await counted(db, filesOf(person)) }),
  async removeSome(tx, person) {
    const { rows } = await sql<{ id: number; object_key: string }>`
      select id, object_key from insight_files where ${of(person, "customer_number")} order by id
      limit ${SESSIONS_AT_ONCE}::bigint for update`.execute(tx);
    const ids = sql`any(${rows.map(({ id }) => id)}::bigint[])`;
    const insight_results = await removed(tx, sql`delete from insight_outputs where upload_file_id = ${ids}`);
    const insight_executions = await removed(
      tx,
      sql`delete from insight_executions where upload_file_id = ${ids}`,
    );
    await removed(tx, sql`delete from insight_files where id = ${ids}`);
    await listFiles(
      tx,
      person.tenant,
      rows.map(({ object_key }) => object_key),
    );
    return { uploads: rows.length, insight_results, insight_executions };
  },
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
    suppressions_kept: await counted(db, sql`select id from suppressions where ${of(person, "address")}`),
  }),
  removeSome: async (tx, person) => ({
    suppressions_blanked: await removed(
      tx,
      sql`update suppressions set said = null, message_id = null, session_id = null, comment = null, lifted_said = null,
          lifted_message_id = null
        where ${of(person, "address")}
          and num_nonnulls(said, message_id, session_id, comment, lifted_said, lifted_message_id) > 0`,
    ),
  }),
};

/** Kept as proof that somebody was reached rightly, without what tells more than the address; none of them holds any more. */
const consentStore: PersonStore = {
  name: "consents_kept",
  count: async (db, person) => ({
    consents_kept: await counted(db, sql`select id from consents where ${of(person, "address")}`),
  }),
  removeSome: async (tx, person, now) => ({
    consents_blanked: await removed(
      tx,
      sql`update consents set wording = null, evidence = null, revoked_said = null,
          revoked_at = coalesce(revoked_at, ${now.toISOString()}::timestamptz), revoked_through = coalesce(revoked_through, 'erasure')
        where ${of(person, "address")}
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

/** A run keeps the cases it was begun with; one that quotes the address keeps only its results. */
const testRunStore: PersonStore = {
  name: "test_runs_blanked",
  count: async (db, person) => ({ test_runs_blanked: await counted(db, testRunsOf(person)) }),
  removeSome: async (tx, person) => ({
    test_runs_blanked: await removed(
      tx,
      sql`update test_runs set cases = '[]'
        where id in (select id from (${testRunsOf(person)}) as found limit ${MOST_ROWS}::bigint)`,
    ),
  }),
};
const testRunsOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select id from test_runs where sub_organization_id = ${person.tenant} and ${mentions(sql`cases::text`, person)}`;

/** In this order: what others refer to comes after them, and what may still be written comes last. */
export const PERSON_STORES: readonly PersonStore[] = [
  requestStore,
  sessionStore,
  simple(
    "texts",
    "text_messages",
    (person) => sql`select id from text_messages where ${of(person, "source")}`,
  ),
  mailStore,
  simple(
    "call_backs",
    "call_backs",
    (person) => sql`select id from call_backs where ${of(person, "target")}`,
  ),
  uploadStore,
  inboxStore,
  lookupStore,
  // Index: events_person.
  simple("events", "events", (person) => sql`select id from events where ${of(person, "user_id")}`),
  suppressionStore,
  consentStore,
  simple(
    "session_views",
    "session_views",
    (person) => sql`
      select id from session_views
      where sub_organization_id = ${person.tenant}
        and ${mentions(sql`(name || ' ' || array_to_string(search_field_values, ' '))`, person)}`,
  ),
  simple(
    "test_cases",
    "test_cases",
    (person) => sql`
      select id from test_cases
      where sub_organization_id = ${person.tenant} and ${mentions(sql`definition::text`, person)}`,
  ),
  testRunStore,
  exportStore,
  jobStore,
  auditStore,
];
