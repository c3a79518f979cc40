import { sql } from "kysely";
import { z } from "zod";
import { lockBook } from "../address-book/contact-store.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import { failureOf } from "../db/savepoint.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";

/*
 * Gives whoever calls or writes a contact, where their organization asks for it. A job does it once a minute, so that no
 * call and no turn waits for it. It looks at sessions in the order of their ids, all organizations' in one pass, and notes
 * how far it came with the contacts that it made: a run that dies makes none twice and leaves none out.
 */
const takeCallers: Job<object> = {
  name: "contacts-from-sessions",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Sessions of one transaction, which holds their books for some hundredths of a second. */
const AT_ONCE = 5_000;
/** A session with a lower id may still be stored meanwhile. */
const SETTLED_AFTER_ms = 60_000;
/** Who made and last changed such a contact, as the list shows it. */
const MADE_BY = "inbound sessions";

type Deps = { db: Db; clock: Clock; log: Log };
type InboundCaller = { tenant: number; address: string };

export const takeCallersJob = (deps: Deps): JobHandler =>
  handle(takeCallers, async (_, { stopping }) => {
    while (!stopping.aborted && (await takeSomeCallers(deps)));
  });

/** False: all that may be looked at was. */
export const takeSomeCallers = ({ db, clock, log }: Deps): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows: heads } = await sql<{ after: number }>`
      select after_session as after from contact_intake
      where exists (select from organizations where contacts_from_sessions_since is not null)
      for update`.execute(tx);
    const after = heads[0]?.after;
    if (after === undefined) return false;
    const now = clock.now();
    const { upto, seen } = await settledSessions(tx, after, now);
    const byTenant = Map.groupBy(await readCallers(tx, after, upto ?? after), ({ tenant }) => tenant);
    // In one order, so that two that hold several books don't wait for each other.
    for (const tenant of [...byTenant.keys()].toSorted((a, b) => a - b)) {
      const addresses = (byTenant.get(tenant) ?? []).map(({ address }) => address);
      const error = await failureOf(tx, () => makeContacts(tx, { tenant, addresses, at: now }));
      if (error) log.error({ err: error, sub_organization_id: tenant }, "callers could not be made contacts");
      await noteBehind(tx, { tenant, after, isBehind: error !== null });
    }
    await forgetCaughtUp(tx, [...byTenant.keys()]);
    if (upto === null) return false;
    await sql`update contact_intake set after_session = ${upto}`.execute(tx);
    return seen === AT_ONCE;
  });

type Behind = { tenant: number; after: number; isBehind: boolean };

/** The first session it was behind at stays. */
const noteBehind = (tx: Tx, { tenant, after, isBehind }: Behind): Promise<unknown> =>
  isBehind
    ? sql`
        insert into contact_intake_behind (sub_organization_id, after_session) values (${tenant}, ${after})
        on conflict (sub_organization_id) do nothing`.execute(tx)
    : sql`delete from contact_intake_behind where sub_organization_id = ${tenant}`.execute(tx);

/** Who has no callers left, or no longer wants them as contacts, would be looked at from the same session for ever. */
const forgetCaughtUp = (tx: Tx, with_callers: number[]): Promise<unknown> =>
  sql`delete from contact_intake_behind where sub_organization_id <> all(${with_callers}::bigint[])`.execute(
    tx,
  );

/** The last of the sessions after this one before the first that is too young. Index: sessions_pkey. */
async function settledSessions(tx: Tx, after: number, now: Date) {
  const [from, to] = [-SETTLED_AFTER_ms, SETTLED_AFTER_ms].map((ms) =>
    new Date(now.getTime() + ms).toISOString(),
  );
  const { rows } = await sql<{ upto: number | null; seen: number }>`
    with next as (
      select id, timestamp between ${from}::timestamptz and ${to}::timestamptz as is_young
      from sessions where id > ${after} order by id limit ${AT_ONCE}::bigint
    )
    select max(id) as upto, count(*) as seen from next
    where id < coalesce((select min(id) from next where is_young), 9223372036854775807)`.execute(tx);
  return rows[0] as { upto: number | null; seen: number };
}

/**
 * By telephone, text, WhatsApp and e-mail; a visitor of a chat page has no address. Of a sub-organization that is behind,
 * from where it is on.
 */
async function readCallers(tx: Tx, after: number, upto: number): Promise<InboundCaller[]> {
  const { rows } = await sql<InboundCaller>`
    with taken as (
      select id from sessions where id > ${after} and id <= ${upto}
      union
      select s.id from contact_intake_behind b
      join sessions s on s.sub_organization_id = b.sub_organization_id and s.id > b.after_session and s.id <= ${upto}
    )
    select distinct s.sub_organization_id as tenant, s.source as address
    from taken
    join sessions s using (id)
    join sub_organizations t on t.id = s.sub_organization_id
    join organizations o on o.id = t.organization_id
    where s.timestamp >= o.contacts_from_sessions_since
      and not s.is_outbound and not s.is_test and s.channel <> 'chat'
      and (s.source ~ '^\\+[0-9]{6,15}$' or s.source like '%_@_%')`.execute(tx);
  return rows;
}

/**
 * Under the book's lock the sessions are looked up once more: an erasure that deleted them since takes the same lock before
 * it deletes the contact. Indexes: contact_addresses_pkey, sessions_person.
 */
async function makeContacts(
  tx: Tx,
  { tenant, addresses, at }: { tenant: number; addresses: string[]; at: Date },
): Promise<void> {
  await lockBook(tx, tenant);
  const stamp = sql`${at.toISOString()}::timestamptz`;
  await sql`
    with given as (
      select u.address, row_number() over () as n from unnest(${addresses}::text[]) as u (address)
      where exists (select from sessions s where s.sub_organization_id = ${tenant} and s.source = u.address)
        and not exists (
          select from contact_addresses a
          where a.sub_organization_id = ${tenant} and a.address = u.address collate "C")
        and not exists (
          select from channel_targets c where c.sub_organization_id = ${tenant} and c.target = u.address)
    ),
    made as (
      insert into contacts (sub_organization_id, created_at, updated_at, last_updated_by)
      select ${tenant}, ${stamp}, ${stamp}, ${MADE_BY} from given
      returning id
    ),
    numbered as (select id, row_number() over () as n from made)
    insert into contact_addresses (sub_organization_id, address, contact_id, linked_at, linked_through)
    select ${tenant}, address, numbered.id, ${stamp}, 'session' from given join numbered using (n)`.execute(
    tx,
  );
}
