import { readPersons } from "../address-book/persons.ts";
import { readReachIssues } from "../consent/reach-check.ts";
import {
  addressesOfCandidate,
  addressesOfPerson,
  clockTarget,
  contactTimezone,
} from "../dialing/cadences/candidate-addresses.ts";
import { personOf } from "../dialing/candidates.ts";
import { contactKindOf, reachQuestion } from "../dialing/due-batches.ts";
import { eligibilityIssue } from "../dialing/eligibility.ts";
import { readContacts } from "../dialing/known/read-contacts.ts";
import { checksOfLane } from "../dialing/known/read-number-checks.ts";
import { isWithoutTemplate, readLacksTemplate } from "../dialing/known/read-templates.ts";
import { readTried } from "../dialing/known/read-tried.ts";
import { stepAddress } from "../planning/cadences/cadence.ts";
import { firstPossible } from "../planning/first-possible.ts";
import { type HeldPerson, personState, placeOfPerson } from "../planning/person-hold.ts";
import type { BatchLook } from "./batch-look.ts";
import type { PreflightTally } from "./preflight-tally.ts";
import type { RequestDeps } from "./request-next-step.ts";

/** `target`: where the step that they wait for reaches them. */
export type PreflightPerson = {
  id: number;
  step: number;
  attempt_count: number;
  target: string;
  request_target: string;
  request_variables: Record<string, string>;
  enrichment: Record<string, unknown> | null;
};

/** The same people as a later step would reach them; who has no address for it is counted in `tally`. */
export function peopleOfStep(
  { batch }: BatchLook,
  step: number,
  people: readonly PreflightPerson[],
  tally: PreflightTally,
): PreflightPerson[] {
  const cadence = batch.cadence?.[step - 1];
  if (!cadence) return [];
  return people.flatMap((person) => {
    if (person.step >= step) return [];
    const found = stepAddress(cadence, personOf(person));
    if (found.kind === "address") return [{ ...person, step, target: found.address }];
    tally.judged++;
    tally.add("skipped", "no-address");
    return [];
  });
}

/** As `nextStepOf`, for many at once. */
export async function judgePeople(
  { db, limits: { per_person = null }, destinations }: RequestDeps,
  { batch, lines, zone }: BatchLook,
  people: PreflightPerson[],
  tally: PreflightTally,
  now: Date,
): Promise<void> {
  const { organization_id, sub_organization_id } = batch;
  const rules = lines.rulesOf(batch);
  const kind = contactKindOf(batch);
  const opens = new Map<string, boolean>();
  /** Whether any minute of the campaign's days is open to this person. People of one place at once. */
  const everOpen = (held: Omit<HeldPerson, "past">): boolean => {
    const place = rules?.person_clock ? placeOfPerson(held) : null;
    // What names no zone is held for that.
    if (place === null) return true;
    const name = [place.zones, place.jurisdictions].join(" ");
    const known = opens.get(name);
    if (known !== undefined) return known;
    const hours = { schedule: batch.campaign, zone };
    const open = firstPossible({ hours, rules, ...kind, place, past: [] }, now) !== null;
    opens.set(name, open);
    return open;
  };
  const persons = await readPersons(
    db,
    people.flatMap((person) =>
      addressesOfCandidate(batch, person).map((address) => ({ sub_organization_id, address })),
    ),
  );
  const issues = await readReachIssues(
    db,
    people.map(({ target }) => reachQuestion(batch, target)),
    persons,
  );
  const contacts = await readContacts(
    db,
    rules === null
      ? []
      : people.flatMap((person) =>
          addressesOfPerson(batch, person, persons).map((target) => ({ organization_id, target, rules })),
        ),
    now,
  );
  const tried = await readTried(
    db,
    per_person,
    people.flatMap(({ target }) =>
      persons
        .addressesOf(sub_organization_id, [target])
        .map((each) => ({ sub_organization_id, target: each })),
    ),
    now,
  );
  const lacksTemplate = await readLacksTemplate(db, [{ batch, people }], now);
  const checks = await checksOfLane(db, { batch, people }, now);
  for (const [index, person] of people.entries()) {
    tally.judged++;
    tally.reaches_us ||= person.target.startsWith("+1");
    const check = checks.get(person.target) ?? null;
    const issue = eligibilityIssue(batch.campaign, person, issues[index] ?? null, destinations, check);
    const held = {
      ...person,
      target: clockTarget(batch, person),
      ...kind,
      campaign_zone: zone,
      contact_timezone: contactTimezone(batch, person, persons),
    };
    const past = addressesOfPerson(batch, person, persons).flatMap((address) => [
      ...contacts.with(batch, address),
    ]);
    const lacks_template = lacksTemplate(batch, person);
    const { hold, too_late } = personState(rules, { ...held, past, lacks_template }, now);
    if (isWithoutTemplate(batch, person)) tally.without_template++;
    if (issue !== null && issue.kind !== "lookup") tally.add("skipped", issue.kind);
    else if (too_late !== null) tally.add("skipped", "too-late");
    else if (!everOpen(held)) tally.add("later", "never-open");
    else if (hold !== null) tally.add("later", hold.reason);
    else if (tried.tooOften(batch, persons.addressesOf(sub_organization_id, [person.target])) !== null)
      tally.add("later", "too-often");
    else tally.contacted++;
  }
}
