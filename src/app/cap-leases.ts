import { sql } from "kysely";
import { z } from "zod";
import { CLOCK_SET_BACK_MS } from "../base/clock.ts";
import { LINE_LEASE_MS } from "../calls/lines/line-store.ts";
import type { Db } from "../db/database.ts";
import * as executions from "../executions/claim.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { LEASE_MS as SESSION_LEASE_MS } from "../sessions/lease.ts";
import { TOKEN_LEASE_MS } from "../tools/access-token.ts";
import { LEASE_ms as DELIVERY_LEASE_MS } from "../webhooks/delivery-loop.ts";

const capLeases: Job<object> = {
  name: "cap-leases",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** `expires`: where its end is. `held`: which rows have one, written so that an index finds them. */
type Leased = { table: string; key: string; expires: string; held: string; lease_ms: number };

/** Not attempts: the dialer looks at these when it starts, and when its clock was set back. */
const LEASED: Leased[] = [
  {
    table: "sessions",
    key: "id",
    expires: "lease_expires_at",
    held: "ended_at is null and lease_owner is not null",
    lease_ms: SESSION_LEASE_MS,
  },
  {
    table: "calls",
    key: "id",
    expires: "lease_expires_at",
    held: "state = 'open'",
    lease_ms: LINE_LEASE_MS,
  },
  {
    table: "insight_executions",
    key: "id",
    expires: "lease_expires_at",
    held: "status = 'PROCESSING'",
    lease_ms: executions.LEASE_MS,
  },
  // Read whole: 0.6 s with a million rows that wait. An index would be written again with each claim of a delivery.
  {
    table: "webhook_outbox",
    key: "delivery_key",
    expires: "due_at",
    held: "lease_owner is not null",
    lease_ms: DELIVERY_LEASE_MS,
  },
  {
    table: "service_tokens",
    key: "service_id",
    expires: "lease_expires_at",
    held: "lease_owner is not null",
    lease_ms: TOKEN_LEASE_MS,
  },
  // Who reads a file says when it last lived, and not until when.
  { table: "batch_uploads", key: "batch_key", expires: "beat_at", held: "true", lease_ms: 0 },
];

/**
 * A process may die just after the clock of its machine was set ahead, before it was put right by the database's. What it took
 * then would be held as long as the clock was ahead: a chat could not go on for hours. No lease that ends later than one can
 * is left, by the database's clock, which counts. Locked rows are skipped: their process lives, and the next round is soon.
 */
async function endLeasesAhead(db: Db): Promise<void> {
  for (const { table, key, expires, held, lease_ms } of LEASED) {
    const [rows, id, end] = [sql.table(table), sql.ref(key), sql.ref(expires)];
    await sql`
      update ${rows} as leased set ${end} = now() + make_interval(secs => ${lease_ms / 1000})
      from (
        select ${id} as id from ${rows}
        where ${sql.raw(held)} and ${end} > now() + make_interval(secs => ${(lease_ms + CLOCK_SET_BACK_MS) / 1000})
        for no key update skip locked
      ) as ahead
      where leased.${id} = ahead.id`.execute(db);
  }
}

export const capLeasesJob = (db: Db): JobHandler => handle(capLeases, () => endLeasesAhead(db));
