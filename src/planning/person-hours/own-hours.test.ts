import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { FEDERAL_HOURS } from "../contact-hours.ts";
import { personState } from "../person-hold.ts";
import { type JudgedPerson, ownHoursOf, ownHoursText } from "./own-hours.ts";

const RULES = {
  person_clock: true,
  contact_hours: [...FEDERAL_HOURS],
  holidays: [{ jurisdiction: "US", date: "2026-12-25", name: "Christmas Day" }],
  caps: [],
  days_after_conversation: null,
};

const person: fc.Arbitrary<JudgedPerson> = fc.record({
  channel: fc.constantFrom("call" as const, "email" as const),
  purpose: fc.constantFrom("marketing" as const, "emergency" as const),
  target: fc.constantFrom(
    "+12125550100",
    "+18505550100",
    "+18085550100",
    "+4930901820",
    "ann@clinic.example",
  ),
  request_variables: fc.constantFrom<Record<string, string>>(
    {},
    { timezone: "Asia/Tokyo" },
    { timezone: "Mars/Base" },
    { zip: "79901" },
    { not_before: "2026-12-26T08:30" },
    { not_before: "2026-12-25T22:00:00Z", timezone: "Asia/Tokyo" },
  ),
  campaign_zone: fc.constant("America/Chicago"),
  contact_timezone: fc.constantFrom(null, "Europe/Paris"),
});
const instant = fc
  .integer({ min: 0, max: 72 * 60 })
  .map((minutes) => new Date(Date.parse("2026-12-24T00:00:00Z") + minutes * 60_000));

test("for all people: who is counted is who the claim would hold for their hours, a holiday or the time that their request names, and the first is the first of them", () => {
  fc.assert(
    fc.property(fc.array(person, { maxLength: 30 }), instant, (people, now) => {
      const holds = people.flatMap((each) => {
        const { hold } = personState(RULES, { ...each, past: [] }, now);
        const isCounted = hold && ["person-hours", "holiday", "not-before"].includes(hold.reason);
        return isCounted ? [hold.until.getTime()] : [];
      });
      const { judged, held, zones } = ownHoursOf(RULES, people, now);
      expect([judged, held]).toEqual([people.length, holds.length]);
      expect(zones[0]?.opens_at.getTime()).toBe(holds.length === 0 ? undefined : Math.min(...holds));
    }),
    { numRuns: rounds(300) },
  );
});

test("a sample is told as one", () => {
  const now = new Date("2026-12-01T10:00:00Z");
  const zones = [{ zone: "America/New_York", people: 12, opens_at: new Date("2026-12-01T13:00:00Z") }];
  expect(ownHoursText({ judged: 5_000, held: 12, zones }, 20_000, now)).toBe(
    "12 of a sample of 5,000 among 20,000 people wait for their own hours, the first for 08:00 in New York.",
  );
});
