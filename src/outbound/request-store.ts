import { type RawBuilder, sql } from "kysely";
import { copyField, copyInto, type Db, type Tx } from "../db/database.ts";
import type { Normalise } from "./address.ts";
import type { BatchDetails } from "./batch-schema.ts";
import { isOver, REQUEST_STATUSES } from "./statuses.ts";

/** A request on its way in: its target spelled the one way, or as it came where that is no address. */
export type NewRequest = {
  reference_id: string;
  target: string;
  valid: boolean;
  /** JSON. */
  request_variables: string;
};

export function newRequest(
  input: { reference_id: string; target: string; request_variables: string },
  normalise: Normalise,
): NewRequest {
  const target = normalise(input.target);
  return { ...input, target: target ?? input.target, valid: target !== null };
}

/**
 * Decides and stores what comes in, first come first served: a request is DUPLICATE if one that came before it, and is
 * or was to be tried, has its reference or its target. The unique indexes decide: they are exact whatever else is added
 * meanwhile, and need no memory. Returns how many were not accepted.
 *
 * Against an insert that trusts its rows to be unique this costs half as much again (1.1 s for 737 ms, 100,000 rows).
 * Finding duplicates by window functions is no faster and wrong where a row is a duplicate by its reference only: it
 * would then stand in the way of the next one with its target, and nobody would reach that person.
 */
async function store(tx: Tx, batch_key: number, at: Date, incoming: RawBuilder<unknown>): Promise<number> {
  const now = sql`${at.toISOString()}::timestamptz`;
  const result = await sql`
    with incoming as ${incoming},
    accepted as (
      insert into requests
        (batch_key, id, reference_id, target, request_status, channel_manager_status, due_at, created_at, request_variables)
      select ${batch_key}::bigint, id, reference_id, target, 'PENDING', 'PENDING', ${now}, ${now}, request_variables
      from incoming where valid
      order by id
      on conflict do nothing
      returning id
    )
    insert into requests
      (batch_key, id, reference_id, target, request_status, channel_manager_status, due_at, created_at, request_variables)
    select ${batch_key}::bigint, id, reference_id, target, status, status, null, ${now}, request_variables
    from (select *, case when valid then 'DUPLICATE' else 'INVALID' end as status from incoming) as rest
    where not exists (select from accepted where accepted.id = rest.id)
    order by id
  `.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/** A few requests, in one statement. */
export const addRequests = (tx: Tx, batch_key: number, at: Date, requests: NewRequest[]): Promise<number> =>
  store(
    tx,
    batch_key,
    at,
    sql`materialized (
      select nextval('requests_id_seq') as id, reference_id, target, valid, request_variables::json
      from json_to_recordset(${JSON.stringify(requests)}::json)
        as r (reference_id text, target text, valid boolean, request_variables text)
    )`,
  );

/** Where a file's rows wait for `addStaged`: unlogged, seen by nobody else, gone with the transaction. */
export async function createStaging(tx: Tx): Promise<void> {
  await sql`create temp table staged_requests (
    id bigint not null default nextval('requests_id_seq'),
    reference_id text collate "C" not null,
    target text collate "C" not null,
    valid boolean not null,
    request_variables json not null
  ) on commit drop`.execute(tx);
}

/** A line for `addStaged`. */
export const stagedLine = ({ reference_id, target, valid, request_variables }: NewRequest): string =>
  `${copyField(reference_id)}\t${copyField(target)}\t${valid ? "t" : "f"}\t${copyField(request_variables)}\n`;

/** Many requests, as `stagedLine`s: COPY takes 0.1 s for 100,000 of them, a JSON document or arrays several times that. */
export async function addStaged(tx: Tx, batch_key: number, at: Date, lines: string): Promise<number> {
  await copyInto(
    tx,
    "copy staged_requests (reference_id, target, valid, request_variables) from stdin",
    lines,
  );
  const rest = await store(tx, batch_key, at, sql`not materialized (select * from staged_requests)`);
  // Made in this very transaction, the table is emptied on the spot.
  await sql`truncate staged_requests`.execute(tx);
  return rest;
}

/** Takes back what waits, by reference. Returns the references it found; the others are under way, over or unknown. */
export async function removeRequests(tx: Tx, batch_key: number, reference_ids: string[]): Promise<string[]> {
  const removed = await tx
    .updateTable("requests")
    .set(CANCELED)
    .where("batch_key", "=", batch_key)
    .where("request_status", "=", sql.lit("PENDING"))
    .where("reference_id", "=", sql<string>`any(${reference_ids}::text[])`)
    .returning("reference_id")
    .execute();
  return removed.map((row) => row.reference_id);
}

/** All that wait; returns their number. */
export async function cancelPending(tx: Tx, batch_key: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("requests")
    .set(CANCELED)
    .where("batch_key", "=", batch_key)
    .where("request_status", "=", sql.lit("PENDING"))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

const CANCELED = { request_status: "CANCELED", channel_manager_status: "CANCELED", due_at: null };

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

type Counts = Required<Pick<BatchDetails, "status_counts" | "detailed_status_counts">>;

/** `reading`: rows of a file that is being read; they will be stored all at once or not at all. */
export async function countRequests(db: Db, batch_key: number, reading: number): Promise<Counts> {
  const rows = await db
    .selectFrom("requests")
    .select(["request_status", "channel_manager_status", sql<number>`count(*)`.as("n")])
    .where("batch_key", "=", batch_key)
    .groupBy(["request_status", "channel_manager_status"])
    .execute();
  return tally(
    reading > 0
      ? [...rows, { request_status: "PENDING", channel_manager_status: "PENDING", n: reading }]
      : rows,
  );
}

function tally(rows: { request_status: string; channel_manager_status: string; n: number }[]): Counts {
  const status_counts: Record<string, number> = {};
  const detailed: Record<string, { total_count: number; counts: Record<string, number> }> = {};
  for (const { request_status, channel_manager_status, n } of rows) {
    status_counts[request_status] = (status_counts[request_status] ?? 0) + n;
    detailed[request_status] ??= { total_count: 0, counts: {} };
    const { counts } = detailed[request_status];
    detailed[request_status].total_count += n;
    counts[channel_manager_status] = (counts[channel_manager_status] ?? 0) + n;
  }
  return { status_counts, detailed_status_counts: detailed };
}
