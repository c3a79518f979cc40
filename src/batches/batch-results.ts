import { Readable } from "node:stream";
import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { queryInteger } from "../api/schema.ts";
import type { Clock } from "../base/clock.ts";
import { csvHead, csvLine } from "../base/csv.ts";
import { isOver, type RequestStatus as RowStatus } from "../channels/request-status.ts";
import type { Db } from "../db/database.ts";
import { INSIGHTS_STATUSES, type RequestResult, RequestStatus } from "./batch-schema.ts";
import { isCanceling } from "./cancel-waiting.ts";
import { insightsFound, insightsScripted, insightsStatus } from "./request-insights.ts";

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

/** A JSON array or a CSV file, a page after the other, in the order in which the requests came. */
export function streamResults(
  { db, clock, caller }: { db: Db; clock: Clock; caller: Caller },
  batch_key: number,
  query: ResultsQuery,
  form: "json" | "csv",
): Readable {
  const found = pages({ db, clock, caller }, batch_key, query);
  return Readable.from(form === "csv" ? csvTable(found) : jsonArray(found), { objectMode: false });
}

/** What it is answered as: CSV only to who asks for it before JSON. */
export const resultsForm = (accept: string | undefined): "json" | "csv" => {
  const types = (accept ?? "").split(",").map((type) => type.split(";")[0]?.trim().toLowerCase());
  const [csv, json] = [types.indexOf("text/csv"), types.indexOf("application/json")];
  return csv >= 0 && (json < 0 || csv < json) ? "csv" : "json";
};

const CSV_COLUMNS = [
  "reference_id",
  "target",
  "request_status",
  "channel_manager_status",
  "reached",
  "answered_by",
  "duration_s",
  "voicemail_left",
  "attempt_count",
  "created_at",
  "sent_at",
  "session_id",
  "conversation_id",
  "channel_manager_sid",
  "line_type",
  "insights_status",
  "insights",
  "insights_scripted",
  "request_variables",
] as const satisfies (keyof RequestResult)[];

async function* csvTable(pages: AsyncIterable<RequestResult[]>): AsyncGenerator<string> {
  yield csvHead(CSV_COLUMNS);
  for await (const page of pages)
    yield page.map((row) => csvLine(CSV_COLUMNS.map((column) => row[column]))).join("");
}

async function* jsonArray(pages: AsyncIterable<RequestResult[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const page of pages) {
    yield before + JSON.stringify(page).slice(1, -1);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

async function* pages(
  { db, clock, caller }: { db: Db; clock: Clock; caller: Caller },
  batch_key: number,
  query: ResultsQuery,
): AsyncGenerator<RequestResult[]> {
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  let offset = (query.page ?? 0) * (query.limit ?? 0);
  let after = 0;
  while (left > 0) {
    const canceling = await isCanceling(db, batch_key, clock.now());
    const results = selectResults(db, caller, batch_key, { query, canceling }).where("id", ">", after);
    // Skipped by their ids alone: PostgreSQL computes what it selects for skipped rows too.
    const first = results
      .clearSelect()
      .select("id")
      .limit(1)
      .offset(Math.min(offset, Number.MAX_SAFE_INTEGER));
    const rows = await results
      .$if(offset > 0, (all) => all.where("id", ">=", first))
      .limit(Math.min(left, PAGE_ROWS))
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ id: _, talked, ...result }) => {
      const canceled = canceling && result.request_status === "PENDING";
      const shown = { ...result, ...(canceled && CANCELED) } as RequestResult;
      return { ...shown, reached: isReached(shown, talked) };
    });
    after = last.id;
    left -= rows.length;
    offset = 0;
  }
}

/**
 * A machine is not the person, whatever was left on it. Somebody who talked and whose next call was canceled, such as one
 * that they asked for, was reached.
 */
const isReached = ({ request_status, answered_by }: RequestResult, talked: boolean): boolean | null => {
  if (!isOver(request_status)) return null;
  if (request_status === "COMPLETED") return answered_by !== "MACHINE";
  return request_status !== "FAILED" && talked;
};

const CANCELED = { request_status: "CANCELED", channel_manager_status: "CANCELED" } as const;

/** What of a status the rows say: of a batch that is being canceled, those that wait are as good as canceled. */
const written = (status: RowStatus, canceling: boolean): RowStatus[] => {
  if (!canceling) return [status];
  if (status === "CANCELED") return ["CANCELED", "PENDING"];
  return status === "PENDING" ? [] : [status];
};

/** Index: the unique one of `calls.session_id`. */
const callDuration = sql<number | null>`(
  select round(extract(epoch from c.ended_at - c.answered_at)) from calls c
  where c.session_id = requests.session_id and c.ended_at is not null)`;

function selectResults(
  db: Db,
  caller: Caller,
  batch_key: number,
  { query, canceling }: { query: ResultsQuery; canceling: boolean },
) {
  const { reference_id, status, insights_status } = query;
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
      "talked",
      "session_id",
      "conversation_id",
      "request_status",
      "channel_manager_status",
      insightsStatus.as("insights_status"),
      insightsFound(caller).as("insights"),
      insightsScripted(caller).as("insights_scripted"),
      "answered_by",
      callDuration.as("duration_s"),
      "voicemail_left",
      "line_type",
      "enrichment",
    ])
    .where("batch_key", "=", batch_key)
    .orderBy("id");
  if (reference_id != null) rows = rows.where("reference_id", "=", reference_id);
  if (status != null) {
    rows = rows.where("request_status", "=", sql<RowStatus>`any(${written(status, canceling)}::text[])`);
  }
  if (insights_status != null) rows = rows.where(insightsStatus, "=", insights_status);
  return rows;
}
