import fc from "fast-check";
import { OUTREACH_PURPOSES } from "../../src/consent/consent.ts";
import { CONTACT_CHANNELS, contactHoursFaults } from "../../src/planning/contact-hours.ts";
import { WEEKDAYS } from "../../src/planning/weekday.ts";

/** What an organization asks of every start to a person, chosen at random: hours by purpose, holidays, caps, rest. */

const halfHour = (min: number, max: number) =>
  fc
    .integer({ min, max })
    .map((half) => `${String(Math.floor(half / 2)).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`);

const jurisdiction = fc.constantFrom("*", "US", "US-FL", "DE");
/** Null: whatever people are contacted for. */
const purpose = fc.constantFrom(null, null, null, ...OUTREACH_PURPOSES);

const contactHours = fc
  .array(
    fc.record({
      jurisdiction,
      channel: fc.constantFrom("call" as const, "call" as const, "text" as const, "email" as const),
      purpose,
      days: fc.subarray([...WEEKDAYS], { minLength: 4 }),
      from: halfHour(10, 24),
      to: halfHour(30, 48),
      source: fc.constant(null),
      checked_on: fc.constant(null),
    }),
    { maxLength: 3 },
  )
  .filter((rows) => contactHoursFaults(rows).length === 0);

const contactCap = fc.record({
  channel: fc.constantFrom("call" as const, "any" as const, "text" as const),
  attempts: fc.integer({ min: 1, max: 3 }),
  days: fc.constantFrom(1, 2, 7),
});

/** `dates`: those on which a holiday may fall. */
export const organizationRules = (dates: readonly string[]) =>
  fc.record({
    person_clock: fc.boolean(),
    contact_hours: contactHours,
    holidays: fc.array(
      fc.record({
        jurisdiction,
        date: fc.constantFrom(...dates),
        name: fc.constant("A day off"),
        channel: fc.constantFrom(null, null, ...CONTACT_CHANNELS),
        purpose,
        source: fc.constant(null),
      }),
      { maxLength: 2 },
    ),
    caps: fc.array(contactCap, { maxLength: 2 }),
    days_after_conversation: fc.option(fc.integer({ min: 1, max: 3 })),
  });
