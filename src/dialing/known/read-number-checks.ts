import { sql } from "kysely";
import { channelOfMode } from "../../consent/reach-check.ts";
import type { Db } from "../../db/database.ts";
import { FOR_EACH } from "../../db/plans.ts";
import {
  type KnownReassignment,
  type NumberCheck,
  numberCheck,
  sinceDate,
} from "../../planning/numbers/reassigned-number.ts";
import { laneName } from "../cadences/lanes.ts";
import type { Candidate } from "../candidates.ts";
import { type DueBatch, reachModeOf } from "../due-batches.ts";

export type CheckedPerson = Pick<
  Candidate,
  "target" | "request_target" | "step" | "attempt_count" | "request_variables"
>;

type Row = {
  n: number;
  consented_on: string | null;
  known: { since: string; answer: KnownReassignment["answer"]; error_code: string | null; at: string } | null;
};

const checksNumbers = (batch: DueBatch): boolean =>
  batch.campaign.reach_rules?.check_reassigned === true && reachModeOf(batch) !== "email";

/** A step may reach another number than the request's own; that one is new to the campaign. */
const isFirst = ({ attempt_count, target, request_target }: CheckedPerson): boolean =>
  attempt_count === 0 || target !== request_target;

const isGivenAway = (check: NumberCheck): boolean => check.kind === "answered" && check.answer === "yes";

/** By address, of each lane by itself. */
export type NumberChecks = Map<string, Map<string, NumberCheck>>;

export type CheckedLane = { batch: DueBatch; people: readonly CheckedPerson[] };

/**
 * Number checks of people whom a campaign reaches for the first time, by `laneName` and address. Of people who were tried
 * before, only checks that say that the number belongs to somebody else now: neither a retry nor a later step may reach
 * that stranger. No query where no campaign has numbers checked. Indexes: `consents_live`, primary key of number_lookups.
 */
export const readNumberChecks = (db: Db, lanes: readonly CheckedLane[], now: Date): Promise<NumberChecks> =>
  readChecks(db, lanes, now, (person, check) => isFirst(person) || isGivenAway(check));

/** All checks, those of people who were tried before too. */
export const readStanding = (db: Db, lanes: readonly CheckedLane[], now: Date): Promise<NumberChecks> =>
  readChecks(db, lanes, now, () => true);

async function readChecks(
  db: Db,
  lanes: readonly CheckedLane[],
  now: Date,
  isHeeded: (person: CheckedPerson, check: NumberCheck) => boolean,
): Promise<NumberChecks> {
  const asked = lanes
    .filter(({ batch }) => checksNumbers(batch))
    .flatMap(({ batch, people }) => people.map((person) => ({ batch, person })));
  const found: NumberChecks = new Map();
  if (asked.length === 0) return found;
  const given = asked.map(({ batch, person: { target } }, n) => ({
    n,
    target,
    organization_id: batch.organization_id,
    sub_organization_id: batch.sub_organization_id,
    channel: channelOfMode(reachModeOf(batch)),
  }));
  const { rows } = await sql<Row>`
    select w.n, found.consented_on, found.known
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (n integer, target text, organization_id bigint, sub_organization_id bigint, channel text)
    cross join lateral (
      select (
        select max(c.valid_from at time zone 'UTC')::date::text from consents c
        where c.sub_organization_id = w.sub_organization_id and c.address = w.target and c.channel = w.channel
          and c.revoked_at is null
      ) as consented_on, (
        select json_build_object('since', l.reassigned_since, 'answer', l.reassigned, 'error_code', l.reassigned_error,
          'at', l.reassigned_at)
        from number_lookups l
        where l.organization_id = w.organization_id and l.number = w.target collate "C" and l.reassigned is not null
      ) as known ${FOR_EACH}
    ) found`.execute(db);
  for (const { n, consented_on, known } of rows) {
    const { batch, person } = asked[n] as (typeof asked)[number];
    const { target, request_target, request_variables, step } = person;
    // The request's variable is about the request's own number, and not about that of a later step.
    const own = sinceDate(consented_on, target === request_target ? request_variables : {}, now);
    // A step by a channel that nobody consented to goes on from what the steps before it learned of the number.
    const since = step > 0 && own.date === null && known?.answer === "yes" ? { date: known.since } : own;
    const check = numberCheck(since, known && { ...known, at: new Date(known.at) }, now);
    if (!isHeeded(person, check)) continue;
    const ofLane = found.get(laneName(batch)) ?? new Map<string, NumberCheck>();
    found.set(laneName(batch), ofLane);
    ofLane.set(target, check);
  }
  return found;
}

/** Of one lane, by address. */
export async function checksOfLane(
  db: Db,
  lane: CheckedLane,
  now: Date,
  read = readNumberChecks,
): Promise<ReadonlyMap<string, NumberCheck>> {
  return (await read(db, [lane], now)).get(laneName(lane.batch)) ?? new Map();
}
