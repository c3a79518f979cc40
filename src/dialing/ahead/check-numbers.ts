import { sql } from "kysely";
import { type DestinationRules, refusalOf } from "../../base/destination.ts";
import { askReassigned } from "../../batches/ask-reassigned.ts";
import type { EnrichmentParts } from "../../batches/enrichment.ts";
import type { Db } from "../../db/database.ts";
import { MOST_STEPS } from "../../planning/cadences/cadence.ts";
import { lanesOf } from "../cadences/lanes.ts";
import { WAITS_FOR_FIRST, waitsForStep } from "../candidates.ts";
import type { DueBatch } from "../due-batches.ts";
import { type CheckedPerson, checksOfLane } from "../known/read-number-checks.ts";

/** As for look-ahead: more than a minute's worth at the highest rate. */
const MOST_PEOPLE = 100;

/**
 * Asks the carrier whether numbers that a batch reaches next, and for the first time, were given to somebody else. No
 * transaction is open meanwhile. Returns the number of questions.
 */
export async function checkNumbers(
  parts: EnrichmentParts & { destinations: DestinationRules },
  batch: DueBatch,
): Promise<number> {
  const { db, clock, destinations } = parts;
  const people = Map.groupBy(await nextPeople(db, batch.batch_key), ({ step }) => step);
  let asked = 0;
  for (const lane of lanesOf(batch)) {
    const checks = await checksOfLane(db, { batch: lane, people: people.get(lane.step) ?? [] }, clock.now());
    const questions = [...checks].flatMap(([number, check]) =>
      check.kind === "to-ask" && refusalOf(number, destinations) === null
        ? [{ number, since: check.since }]
        : [],
    );
    asked += questions.length;
    const channel_id = lane.sender?.channel_id ?? null;
    await askReassigned(parts, { organization_id: lane.organization_id, channel_id, questions });
  }
  return asked;
}

const PERSON = sql`coalesce(r.step_target, r.target) as target, r.target as request_target, r.step, r.attempt_count,
  r.request_variables`;

/** Index: `requests_waiting`. */
async function nextPeople(db: Db, batch_key: number): Promise<CheckedPerson[]> {
  const { rows } = await sql<CheckedPerson>`
    (select ${PERSON} from requests r where r.batch_key = ${batch_key} and ${WAITS_FOR_FIRST}
      order by r.due_at, r.id limit ${MOST_PEOPLE})
    union all
    (select p.* from unnest(${Array.from({ length: MOST_STEPS }, (_, step) => step + 1)}::integer[]) w (step)
      cross join lateral (
        select ${PERSON} from requests r where r.batch_key = ${batch_key} and ${waitsForStep(sql`w.step`)}
        order by r.due_at, r.id limit ${MOST_PEOPLE}) p)`.execute(db);
  return rows;
}
