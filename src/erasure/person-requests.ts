import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import { deleteDeliveries } from "../webhooks/delete-deliveries.ts";
import { type DeletedCounts, removed } from "./deleted-counts.ts";
import type { ErasedPerson } from "./person-address.ts";
import { type RequestKey, requestsOfSteps } from "./person-steps.ts";
import { counted, MOST_ROWS, ofPerson, type PersonStore } from "./person-store.ts";

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

const theseRequests = (keys: readonly RequestKey[]): RawBuilder<unknown> =>
  sql`select batch_key, id from json_to_recordset(${JSON.stringify(keys)}::json) as k (batch_key bigint, id bigint)`;

/** A step of a campaign may be reaching the person at an address that nothing links with theirs. Index: attempts_reference. */
export async function isStepUnderWay(db: Db, person: ErasedPerson): Promise<boolean> {
  const { rows } = await sql`
    select from (${requestsOf(person)} union all ${theseRequests(await requestsOfSteps(db, person))}) as found
    join requests r on r.batch_key = found.batch_key and r.id = found.id
    join batches b on b.key = r.batch_key
    cross join lateral (
      select key from attempts
      where campaign_id = b.campaign_id and reference_id = r.reference_id and request_id = r.id and state <> 'ENDED' ${FOR_EACH}
    ) a
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Steps of a campaign may have reached the person at another address. Index: attempts_reference. */
const attemptsOf = (requests: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select a.key
  from (${requests}) as found join requests r on r.batch_key = found.batch_key and r.id = found.id
  join batches b on b.key = r.batch_key
  cross join lateral (
    select key from attempts
    where campaign_id = b.campaign_id and reference_id = r.reference_id and batch_key = r.batch_key
      and request_id = r.id ${FOR_EACH}
  ) a`;

const countDeliveries = (db: Db, requests: RawBuilder<unknown>): Promise<number> =>
  counted(
    db,
    sql`select d.key from (${requests}) as r join webhook_deliveries d on d.request_id = r.id and not d.is_test`,
  );

/** Deletes these, but those that an attempt is under way for, with what webhooks were told of them and all their attempts. */
async function removeRequests(
  tx: Tx,
  person: ErasedPerson,
  found: RawBuilder<unknown>,
): Promise<DeletedCounts> {
  const chosen = await sql<RequestKey>`
    select batch_key, id from (${found}) as all_of_them limit ${MOST_ROWS}::bigint`.execute(tx);
  // Attempts before their requests, as settlement locks them: a carrier may tell of one long after its end.
  await sql`
    select from attempts where key in (${attemptsOf(theseRequests(chosen.rows))}) order by key for update`.execute(
    tx,
  );
  // Locked by a statement of its own, so that the next one sees the attempt of a claim that was under way.
  const locked = await sql<RequestKey>`
    select r.batch_key, r.id from requests r join (${theseRequests(chosen.rows)}) as found
      on found.batch_key = r.batch_key and found.id = r.id
    for update of r`.execute(tx);
  const { rows } = await sql<RequestKey & { reference_id: string }>`
    with found as (${theseRequests(locked.rows)})
    delete from requests r using found where r.batch_key = found.batch_key and r.id = found.id
      and not exists (select from attempts a where ${ofPerson(person, "a.target")} and a.request_id = r.id and a.state <> 'ENDED')
      and not exists (
        select from batches b join attempts a on a.campaign_id = b.campaign_id and a.reference_id = r.reference_id
        where b.key = r.batch_key and a.request_id = r.id and a.state <> 'ENDED')
    returning r.id, r.batch_key, r.reference_id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  const told = await deleteDeliveries(tx, sql`request_id = any(${ids}::bigint[]) and not is_test`);
  // Steps of a campaign may have reached the person at another address. Index: attempts_reference.
  const attempts = await removed(
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
  const { deliveries: webhook_deliveries, tries: webhook_tries } = told;
  return { requests: rows.length, webhook_deliveries, webhook_tries, attempts };
}

export const requestStore: PersonStore = {
  name: "requests",
  count: async (db, person) => ({
    requests: await counted(db, requestsOf(person)),
    attempts: await counted(db, sql`select key from attempts where ${ofPerson(person, "target")}`),
    webhook_deliveries: await countDeliveries(db, requestsOf(person)),
  }),
  async removeSome(tx, person) {
    const found = await removeRequests(tx, person, requestsOf(person));
    const attempts = await removed(
      tx,
      sql`delete from attempts where key in (
        select key from attempts where ${ofPerson(person, "target")} and state = 'ENDED' limit ${MOST_ROWS}::bigint)`,
    );
    return { ...found, attempts: (found.attempts ?? 0) + attempts };
  },
};

/** Before the others: what was tried at the address tells of these, too. */
export const stepRequestStore: PersonStore = {
  name: "requests_by_step",
  looks_once_below: MOST_ROWS,
  async count(db, person) {
    const found = theseRequests(await requestsOfSteps(db, person));
    return { requests: await counted(db, found), webhook_deliveries: await countDeliveries(db, found) };
  },
  removeSome: async (tx, person) =>
    removeRequests(tx, person, theseRequests(await requestsOfSteps(tx, person))),
};
