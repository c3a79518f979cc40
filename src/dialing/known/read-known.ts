import { sql } from "kysely";
import { type Persons, readPersons } from "../../address-book/persons.ts";
import type { DestinationRules } from "../../base/destination.ts";
import type { Tx } from "../../db/database.ts";
import type { TriedAddress } from "../../planning/per-person.ts";
import { addressesOfCandidate, addressesOfPerson } from "../cadences/candidate-addresses.ts";
import { laneName } from "../cadences/lanes.ts";
import { stepIssue } from "../cadences/step-issue.ts";
import { readStopSigns, stopQuestions } from "../cadences/stop-signs.ts";
import { type Candidate, findReachIssues, lockCandidates } from "../candidates.ts";
import { readCountryHolds } from "../country-hold.ts";
import { BusyAddresses, type ClaimKnown, FirstAttempts, type Open } from "../decide-claim.ts";
import type { DueBatch } from "../due-batches.ts";
import { eligibilityIssue } from "../eligibility.ts";
import type { LineLimits, Lines } from "../lines.ts";
import type { ClaimNumbers } from "../numbers/claim-numbers.ts";
import { type Contacted, readContacts } from "./read-contacts.ts";
import { readNumberChecks } from "./read-number-checks.ts";
import { readLacksTemplate } from "./read-templates.ts";
import { readTried } from "./read-tried.ts";

/** Needs the locks of the batches and lines, and locks the requests that it finds. `firsts`: how many of each batch are read. */
export async function readKnown(
  tx: Tx,
  { limits: { per_person = null }, destinations }: { limits: LineLimits; destinations: DestinationRules },
  numbers: ClaimNumbers,
  open: Open[],
  now: Date,
  firsts: number,
): Promise<ClaimKnown> {
  const { lines } = numbers;
  const batches = open.map(({ batch }) => batch);
  const countries = await readCountryHolds(
    tx,
    [...new Set(batches.map(({ organization_id }) => organization_id))],
    now,
  );
  const candidates = await lockCandidates(tx, open, firsts, (batch) => lines.linksAddresses(batch));
  const persons = await readPersons(
    tx,
    addressesOf(
      batches.filter((batch) => lines.linksAddresses(batch)),
      candidates,
    ),
  );
  const of = { batches, candidates, persons };
  const tried = await readTried(tx, per_person, per_person === null ? [] : triedBy(of), now);
  const contacts = await readContacts(tx, contactedBy(of, lines), now);
  const blocked = await findReachIssues(tx, batches, candidates, persons);
  const stops = await readStopSigns(tx, stopQuestions(batches, candidates, persons));
  const lanes = batches.map((batch) => ({ batch, people: candidates.get(laneName(batch)) ?? [] }));
  const checks = await readNumberChecks(tx, lanes, now);
  return {
    lines,
    numbers,
    candidates,
    persons,
    tried,
    contacts,
    countries,
    lacksTemplate: await readLacksTemplate(tx, lanes, now),
    busy: new BusyAddresses(),
    firsts: await readFirsts(tx, open),
    eligibilityIssue: (batch, candidate) =>
      stepIssue(batch, candidate, stops) ??
      eligibilityIssue(
        batch.campaign,
        candidate,
        blocked(batch, candidate.target),
        destinations,
        checks.get(laneName(batch))?.get(candidate.target) ?? null,
      ),
  };
}

const addressesOf = (batches: DueBatch[], candidates: Map<string, Candidate[]>) =>
  batches.flatMap((batch) =>
    (candidates.get(laneName(batch)) ?? []).flatMap((candidate) =>
      addressesOfCandidate(batch, candidate).map((address) => ({
        sub_organization_id: batch.sub_organization_id,
        address,
      })),
    ),
  );

type ClaimPeople = { batches: DueBatch[]; candidates: Map<string, Candidate[]>; persons: Persons };

const triedBy = ({ batches, candidates, persons }: ClaimPeople): TriedAddress[] =>
  batches.flatMap(({ sub_organization_id, ...batch }) =>
    (candidates.get(laneName(batch)) ?? []).flatMap(({ target }) =>
      persons
        .addressesOf(sub_organization_id, [target])
        .map((each) => ({ sub_organization_id, target: each })),
    ),
  );

/** Only where an organization bounds how often a person is contacted. */
const contactedBy = ({ batches, candidates, persons }: ClaimPeople, lines: Lines): Contacted[] =>
  batches.flatMap((batch) => {
    const { organization_id } = batch;
    const rules = lines.rulesOf({ organization_id });
    return rules === null
      ? []
      : (candidates.get(laneName(batch)) ?? []).flatMap((candidate) =>
          addressesOfPerson(batch, candidate, persons).map((target) => ({ organization_id, target, rules })),
        );
  });

/** First attempts of the open days, read under the organizations' lock. */
async function readFirsts(tx: Tx, open: Open[]): Promise<FirstAttempts> {
  const wanted = open.flatMap(({ batch, days }) =>
    days.map(({ date }) => ({ campaign_id: batch.campaign.id, day: date })),
  );
  const { rows } = await sql<{ campaign_id: number; day: string; n: number }>`
    select distinct d.campaign_id, d.day::text as day, d.first_attempts as n
    from campaign_days d
    join json_to_recordset(${JSON.stringify(wanted)}::json) as w (campaign_id bigint, day date) using (campaign_id, day)
  `.execute(tx);
  return new FirstAttempts(rows);
}
