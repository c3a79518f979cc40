import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import { OutboundCampaignInput } from "../campaigns/campaign-schema.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import { LOOKUPS_KEPT_ms } from "../campaigns/lookup-cache.ts";
import { type Enrichment, type FilterSettings, filterTarget } from "../campaigns/target-filter.ts";
import type { Db } from "../db/database.ts";
import { findKey } from "./batch-store.ts";
import { missingFields } from "./enrichment.ts";

/** A count that answers at once: 0.1 s or so. Past this many requests it says that there are more. */
const MOST_COUNTED = 20_000;
const MOST_REASONS = 10;

const { target_filters, allowed_line_types } = OutboundCampaignInput.shape;
const FilterCountInput = z
  .object({
    batch_id: z.string().nullish().describe("null: all batches of the campaign"),
    target_filters,
    allowed_line_types,
    include_unknown_line_types: z.boolean().optional(),
  })
  .meta({ id: "FilterCountQuery" });

const FilterCount = z
  .object({
    counted: z.int().describe("Requests that wait for an attempt"),
    is_complete: z.boolean().describe(`false: there may be more than the ${MOST_COUNTED} that were counted`),
    passing: z.int(),
    skipped: z.int(),
    not_looked_up: z
      .int()
      .describe("Among both: nothing is known yet of what the filters ask, so on_unknown decided"),
    reasons: z.array(z.object({ reason: z.string(), count: z.int() })).describe("The most frequent first"),
  })
  .meta({ id: "FilterCount" });
type FilterCount = z.output<typeof FilterCount>;

type Deps = { db: Db; clock: Clock };

export function targetFilterCountRoutes(api: Api, { db, clock }: Deps): void {
  api.post(
    "/api/v1/outbound/campaigns/:campaign_id/count_matches",
    {
      summary: "Count how many waiting requests pass a campaign's filters",
      description:
        "By what is known of their numbers now; nothing is looked up. Filters in the body stand for the campaign's own, to try them out before they are saved; those left out are the campaign's.",
      tag: "outbound",
      permission: "outbound_read",
      reads: true,
      params: z.object({ campaign_id: recordId() }),
      body: FilterCountInput,
      response: FilterCount,
    },
    async ({ caller, params, body }) => {
      const campaign = await findCampaign(db, caller, params.campaign_id);
      const batch_key = body.batch_id == null ? null : await batchOf(db, caller, campaign.id, body.batch_id);
      const filters = { ...settingsOf(campaign), ...given(body) };
      return tally(filters, await knownOf(db, caller, campaign.id, batch_key, clock.now()));
    },
  );
}

type Settings = {
  target_filters?: FilterSettings["target_filters"] | undefined;
  allowed_line_types?: string[] | null | undefined;
  include_unknown_line_types?: boolean | undefined;
};

const settingsOf = (campaign: Settings): FilterSettings => ({
  target_filters: campaign.target_filters ?? null,
  allowed_line_types: campaign.allowed_line_types ?? null,
  include_unknown_line_types: campaign.include_unknown_line_types ?? true,
});

const given = ({
  target_filters,
  allowed_line_types,
  include_unknown_line_types,
}: Settings): Partial<FilterSettings> => ({
  ...(target_filters !== undefined && { target_filters }),
  ...(allowed_line_types !== undefined && { allowed_line_types }),
  ...(include_unknown_line_types !== undefined && { include_unknown_line_types }),
});

/** Of another campaign, it is as if it were not there. */
async function batchOf(db: Db, caller: Caller, campaign_id: number, batch_id: string): Promise<number> {
  const key = await findKey(db, caller, batch_id);
  const found = await db
    .selectFrom("batches")
    .select("key")
    .where("key", "=", key)
    .where("campaign_id", "=", campaign_id)
    .executeTakeFirst();
  if (!found) throw notFound("Batch", batch_id);
  return key;
}

type KnownNumbers = { enrichment: Enrichment | null; n: number };

/** Grouped by what is known, since thousands of numbers share a carrier and a type. Index: `requests_waiting`. */
async function knownOf(db: Db, caller: Caller, campaign_id: number, batch_key: number | null, now: Date) {
  const since = new Date(now.getTime() - LOOKUPS_KEPT_ms).toISOString();
  const { rows } = await sql<KnownNumbers>`
    select known::json as enrichment, count(*) as n
    from (
      select coalesce(r.enrichment, l.facts)::text as known
      from batches b
      join requests r on r.batch_key = b.key and r.request_status = 'PENDING'
      left join number_lookups l on l.organization_id = ${caller.organization_id} and l.number = r.target
        and r.enrichment is null and l.looked_up_at > ${since}::timestamptz
      where b.campaign_id = ${campaign_id} and (${batch_key}::bigint is null or b.key = ${batch_key})
      limit ${MOST_COUNTED}::bigint
    ) as waiting
    group by known
  `.execute(db);
  return rows;
}

function tally(filters: FilterSettings, rows: KnownNumbers[]): FilterCount {
  const reasons = new Map<string, number>();
  const sum = { counted: 0, passing: 0, not_looked_up: 0 };
  for (const { enrichment, n } of rows) {
    sum.counted += n;
    if (missingFields(filters, enrichment).length > 0) sum.not_looked_up += n;
    const verdict = filterTarget(filters, enrichment);
    if (verdict.kind === "pass") sum.passing += n;
    else reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + n);
  }
  return {
    ...sum,
    is_complete: sum.counted < MOST_COUNTED,
    skipped: sum.counted - sum.passing,
    reasons: [...reasons]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count)
      .slice(0, MOST_REASONS),
  };
}
