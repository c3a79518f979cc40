import { sql } from "kysely";
import { type DestinationRules, refusalOf } from "../base/destination.ts";
import { type EnrichmentParts, enrich, missingFields, type ToEnrich } from "../batches/enrichment.ts";
import type { Db } from "../db/database.ts";
import { WAITS_FOR_FIRST, WAITS_FOR_RETRY } from "./candidates.ts";
import { type DueBatch, filteredBatches } from "./due-batches.ts";

/** Batches at a time, and people of each who are next: more than a minute of the highest rate. */
const MOST_BATCHES = 20;
const MOST_PEOPLE = 100;

/**
 * Asks ahead what filters need to know of the numbers that are next, so that nobody who is due waits for a carrier, and
 * nothing is paid for numbers that are never reached. No transaction is open meanwhile. Returns how many were asked for.
 */
export async function lookAhead(
  parts: EnrichmentParts & { destinations: DestinationRules },
): Promise<number> {
  let asked = 0;
  for (const batch of await filteredBatches(parts.db, parts.clock.now(), MOST_BATCHES)) {
    const requests = (await nextPeople(parts.db, batch)).filter(
      ({ target, enrichment }) =>
        missingFields(batch.campaign, enrichment).length > 0 &&
        refusalOf(target, parts.destinations) === null,
    );
    if (requests.length === 0) continue;
    asked += requests.length;
    const { organization_id, sender, campaign } = batch;
    await enrich(parts, {
      organization_id,
      channel_id: sender?.channel_id ?? null,
      filters: campaign,
      requests,
    });
  }
  return asked;
}

/** Retries, too: a filter may have been changed since they were tried first. */
async function nextPeople(db: Db, { batch_key }: DueBatch): Promise<ToEnrich["requests"]> {
  const next = (waits: typeof WAITS_FOR_FIRST) => sql`(
    select r.batch_key, r.id as request_id, r.target, r.enrichment from requests r
    where r.batch_key = ${batch_key} and ${waits}
    order by r.due_at, r.id limit ${MOST_PEOPLE})`;
  const { rows } = await sql<ToEnrich["requests"][number]>`
    ${next(WAITS_FOR_RETRY)} union all ${next(WAITS_FOR_FIRST)}`.execute(db);
  return rows;
}
