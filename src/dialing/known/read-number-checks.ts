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

export const checksNumbers = (batch: DueBatch): boolean =>
  batch.campaign.reach_rules?.check_reassigned === true && reachModeOf(batch) !== "email";

/** A step of a cadence reaches a number first where it is not the request's own. */
const isFirst = ({ step, attempt_count, target, request_target }: CheckedPerson): boolean =>
  step === 0 ? attempt_count === 0 : target !== request_target;

/**
 * By address: how those stand whose number the campaign reaches for the first time and has checked; asks nothing where it has
 * none checked. Indexes: `consents_live`, primary key of number_lookups.
 */
export async function readNumberChecks(
  db: Db,
  batch: DueBatch,
  people: readonly CheckedPerson[],
  now: Date,
): Promise<Map<string, NumberCheck>> {
  if (!checksNumbers(batch)) return new Map();
  return readStanding(db, batch, people.filter(isFirst), now);
}

/** The same for whoever was tried already, too: what was said of their number. */
export async function readStanding(
  db: Db,
  batch: DueBatch,
  people: readonly CheckedPerson[],
  now: Date,
): Promise<Map<string, NumberCheck>> {
  if (people.length === 0 || !checksNumbers(batch)) return new Map();
  const given = people.map(({ target }, n) => ({ n, target }));
  const { rows } = await sql<Row>`
    select w.n, found.consented_on, found.known
    from json_to_recordset(${JSON.stringify(given)}::json) as w (n integer, target text)
    cross join lateral (
      select (
        select max(c.valid_from at time zone 'UTC')::date::text from consents c
        where c.sub_organization_id = ${batch.sub_organization_id} and c.address = w.target
          and c.channel = ${channelOfMode(reachModeOf(batch))} and c.revoked_at is null
      ) as consented_on, (
        select json_build_object('since', l.reassigned_since, 'answer', l.reassigned, 'error_code', l.reassigned_error,
          'at', l.reassigned_at)
        from number_lookups l
        where l.organization_id = ${batch.organization_id} and l.number = w.target collate "C" and l.reassigned is not null
      ) as known ${FOR_EACH}
    ) found`.execute(db);
  return new Map(
    rows.map(({ n, consented_on, known }) => {
      const { target, request_target, request_variables } = people[n] as CheckedPerson;
      // The column is about the number that stands beside it.
      const since = sinceDate(consented_on, target === request_target ? request_variables : {}, now);
      return [target, numberCheck(since, known && { ...known, at: new Date(known.at) }, now)];
    }),
  );
}
