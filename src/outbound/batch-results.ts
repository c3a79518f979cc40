import { Readable } from "node:stream";
import { sql } from "kysely";
import { z } from "zod";
import { queryInteger } from "../api/schema.ts";
import type { Db } from "../db/database.ts";
import { INSIGHTS_STATUSES, type RequestResult, RequestStatus } from "./batch-schema.ts";
import { isCanceling } from "./cancel-waiting.ts";
import { insightsFound, insightsStatus } from "./request-insights.ts";

export const ResultsQuery = z.object({
  reference_id: z.string().nullish(),
  status: RequestStatus.nullish().describe("A request status."),
  insights_status: z.enum(INSIGHTS_STATUSES).nullish(),
  limit: queryInteger({ min: 0 }).nullish().describe("All of them when left out."),
  page: queryInteger({ min: 0 }).nullish().describe("0-based; counts pages of `limit`."),
});
export type ResultsQuery = z.output<typeof ResultsQuery>;

/** Held in memory at once, whatever the batch holds: 1 MB or so. */
const PAGE_ROWS = 1_000;

/** A JSON array, a page after the other, in the order in which the requests came. */
export function streamResults(db: Db, batch_key: number, query: ResultsQuery): Readable {
  return Readable.from(jsonArray(pages(db, batch_key, query)), { objectMode: false });
}

async function* jsonArray(pages: AsyncIterable<RequestResult[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const page of pages) {
    yield before + JSON.stringify(page).slice(1, -1);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

async function* pages(db: Db, batch_key: number, query: ResultsQuery): AsyncGenerator<RequestResult[]> {
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  let offset = (query.page ?? 0) * (query.limit ?? 0);
  let after = 0;
  while (left > 0) {
    const canceling = await isCanceling(db, batch_key);
    const rows = await selectResults(db, batch_key, query, canceling)
      .where("id", ">", after)
      .limit(Math.min(left, PAGE_ROWS))
      .offset(Math.min(offset, Number.MAX_SAFE_INTEGER))
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ id: _, ...result }) => {
      const canceled = canceling && result.request_status === "PENDING";
      return { ...result, ...(canceled && CANCELED) } as RequestResult;
    });
    after = last.id;
    left -= rows.length;
    offset = 0;
  }
}

const CANCELED = { request_status: "CANCELED", channel_manager_status: "CANCELED" };

/** What of a status the rows say: of a batch that is being canceled, those that wait are as good as canceled. */
const written = (status: string, canceling: boolean): string[] => {
  if (!canceling) return [status];
  if (status === "CANCELED") return ["CANCELED", "PENDING"];
  return status === "PENDING" ? [] : [status];
};

function selectResults(
  db: Db,
  batch_key: number,
  { reference_id, status, insights_status }: ResultsQuery,
  canceling: boolean,
) {
  let rows = db
    .selectFrom("requests")
    .select([
      "id",
      "reference_id",
      "target",
      "request_variables",
      "channel_manager_sid",
      "created_at",
      "sent_at",
      "attempt_count",
      "session_id",
      "conversation_id",
      "request_status",
      "channel_manager_status",
      insightsStatus.as("insights_status"),
      insightsFound.as("insights"),
      "line_type",
      "enrichment",
    ])
    .where("batch_key", "=", batch_key)
    .orderBy("id");
  if (reference_id != null) rows = rows.where("reference_id", "=", reference_id);
  if (status != null) {
    rows = rows.where("request_status", "=", sql<string>`any(${written(status, canceling)}::text[])`);
  }
  if (insights_status != null) rows = rows.where(insightsStatus, "=", insights_status);
  return rows;
}
