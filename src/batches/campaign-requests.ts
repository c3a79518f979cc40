import { Readable } from "node:stream";
import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { queryInteger, recordId, textMap, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { csvHead, csvLine } from "../base/csv.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import type { Db } from "../db/database.ts";
import { resultsForm } from "./batch-results.ts";
import { RequestStatus } from "./batch-schema.ts";
import { insightsFound } from "./request-insights.ts";
import {
  placeText,
  RequestFilter,
  type RequestPlace,
  readPlace,
  STAGE_MET,
  selectRequests,
  statusShown,
} from "./request-selection.ts";

const CampaignRequest = z
  .object({
    request_id: z.int(),
    batch_id: z.string(),
    reference_id: z.string(),
    target: z.string(),
    request_status: RequestStatus,
    channel_manager_status: z.string(),
    stage: z.string().nullable(),
    answered_by: z.string().nullable(),
    voicemail_left: z.boolean().nullable(),
    attempt_count: z.int(),
    created_at: timestamp(),
    sent_at: timestamp().nullable(),
    due_at: timestamp().nullable(),
    session_id: z.int().nullable(),
    skip_reason: z.string().nullable(),
    insights: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .nullable()
      .describe("Needs insights_read."),
    request_variables: textMap(),
  })
  .meta({ id: "CampaignRequest" });
type CampaignRequest = z.output<typeof CampaignRequest>;

const CampaignRequests = z
  .object({
    requests: z.array(CampaignRequest),
    next: z.string().nullable().describe("Send it as `before` to read on; null: that was all."),
  })
  .meta({ id: "CampaignRequests" });

/** Rows of a CSV file in memory at once. */
const CSV_PAGE = 1_000;

export const REQUESTS_OF_CAMPAIGN = "/api/v1/outbound/campaigns/:campaign_id/requests";

/** The people of a campaign over all its batches: the lists behind the figures of its board. */
export function campaignRequestRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  api.get(
    REQUESTS_OF_CAMPAIGN,
    {
      summary: "List the requests of a campaign",
      description:
        "Over all batches, newest first. With `Accept: text/csv` all that match are streamed as a CSV file; `limit` then counts for nothing.",
      tag: "outbound",
      permission: "outbound_read",
      params: z.object({ campaign_id: recordId() }),
      query: RequestFilter.extend({ limit: queryInteger({ min: 1, max: 200 }).default(50) }),
      response: CampaignRequests,
      produces: ["application/json", "text/csv"],
    },
    async ({ caller, params, query: { limit, ...filter }, request, reply }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      const from = filter.before ? readPlace(filter.before, ["query"]) : null;
      reply.header("vary", "accept");
      if (resultsForm(request.headers.accept) === "csv") {
        reply
          .type("text/csv; charset=utf-8")
          .header("content-disposition", 'attachment; filename="requests.csv"');
        return Readable.from(csvOf({ db, clock, caller }, id, filter, from), { objectMode: false });
      }
      reply.type("application/json; charset=utf-8");
      return readPage({ db, caller, now: clock.now() }, id, filter, { from, limit });
    },
  );
}

async function readPage(
  { db, caller, now }: { db: Db; caller: Caller; now: Date },
  campaign_id: number,
  filter: RequestFilter,
  { from, limit }: { from: RequestPlace | null; limit: number },
) {
  const columns = sql`
    b.key as batch_key, r.id as request_id, b.batch_id, r.reference_id, r.target, ${statusShown(now)} as request_status,
    case when r.request_status = 'PENDING' and ${statusShown(now)} = 'CANCELED' then 'CANCELED'
      else r.channel_manager_status end as channel_manager_status,
    case when ${STAGE_MET.goal} then 'goal' when ${STAGE_MET.talked} then 'talked'
      when ${STAGE_MET.answered} then 'answered' when ${STAGE_MET.tried} then 'tried' end as stage,
    r.answered_by, r.voicemail_left, r.attempt_count, r.created_at, r.sent_at, r.due_at, r.session_id,
    r.skip_reason ->> 'text' as skip_reason,
    (select ${insightsFound(caller)} from (select r.session_id) requests) as insights, r.request_variables`;
  const { rows } = await selectRequests<CampaignRequest & RequestPlace>(filter, {
    campaign_id,
    columns,
    most: limit + 1,
    now,
    from,
  }).execute(db);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    requests: page.map(({ batch_key: _, ...row }) => row),
    next: rows.length > limit && last ? placeText(last) : null,
  };
}

const CSV_COLUMNS = [
  "batch_id",
  "reference_id",
  "target",
  "request_status",
  "channel_manager_status",
  "stage",
  "answered_by",
  "voicemail_left",
  "attempt_count",
  "created_at",
  "sent_at",
  "session_id",
  "skip_reason",
  "insights",
  "request_variables",
] as const satisfies (keyof CampaignRequest)[];

async function* csvOf(
  { db, clock, caller }: { db: Db; clock: Clock; caller: Caller },
  campaign_id: number,
  filter: RequestFilter,
  first: RequestPlace | null,
): AsyncGenerator<string> {
  yield csvHead(CSV_COLUMNS);
  let from = first;
  while (true) {
    const page = await readPage({ db, caller, now: clock.now() }, campaign_id, filter, {
      from,
      limit: CSV_PAGE,
    });
    yield page.requests.map((row) => csvLine(CSV_COLUMNS.map((column) => row[column]))).join("");
    if (page.next === null) return;
    from = readPlace(page.next, []);
  }
}
