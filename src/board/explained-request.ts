import { sql } from "kysely";
import type { z } from "zod";
import type { RequestStatus } from "../batches/batch-schema.ts";
import type { Db } from "../db/database.ts";
import { type Candidate, WAITS_FOR_FIRST, WAITS_FOR_RETRY, waitsForStep } from "../dialing/candidates.ts";
import { MOST_STEPS } from "../planning/cadences/cadence.ts";

/** A request whose next step is explained: what the dialer reads of a candidate, and how it stands. */
export type ExplainedRequest = Omit<Candidate, "counted_on" | "due_at"> & {
  request_status: z.output<typeof RequestStatus>;
  due_at: string | null;
  skip_reason: { reason: string; text: string } | null;
};

/** Of several that bear the reference (duplicates, canceled ones) the one that is or was to be tried. */
export async function findRequest(
  db: Db,
  batch_key: number,
  reference_id: string,
): Promise<ExplainedRequest | undefined> {
  const { rows } = await sql<ExplainedRequest>`
    select ${REQUEST_COLUMNS}
    from requests r where batch_key = ${batch_key} and reference_id = ${reference_id}
    order by request_status in ('DUPLICATE', 'INVALID', 'CANCELED'), id limit 1`.execute(db);
  return rows[0];
}

/** The request whose turn comes first, however long it is put off. Index: `requests_waiting`. */
export async function firstWaiting(db: Db, batch_key: number): Promise<ExplainedRequest | undefined> {
  const { rows } = await sql<ExplainedRequest>`
    select * from (
      (select ${REQUEST_COLUMNS} from requests r where r.batch_key = ${batch_key} and ${WAITS_FOR_RETRY}
        order by r.due_at, r.id limit 1)
      union all
      (select ${REQUEST_COLUMNS} from requests r where r.batch_key = ${batch_key} and ${WAITS_FOR_FIRST}
        order by r.due_at, r.id limit 1)
      union all
      (select step.* from unnest(${STEPS}::integer[]) w (n)
        cross join lateral (
          select ${REQUEST_COLUMNS} from requests r where r.batch_key = ${batch_key} and ${waitsForStep(sql`w.n`)}
          order by r.due_at, r.id limit 1) step)
    ) r order by due_at, request_id limit 1`.execute(db);
  return rows[0];
}

const STEPS = Array.from({ length: MOST_STEPS }, (_, step) => step + 1);
const REQUEST_COLUMNS = sql`
  r.batch_key, r.id as request_id, r.reference_id, coalesce(r.step_target, r.target) as target,
  r.target as request_target, r.step, r.step_log, r.channel_manager_status as channel_status,
  r.attempt_count, r.refusals, r.call_back_after, r.due_at, r.request_variables, r.enrichment,
  r.request_status, r.skip_reason`;
