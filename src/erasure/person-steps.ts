import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { isSealedDocument } from "../db/sealed-values.ts";
import { addressesOf, type CadencePerson, type CadenceStep } from "../planning/cadences/cadence.ts";
import { type ErasedPerson, loosePattern } from "./person-address.ts";
import { ofPerson } from "./person-store.ts";

/** Names a request. */
export type RequestKey = { batch_key: number; id: number };

/**
 * Requests that have another target, and whose campaign has reached the person by one of its further steps, or will: the
 * address lies in their variables. Index: attempts_target.
 */
export async function requestsOfSteps(db: Db, person: ErasedPerson): Promise<RequestKey[]> {
  const { rows: found } = await sql<RequestKey>`
    select distinct r.batch_key, r.id
    from (select batch_key, request_id from attempts where ${ofPerson(person, "target")}) a
    join requests r on r.batch_key = a.batch_key and r.id = a.request_id
    where ${hasAnotherTarget(person)}`.execute(db);
  const known = new Set(found.map(({ id }) => id));
  const { rows: batches } = await sql<{ key: number; steps: CadenceStep[] }>`
    select b.key, c.cadence -> 'steps' as steps from batches b join campaigns c on c.id = b.campaign_id
    where b.sub_organization_id = ${person.tenant} and c.cadence is not null
    order by b.key`.execute(db);
  for (const { key, steps } of batches)
    for (const id of await reachable(db, key, steps, person))
      if (!known.has(id)) found.push({ batch_key: key, id });
  return found;
}

const hasAnotherTarget = ({ spellings }: ErasedPerson): RawBuilder<unknown> =>
  sql`r.target <> all(${spellings}::text[])`;

const READ_AT_ONCE = 1_000;

/**
 * Variables spell an address as their file did, so those that may hold it are read, and asked as a step asks them. Of sealed
 * ones no statement can tell: all are read. Index: primary key of requests.
 */
async function reachable(
  db: Db,
  batch_key: number,
  steps: readonly CadenceStep[],
  person: ErasedPerson,
): Promise<number[]> {
  const found: number[] = [];
  for (let after = 0; ; ) {
    const { rows } = await sql<CadencePerson & { id: number; step_target: string | null }>`
      select r.id, r.target, r.step_target, r.request_variables as variables from requests r
      where r.batch_key = ${batch_key} and r.id > ${after} and ${hasAnotherTarget(person)}
        and (r.step_target = any(${person.spellings}::text[]) or ${isSealedDocument(sql`r.request_variables`)}
          or r.request_variables::text ~* any(${person.spellings.map(loosePattern)}::text[]))
      order by r.id limit ${READ_AT_ONCE}::bigint`.execute(db);
    const last = rows.at(-1);
    if (!last) return found;
    after = last.id;
    for (const { id, step_target, ...request } of rows)
      if ([step_target, ...addressesOf(steps, request)].some((one) => one && person.spellings.includes(one)))
        found.push(id);
  }
}
