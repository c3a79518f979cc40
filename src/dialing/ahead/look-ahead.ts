import { sql } from "kysely";
import { type DestinationRules, refusalOf } from "../../base/destination.ts";
import { errorText } from "../../base/errors.ts";
import { type EnrichmentParts, enrich, missingFields, type ToEnrich } from "../../batches/enrichment.ts";
import { lookupFields } from "../../campaigns/target-filter.ts";
import { alone } from "../../db/alone.ts";
import type { Db } from "../../db/database.ts";
import { MOST_STEPS } from "../../planning/cadences/cadence.ts";
import { WAITS_FOR_FIRST, WAITS_FOR_RETRY, waitsForStep } from "../candidates.ts";
import { askingBatches, type DueBatch } from "../due-batches.ts";
import { checkNumbers } from "./check-numbers.ts";

/** Batches at a time, and the next requests of each: more than a minute's worth at the highest rate. */
const MOST_BATCHES = 20;
const MOST_PEOPLE = 100;

/**
 * Looks up the types of the numbers that are tried next, and whether they were given to somebody else, so that no due
 * request waits for a carrier, and no lookup is paid for numbers that are never tried. No transaction is open meanwhile. Returns the number of lookups.
 */
export async function lookAhead(parts: LookAheadParts): Promise<number> {
  const batches = await askingBatches(parts.db, parts.clock.now(), MOST_BATCHES);
  let asked = 0;
  // One process at a time for an organization: every answer is paid for.
  for (const [id, some] of Map.groupBy(batches, ({ organization_id }) => organization_id))
    asked += (await alone(parts.db, lockOf(id), () => lookUpAll(parts, some))) ?? 0;
  return asked;
}

type LookAheadParts = EnrichmentParts & { destinations: DestinationRules };

const lockOf = (organization_id: number) => sql`hashtextextended(${`look-ahead/${organization_id}`}, 0)`;

/** A batch whose carrier can't be asked holds up no other one, of another organization perhaps. */
async function lookUpAll(parts: LookAheadParts, batches: DueBatch[]): Promise<number> {
  let asked = 0;
  for (const batch of batches) {
    try {
      asked += await lookUp(parts, batch);
    } catch (error) {
      const { batch_key } = batch;
      parts.log.warn({ error: errorText(error), batch_key }, "numbers of a batch could not be looked up");
    }
  }
  return asked;
}

async function lookUp(parts: LookAheadParts, batch: DueBatch): Promise<number> {
  const { organization_id, sender, campaign } = batch;
  const checked = campaign.reach_rules?.check_reassigned ? await checkNumbers(parts, batch) : 0;
  if (campaign.mode === "email" || lookupFields(campaign).length === 0) return checked;
  const requests = (await nextPeople(parts.db, batch)).filter(
    ({ target, enrichment }) =>
      missingFields(campaign, enrichment).length > 0 && refusalOf(target, parts.destinations) === null,
  );
  if (requests.length === 0) return checked;
  await enrich(parts, {
    organization_id,
    channel_id: sender?.channel_id ?? null,
    filters: campaign,
    requests,
  });
  return checked + requests.length;
}

/** Those whose step reaches the number that was looked up before; the filter may have changed since. */
const nextOfSteps = (batch_key: number) => sql`(
    select r.batch_key, r.id as request_id, r.target, r.enrichment
    from unnest(${Array.from({ length: MOST_STEPS }, (_, step) => step + 1)}::integer[]) w (step)
    cross join lateral (
      select * from requests r
      where r.batch_key = ${batch_key} and ${waitsForStep(sql`w.step`)} and r.step_target is null
      order by r.due_at, r.id limit ${MOST_PEOPLE}
    ) r)`;

/** Includes retries, because the filter may have changed since their first attempt. */
async function nextPeople(db: Db, { batch_key }: DueBatch): Promise<ToEnrich["requests"]> {
  const next = (waits: typeof WAITS_FOR_FIRST) => sql`(
    select r.batch_key, r.id as request_id, r.target, r.enrichment from requests r
    where r.batch_key = ${batch_key} and ${waits}
    order by r.due_at, r.id limit ${MOST_PEOPLE})`;
  const { rows } = await sql<ToEnrich["requests"][number]>`
    ${next(WAITS_FOR_RETRY)} union all ${next(WAITS_FOR_FIRST)} union all ${nextOfSteps(batch_key)}`.execute(
    db,
  );
  return rows;
}
