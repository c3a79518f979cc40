import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { BatchDetails } from "./batch-schema.ts";

/** How many requests of a batch have which statuses; triggers keep the count (migration 0011). */
export type Counts = Required<Pick<BatchDetails, "status_counts" | "detailed_status_counts">>;

type Row = { request_status: string; channel_manager_status: string; n: number };

/** `reading`: rows of a file that is being read; they will be stored all at once or not at all. */
export async function countRequests(db: Db, batch_key: number, reading: number): Promise<Counts> {
  const rows = await db
    .selectFrom("request_counts")
    .select(["request_status", "channel_manager_status", sql<number>`sum(n)`.as("n")])
    .where("batch_key", "=", batch_key)
    .groupBy(["request_status", "channel_manager_status"])
    .having(sql<boolean>`sum(n) <> 0`)
    .orderBy("request_status")
    .orderBy("channel_manager_status")
    .execute();
  const pending = { request_status: "PENDING", channel_manager_status: "PENDING", n: reading };
  return tally(reading > 0 ? [...rows, pending] : rows);
}

/** Rows a batch may gather before they are worth adding up; reading that many takes no time. */
const MAX_ROWS = 100;

/** Adds up what the triggers appended. Nothing waits for it, and it may run twice at once. */
export async function foldCounts(db: Db): Promise<void> {
  await sql`
    with folded as (
      delete from request_counts
      where batch_key in (
        select batch_key from request_counts group by batch_key having count(*) > ${MAX_ROWS}::integer
      )
      returning *
    )
    insert into request_counts
    select batch_key, request_status, channel_manager_status, sum(n) from folded
    group by 1, 2, 3
    having sum(n) <> 0
  `.execute(db);
}

function tally(rows: Row[]): Counts {
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
