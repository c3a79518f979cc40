import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { type KnownNumber, type NewLookup, readLookups, storeLookups } from "../campaigns/lookup-cache.ts";
import { type Enrichment, type FilterSettings, lookupFields } from "../campaigns/target-filter.ts";
import type {
  CarrierAccount,
  Carriers,
  LookupField,
  NumberFacts,
  NumberLookup,
} from "../channels/carrier.ts";
import type { Db } from "../db/database.ts";

export type EnrichmentParts = { db: Db; clock: Clock; log: Log; carriers: Carriers };

/** Requests of one campaign whose numbers its filters ask about. */
export type ToEnrich = {
  organization_id: number;
  /** Whose carrier is asked first; another channel's of the organization where it can't look numbers up. */
  channel_id: number | null;
  filters: FilterSettings;
  requests: { batch_key: number; request_id: number; target: string; enrichment: Enrichment | null }[];
};

/** What each package answers: a field that is in an enrichment, though null, was asked for. */
const ANSWERED_BY: Readonly<Record<LookupField, readonly (keyof NumberFacts)[]>> = {
  line_type: ["line_type", "error_code"],
  carrier: ["carrier_name", "mcc", "mnc"],
  caller_name: ["caller_name", "caller_type"],
};

/** The packages that the filters need and this request was never asked for; with none, `filterTarget` can decide. */
export const missingFields = (filters: FilterSettings, enrichment: Enrichment | null): LookupField[] =>
  lookupFields(filters).filter((field) =>
    ANSWERED_BY[field].some((key) => enrichment === null || !Object.hasOwn(enrichment, key)),
  );

/** At once, of one call. */
const CONCURRENCY = 20;
/** A carrier that fails so often in a row is left alone; who wasn't asked about stays as they were, for a later call. */
const FAILURES_TO_STOP = 20;

/**
 * Finds out what the filters need to know of these numbers and stores it on the requests (`line_type`, `enrichment`):
 * from what the organization learned in the last 30 days, else from the carrier, which is asked for the missing packages
 * only. A lookup that fails leaves its fields null, which filters take as unresolved. Without a carrier that looks
 * numbers up, all are. Returns the enrichments by request_id; a request that is not among them may be brought again.
 *
 * Call it with no transaction open: it may take as long as a carrier does.
 */
export async function enrich(parts: EnrichmentParts, work: ToEnrich): Promise<Map<number, Enrichment>> {
  const needed = lookupFields(work.filters);
  const wanting = work.requests.filter(
    ({ enrichment }) => missingFields(work.filters, enrichment).length > 0,
  );
  const found = new Map(
    work.requests.flatMap(({ request_id, enrichment }) =>
      enrichment === null ? [] : [[request_id, enrichment]],
    ),
  );
  if (wanting.length === 0) return found;

  const numbers = [...new Set(wanting.map(({ target }) => target))];
  const known = await learn(parts, work, numbers, needed);
  const stored = wanting.flatMap(({ batch_key, request_id, target, enrichment }) => {
    const facts = known.get(target);
    return facts ? [{ batch_key, request_id, enrichment: { ...enrichment, ...facts } }] : [];
  });
  await storeEnrichments(parts.db, stored);
  for (const { request_id, enrichment } of stored) found.set(request_id, enrichment);
  return found;
}

/** By number, what is known of it after this: every needed field, null where nobody could tell. */
async function learn(
  parts: EnrichmentParts,
  { organization_id, channel_id }: ToEnrich,
  numbers: string[],
  needed: LookupField[],
): Promise<Map<string, Enrichment>> {
  const now = parts.clock.now();
  const cached = await readLookups(parts.db, organization_id, numbers, now);
  const lacking = (number: string) => needed.filter((field) => !cached.get(number)?.fields.includes(field));
  const asked = numbers.filter((number) => lacking(number).length > 0);

  const known = new Map(
    numbers.flatMap((number) => {
      const facts = cached.get(number)?.facts;
      return facts && !asked.includes(number) ? [[number, facts]] : [];
    }),
  );
  if (asked.length === 0) return known;

  const carrier = await lookupOf(parts, organization_id, channel_id);
  const answers = carrier
    ? await askAll(parts.log, carrier, asked, lacking)
    : new Map(asked.map((n) => [n, null]));
  const learned: NewLookup[] = [];
  for (const [number, answer] of answers) {
    const before = cached.get(number);
    const facts = { ...before?.facts, ...nothingOn(lacking(number)), ...answer?.facts };
    known.set(number, facts);
    if (answer) learned.push(cacheRow(number, before, lacking(number), facts, answer.cost, now));
  }
  await storeLookups(parts.db, organization_id, learned);
  return known;
}

const cacheRow = (
  number: string,
  before: KnownNumber | undefined,
  asked: LookupField[],
  facts: Enrichment,
  cost: number | null,
  now: Date,
): NewLookup => ({
  number,
  fields: [...(before?.fields ?? []), ...asked],
  facts,
  cost,
  looked_up_at: before?.looked_up_at ?? now.toISOString(),
});

const nothingOn = (fields: LookupField[]): Enrichment =>
  Object.fromEntries(fields.flatMap((field) => ANSWERED_BY[field].map((key) => [key, null])));

type LookupCarrier = { lookup: NumberLookup; account: CarrierAccount };

/** The carrier that looks numbers up, `channel_id`'s first; null: none of the organization does, or none that `can`. */
export async function lookupOf(
  { db, carriers }: EnrichmentParts,
  organization_id: number,
  channel_id: number | null,
  can: (lookup: NumberLookup) => boolean = () => true,
): Promise<LookupCarrier | null> {
  const channels = await db
    .selectFrom("channels")
    .select(["id", "channel_service"])
    .where("organization_id", "=", organization_id)
    .orderBy(sql`id = ${channel_id}`, "desc")
    .orderBy("id")
    .execute();
  for (const channel of channels) {
    const found = await carriers.of(channel);
    if (found?.carrier.lookup && can(found.carrier.lookup))
      return { lookup: found.carrier.lookup, account: found.account };
  }
  return null;
}

type Answer = { facts: Enrichment; cost: number | null };

/** By number; null where the carrier failed. Numbers that were not asked about are not among them. */
async function askAll(
  log: Log,
  { lookup, account }: LookupCarrier,
  numbers: string[],
  fieldsOf: (number: string) => LookupField[],
): Promise<Map<string, Answer | null>> {
  const answers = new Map<string, Answer | null>();
  const waiting = numbers.values();
  let failures = 0;
  const ask = async () => {
    for (const number of waiting) {
      try {
        const { facts, cost } = await lookup.lookup(account, number, fieldsOf(number));
        answers.set(number, { facts: withoutNulls(facts), cost });
        failures = 0;
      } catch (error) {
        answers.set(number, null);
        failures++;
        log.warn(
          { err: errorText(error), channel_id: account.channel_id },
          "a number could not be looked up",
        );
      }
      if (failures >= FAILURES_TO_STOP) return;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, ask));
  return answers;
}

const withoutNulls = (facts: NumberFacts): Enrichment =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));

type StoredEnrichment = { batch_key: number; request_id: number; enrichment: Enrichment };

/** One statement; the rows by their primary key, in its order. */
async function storeEnrichments(db: Db, rows: StoredEnrichment[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    with enriched as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as e (batch_key bigint, request_id bigint, enrichment json)
    ),
    locked as (
      select r.batch_key, r.id, e.enrichment
      from requests r join enriched e on r.batch_key = e.batch_key and r.id = e.request_id
      order by r.batch_key, r.id for no key update of r
    )
    update requests r set enrichment = locked.enrichment, line_type = locked.enrichment ->> 'line_type'
    from locked where r.batch_key = locked.batch_key and r.id = locked.id
  `.execute(db);
}
