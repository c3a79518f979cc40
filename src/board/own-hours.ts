import { sql } from "kysely";
import { z } from "zod";
import { readPersons } from "../address-book/persons.ts";
import { timestamp } from "../api/schema.ts";
import type { Db } from "../db/database.ts";
import {
  addressesOfCandidate,
  clockTarget,
  contactTimezone,
} from "../dialing/cadences/candidate-addresses.ts";
import { laneOf } from "../dialing/cadences/lanes.ts";
import { contactKindOf, readCampaignAsBatch } from "../dialing/due-batches.ts";
import type { OutreachRules } from "../planning/person-hold.ts";
import { ownHoursOf, ownHoursText } from "../planning/person-hours/own-hours.ts";

/** Where more people wait, a sample of about as many is judged. */
const MOST_JUDGED = 5_000;

export const OwnHoursSchema = z
  .object({
    waiting: z.int().describe("People who wait in the campaign's batches."),
    judged: z.int().describe(`How many of these were judged: all, or a sample of about ${MOST_JUDGED}.`),
    held: z
      .int()
      .describe(
        "How many of those judged are outside their own hours, on a holiday of theirs, or before their `not_before`.",
      ),
    first_at: timestamp().nullable().describe("When the first of them may be contacted."),
    zones: z
      .array(z.object({ zone: z.string(), people: z.int(), opens_at: timestamp() }))
      .describe("The same by the zone that is waited for, the one that opens first leading."),
    text: z.string().describe("The same in a sentence."),
  })
  .meta({ id: "ForecastOwnHours" });
type OwnHours = z.output<typeof OwnHoursSchema>;

type WaitingPerson = {
  step: number;
  target: string;
  request_target: string;
  request_variables: Record<string, string>;
};

/** Who of a campaign's waiting people is outside their own hours at that instant; null where the rules have none. */
export async function readOwnHours(
  db: Db,
  campaign_id: number,
  rules: OutreachRules,
  at: Date,
): Promise<OwnHours | null> {
  if (!rules.person_clock) return null;
  const waiting = await countWaiting(db, campaign_id);
  const rows = await readSample(db, campaign_id, Math.ceil(waiting / MOST_JUDGED));
  const campaign = await readCampaignAsBatch(db, campaign_id);
  const { sub_organization_id } = campaign;
  const people = rows.map((row) => ({
    ...row,
    lane: laneOf(campaign, row.step),
  }));
  const persons = await readPersons(
    db,
    people.flatMap(({ lane, ...person }) =>
      addressesOfCandidate(lane, person).map((address) => ({ sub_organization_id, address })),
    ),
  );
  const found = ownHoursOf(
    rules,
    people.map(({ lane, ...person }) => ({
      ...contactKindOf(lane),
      target: clockTarget(lane, person),
      request_variables: person.request_variables,
      campaign_zone: campaign.timezone ?? "UTC",
      contact_timezone: contactTimezone(lane, person, persons),
    })),
    at,
  );
  const zones = found.zones.map(({ opens_at, ...zone }) => ({ ...zone, opens_at: opens_at.toISOString() }));
  const first_at = zones[0]?.opens_at ?? null;
  return { ...found, waiting, first_at, zones, text: ownHoursText(found, waiting, at) };
}

/** Counts are kept by triggers (request-counts.ts). */
async function countWaiting(db: Db, campaign_id: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select coalesce(sum(c.n), 0) as waiting from batches b join request_counts c on c.batch_key = b.key
    where b.campaign_id = ${campaign_id} and b.status in ('ACTIVE', 'PAUSED') and c.request_status = 'PENDING'`.execute(
    db,
  );
  return rows[0]?.waiting ?? 0;
}

/** One in `every`, wherever they stand in their list, since lists are often sorted by place. Index: `requests_waiting`. */
async function readSample(db: Db, campaign_id: number, every: number): Promise<WaitingPerson[]> {
  const { rows } = await sql<WaitingPerson>`
    select r.step, coalesce(r.step_target, r.target) as target, r.target as request_target, r.request_variables
    from batches b join requests r on r.batch_key = b.key
    where b.campaign_id = ${campaign_id} and b.status in ('ACTIVE', 'PAUSED') and r.request_status = 'PENDING'
      and (${every <= 1}::boolean or abs(hashint8(r.id)::bigint) % ${Math.max(every, 1)}::bigint = 0)
    limit ${2 * MOST_JUDGED}`.execute(db);
  return rows;
}
