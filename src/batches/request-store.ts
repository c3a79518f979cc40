import { type RawBuilder, sql } from "kysely";
import type { Normalise } from "../channels/address.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { RequestStatus } from "../channels/request-status.ts";
import { isOver, REQUEST_STATUSES } from "../channels/request-status.ts";
import { CopyRows, copyBigint, copyHead, copyInto, copyNull, copyText, copyTimestamp } from "../db/copy.ts";
import { isUniqueViolation, type Tx } from "../db/database.ts";
import { failureOf } from "../db/savepoint.ts";
import type { JsonSealer } from "../redaction/text-sealer.ts";
import { type Canceled, tellOfCanceled } from "./tell-of-canceled.ts";

/** A request on its way in: its target spelled the one way, or as it came where that is no address. */
export type NewRequest = {
  reference_id: string;
  target: string;
  valid: boolean;
  /** JSON, as it is stored. */
  request_variables: string;
};

/** `seal`: taken once for all requests that come in together. */
export function newRequest(
  input: { reference_id: string; target: string; request_variables: string },
  normalise: Normalise,
  seal: JsonSealer | null,
): NewRequest {
  const { reference_id, request_variables } = input;
  const target = normalise(input.target);
  return {
    reference_id,
    target: target ?? input.target,
    valid: target !== null,
    request_variables: seal ? seal(request_variables) : request_variables,
  };
}

const COLUMNS = sql`
  (batch_key, id, reference_id, target, request_status, channel_manager_status, due_at, created_at, request_variables)`;

type Into = { batch_key: number; at: Date };

const timestamp = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/**
 * Decides and stores what comes in, first come first served: a request is DUPLICATE if one that came before it, and is
 * or was to be tried, has its reference or its target. The unique indexes decide: they are exact whatever else is added
 * meanwhile, and need no memory. Returns how many were not accepted, duplicates and invalid ones.
 *
 * Window functions would be no faster, and wrong where a row is a duplicate by its reference only: that row would make the
 * next one with its target a duplicate, too, and nobody would reach that person.
 */
async function storeDeciding(
  tx: Tx,
  { batch_key, at }: Into,
  incoming: RawBuilder<unknown>,
): Promise<number> {
  const result = await sql`
    with incoming as ${incoming},
    accepted as (
      insert into requests ${COLUMNS}
      select ${batch_key}::bigint, id, reference_id, target, 'PENDING', 'PENDING', ${timestamp(at)}, ${timestamp(at)}, request_variables
      from incoming where valid
      order by id
      on conflict do nothing
      returning id
    )
    insert into requests ${COLUMNS}
    select ${batch_key}::bigint, id, reference_id, target, status, status, null, ${timestamp(at)}, request_variables
    from (select *, case when valid then 'DUPLICATE' else 'INVALID' end as status from incoming) as rest
    where not exists (select from accepted where accepted.id = rest.id)
    order by id
  `.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/** A few requests, in one statement. Returns how many are duplicates. */
export async function addRequests(tx: Tx, into: Into, requests: NewRequest[]): Promise<number> {
  const rejected = await storeDeciding(
    tx,
    into,
    sql`materialized (
      select nextval('requests_id_seq') as id, reference_id, target, valid, request_variables::json
      from json_to_recordset(${JSON.stringify(requests)}::json)
        as r (reference_id text, target text, valid boolean, request_variables text)
    )`,
  );
  return rejected - countInvalid(requests);
}

export const countInvalid = (requests: NewRequest[]): number => requests.filter(({ valid }) => !valid).length;

/** Requests on their way in, by the thousand. `chars`: of their texts, about as many bytes. */
type Chunk = { rows: CopyRows; count: number; chars: number; invalid: number };

/** `store` returns how many of a chunk are duplicates. */
type Intake = {
  chunk(): Chunk;
  add(chunk: Chunk, request: NewRequest): void;
  store(chunk: Chunk): Promise<number>;
};

/**
 * Stores chunks by COPY. Most lists have no duplicates, so chunks go straight into `requests` until one has. From then on
 * they go into a temporary table, and duplicates are decided from there, which takes half as long again.
 */
export function createIntake(tx: Tx, into: Into): Intake {
  const heads = headsOf(into);
  let trusting = true;
  let isStaging = false;

  return {
    chunk: () => ({ rows: new CopyRows(), count: 0, chars: 0, invalid: 0 }),
    add(chunk, { valid, reference_id, target, request_variables }) {
      chunk.rows.row(valid ? heads.waits : heads.invalid);
      chunk.rows.text(reference_id);
      chunk.rows.text(target);
      chunk.rows.text(request_variables);
      chunk.count++;
      chunk.chars += reference_id.length + target.length + request_variables.length;
      if (!valid) chunk.invalid++;
    },
    async store({ rows, invalid }) {
      const bytes = rows.end();
      trusting &&= await isAccepted(tx, () => copyInto(tx, `copy requests ${COPIED}`, bytes));
      if (trusting) return 0;
      if (!isStaging) await createStaging(tx);
      isStaging = true;
      await copyInto(tx, `copy staged_requests ${COPIED}`, bytes);
      const rejected = await storeDeciding(tx, into, ALL_STAGED);
      // Made in this very transaction, the table is emptied on the spot.
      await sql`truncate staged_requests`.execute(tx);
      return rejected - invalid;
    },
  };
}

const COPIED = `
  (batch_key, request_status, channel_manager_status, due_at, created_at, reference_id, target, request_variables)
  from stdin (format binary)`;

/** What all requests of a file begin with: `COPIED`, up to the reference. */
function headsOf({ batch_key, at }: Into): { waits: Buffer; invalid: Buffer } {
  const head = (status: RequestStatus & ChannelStatus, due_at: Buffer) =>
    copyHead(8, [copyBigint(batch_key), copyText(status), copyText(status), due_at, copyTimestamp(at)]);
  return { waits: head("PENDING", copyTimestamp(at)), invalid: head("INVALID", copyNull) };
}

const createStaging = (tx: Tx): Promise<unknown> =>
  sql`create temp table staged_requests (
    batch_key bigint not null,
    id bigint not null default nextval('requests_id_seq'),
    reference_id text collate "C" not null,
    target text collate "C" not null,
    request_status text not null,
    channel_manager_status text not null,
    due_at timestamptz,
    created_at timestamptz not null,
    request_variables json not null
  ) on commit drop`.execute(tx);

const ALL_STAGED = sql`not materialized (select *, request_status <> 'INVALID' as valid from staged_requests)`;

/** False, and undone, when a unique index refuses it. */
async function isAccepted(tx: Tx, change: () => Promise<unknown>): Promise<boolean> {
  const error = await failureOf(tx, change);
  if (error !== null && !isUniqueViolation(error)) throw error;
  return error === null;
}

/** Takes back what waits, by reference. Returns the references it found; the others are under way, over or unknown. */
export const removeRequests = async (
  tx: Tx,
  { key, at }: { key: number; at: Date },
  reference_ids: string[],
): Promise<string[]> =>
  (await cancel(tx, key, at, sql`r.reference_id = any(${reference_ids}::text[])`)).map(
    ({ reference_id }) => reference_id,
  );

/**
 * Up to so many of those that wait; returns their number. `at` null: when the batch itself was over. Index:
 * `requests_waiting`.
 */
export const cancelPending = async (
  tx: Tx,
  batch_key: number,
  at: Date | null,
  most: number,
): Promise<number> => (await cancel(tx, batch_key, at, sql`true limit ${most}`)).length;

/** Tells the campaign's webhooks, too. */
async function cancel(
  tx: Tx,
  batch_key: number,
  at: Date | null,
  which: RawBuilder<unknown>,
): Promise<Canceled[]> {
  // One that an attempt is just being started for is no longer PENDING when its lock is given back. Each row is found by
  // its whole key: of a batch that PostgreSQL has not counted yet, all would be compared with all else.
  const { rows } = await sql<Canceled>`
    with waiting as (
      select r.batch_key, r.id, r.reference_id, r.channel_manager_status as previous, r.attempt_count
      from requests r
      where r.batch_key = ${batch_key} and r.request_status = 'PENDING' and ${which}
      for update
    )
    update requests r set request_status = 'CANCELED', channel_manager_status = 'CANCELED', due_at = null
    from waiting
    where r.batch_key = waiting.batch_key and r.id = waiting.id
    returning waiting.id, waiting.reference_id, waiting.previous, waiting.attempt_count`.execute(tx);
  await tellOfCanceled(tx, batch_key, rows, at);
  return rows;
}

const UNFINISHED = REQUEST_STATUSES.filter((status) => !isOver(status));

/** Whether somebody is still to be reached, or being reached. */
export async function hasUnfinished(tx: Tx, batch_key: number): Promise<boolean> {
  const found = await tx
    .selectFrom("requests")
    .select("id")
    .where("batch_key", "=", batch_key)
    .where("request_status", "in", UNFINISHED)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
