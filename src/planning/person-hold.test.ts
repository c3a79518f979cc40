import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { isJurisdiction, placeOf } from "../geography/person-zones.ts";
import { type ContactHours, contactHoursFaults, FEDERAL_HOURS, nextContact } from "./contact-hours.ts";
import { type HeldPerson, type OutreachRules, personColumnFault, personState } from "./person-hold.ts";
import { WEEKDAYS } from "./weekday.ts";

const RULES: OutreachRules = {
  person_clock: true,
  contact_hours: [...FEDERAL_HOURS],
  caps: [],
  days_after_conversation: null,
};
const CALL = { channel: "call", purpose: "informational" } as const;
const person = (target: string, request_variables: Record<string, string> = {}): HeldPerson => ({
  target,
  channel: "call",
  purpose: "informational",
  request_variables,
  campaign_zone: "America/New_York",
  past: [],
});
const hold = (of: HeldPerson, now: string, rules = RULES) => personState(rules, of, new Date(now)).hold;

test("of a full cap and closed hours the one that lasts longest is told", () => {
  const past = [{ channel: "call" as const, at: new Date("2026-06-15T20:00:00Z"), talked_until: null }];
  const held = (days: number, now: string) =>
    hold({ ...person("+12065580002"), past }, now, {
      ...RULES,
      caps: [{ channel: "call", attempts: 1, days }],
    });
  // 22:00 in Seattle: the hours open at 08:00, which is before the day is over and after half of it.
  expect(held(1, "2026-06-16T05:00:00Z")).toMatchObject({
    reason: "contact-cap",
    until: new Date("2026-06-16T20:00:00Z"),
  });
  expect(held(1, "2026-06-16T19:59:59Z")).toMatchObject({ reason: "contact-cap" });
  const early = [{ channel: "call" as const, at: new Date("2026-06-15T06:00:00Z"), talked_until: null }];
  const caps = [{ channel: "call" as const, attempts: 1, days: 1 }];
  expect(
    hold({ ...person("+12065580002"), past: early }, "2026-06-16T05:00:00Z", { ...RULES, caps }),
  ).toMatchObject({ reason: "person-hours", until: new Date("2026-06-16T15:00:00Z") });
});

/** A second reading of the rules: the wall clock as Intl prints it. */
function isLegal(
  rows: readonly ContactHours[],
  channel: string,
  place: ReturnType<typeof placeOf>,
  at: Date,
): boolean {
  if (place === null) return false;
  return place.zones.every((timeZone) => {
    const format = {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    } as const;
    const parts = new Intl.DateTimeFormat("en-US", format).formatToParts(at);
    const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
    const [day, time] = [part("weekday").toLowerCase(), `${part("hour")}:${part("minute")}`];
    return place.jurisdictions.every((jurisdiction) => {
      const own = rows.filter((row) => row.channel === channel && row.jurisdiction === jurisdiction);
      return (
        own.length === 0 ||
        own.some(({ days, from, to }) => days.includes(day as never) && from <= time && time < to)
      );
    });
  });
}

const MINUTE_ms = 60_000;
const HALF_HOUR_ms = 30 * MINUTE_ms;
/** Around both changes of the clocks in the US and in Europe, and any day. */
const instant = fc
  .tuple(
    fc.constantFrom(
      "2026-03-08T04:00:00Z",
      "2026-11-01T03:00:00Z",
      "2026-03-29T00:00:00Z",
      "2026-06-15T00:00:00Z",
    ),
    fc.integer({ min: 0, max: 3 * 24 * 60 - 1 }),
  )
  .map(([from, minutes]) => new Date(Date.parse(from) + minutes * MINUTE_ms));
const time = (min: number, max: number) =>
  fc.integer({ min, max }).map((half) => `${String(half >> 1).padStart(2, "0")}:${half % 2 ? "30" : "00"}`);
const row = fc.record({
  jurisdiction: fc.constantFrom("*", "US", "US-FL", "US-IN", "DE"),
  channel: fc.constant("call" as const),
  days: fc.subarray([...WEEKDAYS], { minLength: 5 }),
  from: time(14, 22),
  to: time(32, 48),
  source: fc.constant(null),
  checked_on: fc.constant(null),
});
const number = fc.constantFrom(
  "+12125550100", // New York
  "+18505550100", // Florida on both sides of a border of zones
  "+18125550100", // Indiana, the same
  "+19285550100", // Arizona, without and with summer time
  "+18085550100", // Hawaii
  "+17095550100", // Newfoundland, on a half hour
  "+18005550100", // anywhere
  "+4930901820", // Germany
  "+61412345678", // Australia, any of its zones
);

describe("the person's own clock", () => {
  test("nobody is contacted outside the hours of every zone they may be in, and as soon as all are open", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), number, instant, (rows, target, now) => {
        fc.pre(contactHoursFaults(rows).length === 0);
        const place = placeOf({ timezone: null, target }, "America/New_York");
        const { at } = nextContact({ contact_hours: rows }, CALL, place as never, now);
        if (at === null) {
          // Then no half hour of a week has all of them open.
          for (let step = 0; step < 7 * 48; step++) {
            const then = new Date(
              Math.ceil(now.getTime() / HALF_HOUR_ms) * HALF_HOUR_ms + step * HALF_HOUR_ms,
            );
            expect(isLegal(rows, "call", place, then)).toBe(false);
          }
          return;
        }
        expect(isLegal(rows, "call", place, at)).toBe(true);
        if (at.getTime() === now.getTime()) return;
        expect(isLegal(rows, "call", place, now)).toBe(false);
        expect(isLegal(rows, "call", place, new Date(at.getTime() - 1))).toBe(false);
        for (let ms = now.getTime(); ms < at.getTime(); ms += HALF_HOUR_ms)
          expect(isLegal(rows, "call", place, new Date(ms))).toBe(false);
      }),
    );
  });

  test.each([
    [
      "+12135550100",
      "2026-11-24T15:59:00Z",
      "2026-11-24T16:00:00.000Z",
      "Waiting for 08:00 in Los Angeles, by the number's area.",
    ],
    [
      "+12135550100",
      "2026-11-25T05:00:00Z",
      "2026-11-25T16:00:00.000Z",
      "Waiting for 2026-11-25 08:00 in Los Angeles, by the number's area.",
    ],
    // El Paso and Dallas have one zone each; the west of Florida two, of which the later opens last.
    [
      "+19155550100",
      "2026-11-24T14:30:00Z",
      "2026-11-24T15:00:00.000Z",
      "Waiting for 08:00 in Denver, by the number's area.",
    ],
    [
      "+18505550100",
      "2026-11-24T13:30:00Z",
      "2026-11-24T14:00:00.000Z",
      "Waiting for 08:00 in Chicago, by the number's area.",
    ],
    // The night in which clocks are set ahead is an hour shorter, the one in which they are set back an hour longer.
    [
      "+12125550100",
      "2026-03-08T06:00:00Z",
      "2026-03-08T12:00:00.000Z",
      "Waiting for 08:00 in New York, by the number's area.",
    ],
    [
      "+12125550100",
      "2026-11-01T05:30:00Z",
      "2026-11-01T13:00:00.000Z",
      "Waiting for 08:00 in New York, by the number's area.",
    ],
    [
      "+4930901820",
      "2026-11-24T05:00:00Z",
      "2026-11-24T07:00:00.000Z",
      "Waiting for 08:00 in Berlin, by the number's area.",
    ],
  ])("%s at %s waits until %s", (target, now, until, text) => {
    const found = hold(person(target), now);
    expect([found?.until.toISOString(), found?.text, found?.reason]).toEqual([until, text, "person-hours"]);
  });

  test.each([
    ["+12125550100", "2026-11-24T13:00:00Z"],
    ["+12125550100", "2026-11-25T01:59:59Z"],
    // Both zones of the code are open between 09:00 and 21:00 in New York.
    ["+18505550100", "2026-11-25T01:59:00Z"],
  ])("%s is free at %s", (target, now) => {
    expect(hold(person(target), now)).toBeNull();
  });

  test("the request's own zone goes before the number's, and one that does not exist is held, not guessed", () => {
    const moved = person("+12125550100", { timezone: "America/Los_Angeles" });
    expect(hold(moved, "2026-11-24T14:00:00Z")?.text).toBe(
      "Waiting for 08:00 in Los Angeles, the request's own zone.",
    );
    const nowhere = person("+12125550100", { timezone: "Mars/Base" });
    expect(hold(nowhere, "2026-11-24T18:00:00Z")).toMatchObject({
      reason: "unknown-zone",
      text: 'Waiting: the request\'s timezone "Mars/Base" does not exist.',
    });
  });

  test("the postal code goes after the zones of request and contact, and before the number's area", () => {
    const zip = { zip: "79901-1234" };
    const moved = person("+12125550100", zip);
    expect(hold(moved, "2026-11-24T14:30:00Z")?.text).toBe(
      "Waiting for 08:00 in Denver, by the postal code.",
    );
    expect(hold({ ...moved, contact_timezone: "America/Chicago" }, "2026-11-24T13:30:00Z")?.text).toBe(
      "Waiting for 08:00 in Chicago, the contact's zone.",
    );
    const own = person("+12125550100", { ...zip, timezone: "America/Los_Angeles" });
    expect(hold(own, "2026-11-24T15:30:00Z")?.text).toBe(
      "Waiting for 08:00 in Los Angeles, the request's own zone.",
    );
    const toll_free = person("+18005550100", { "vars.postal_code": "K1A 0B1" });
    expect(hold(toll_free, "2026-11-24T12:30:00Z")?.text).toBe(
      "Waiting for 08:00 in Toronto, by the postal code.",
    );
  });

  test.each([
    ["no code", "+12135550100", { zip: "unknown" }],
    ["codes that contradict each other", "+12135550100", { zip: "10001", postcode: "60601" }],
    ["a code of the armed forces", "+12135550100", { zip_code: "09012" }],
  ])("%s leaves the person to the number's area", (_what, target, variables) => {
    expect(hold(person(target, variables), "2026-11-24T15:00:00Z")?.text).toBe(
      "Waiting for 08:00 in Los Angeles, by the number's area.",
    );
  });

  test("five digits beside a number of Germany are no ZIP code", () => {
    expect(hold(person("+4930901820", { postal_code: "10115" }), "2026-11-24T05:00:00Z")?.text).toBe(
      "Waiting for 08:00 in Berlin, by the number's area.",
    );
  });

  test("the rules of the postal code's state hold beside those of the number's", () => {
    const florida = {
      jurisdiction: "US-FL",
      channel: "call" as const,
      source: null,
      checked_on: null,
      days: [...WEEKDAYS],
      from: "09:00",
      to: "20:00",
    };
    const texas = { ...florida, jurisdiction: "US-TX", from: "10:00" };
    const rules = { ...RULES, contact_hours: [...FEDERAL_HOURS, florida, texas] };
    const moved = person("+15125550100", { zip: "33101" });
    expect(hold(moved, "2026-11-24T13:30:00Z", rules)?.until.toISOString()).toBe("2026-11-24T15:00:00.000Z");
    expect(isJurisdiction("CA-PE")).toBe(true);
  });

  test("a state's stricter hours hold beside those for everybody, and hours of a channel bound no other", () => {
    const sunday = { jurisdiction: "US-FL", channel: "call" as const, source: null, checked_on: null };
    const days = WEEKDAYS.filter((day) => day !== "sun");
    const rules = {
      ...RULES,
      contact_hours: [...FEDERAL_HOURS, { ...sunday, days, from: "09:00", to: "20:00" }],
    };
    const [miami, boston] = [person("+13055550100"), person("+16175550100")];
    expect(hold(miami, "2026-11-24T13:30:00Z", rules)?.until.toISOString()).toBe("2026-11-24T14:00:00.000Z");
    expect(hold(boston, "2026-11-24T13:30:00Z", rules)).toBeNull();
    expect(hold({ ...miami, channel: "text" }, "2026-11-24T13:30:00Z", rules)).toBeNull();
    expect(hold(miami, "2026-11-22T18:00:00Z", rules)?.until.toISOString()).toBe("2026-11-23T14:00:00.000Z");
  });

  test("an address that tells no place keeps the campaign's zone, and e-mails have no hours unless a rule says so", () => {
    const mail: HeldPerson = { ...person("ann@clinic.example"), channel: "email" };
    expect(hold(mail, "2026-11-24T05:00:00Z")).toBeNull();
    const rules = {
      ...RULES,
      contact_hours: FEDERAL_HOURS.map((each) => ({ ...each, channel: "email" as const })),
    };
    expect(hold(mail, "2026-11-24T05:00:00Z", rules)?.text).toBe(
      "Waiting for 08:00 in New York, the campaign's zone, because the address tells none.",
    );
  });

  test("without the rules, or with the person's clock off, nobody waits for it", () => {
    const asleep = person("+12135550100");
    expect(personState(null, asleep, new Date("2026-11-24T08:00:00Z"))).toEqual({
      hold: null,
      too_late: null,
    });
    expect(hold(asleep, "2026-11-24T08:00:00Z", { ...RULES, person_clock: false })).toBeNull();
  });
});

describe("not before and not after", () => {
  const NOON = "2026-11-24T17:00:00Z";
  test.each([
    [{ not_before: "2026-11-24T18:00:00Z" }, "not-before", "2026-11-24T18:00:00.000Z"],
    [{ not_before: "2026-11-24T13:30" }, "not-before", "2026-11-24T18:30:00.000Z"],
    // A date begins at midnight, and the person's hours at eight.
    [{ not_before: "2026-11-26" }, "person-hours", "2026-11-26T13:00:00.000Z"],
    [
      { not_before: "2026-11-24T23:30:00Z", timezone: "Europe/Paris" },
      "person-hours",
      "2026-11-25T07:00:00.000Z",
    ],
    [{ not_before: "tomorrow" }, "unreadable-time", "2026-11-24T18:00:00.000Z"],
  ])("%o is %s until %s", (variables, reason, until) => {
    const found = hold(person("+12125550100", variables as Record<string, string>), NOON);
    expect([found?.reason, found?.until.toISOString()]).toEqual([reason, until]);
  });

  test.each([
    ["2026-11-24T16:59:00Z", true],
    ["2026-11-24T17:00:01Z", false],
    // A time on the person's own clock, at which it is noon, is that time and not the end of its day.
    ["2026-11-24T11:59", true],
    ["2026-11-24T12:01", false],
    ["2026-11-24", false],
    ["2026-11-23", true],
  ])("after %s it is too late: %s", (not_after, late) => {
    const { too_late } = personState(RULES, person("+12125550100", { not_after }), new Date(NOON));
    expect(too_late !== null).toBe(late);
  });

  test("where several zones are possible a date begins in the last and ends in the first of them", () => {
    const target = "+18505550100"; // Chicago and New York
    const night = { ...RULES, contact_hours: [] };
    const from = hold(person(target, { not_before: "2026-11-25" }), NOON, night);
    expect(from?.until.toISOString()).toBe("2026-11-25T06:00:00.000Z");
    const late = (now: string) =>
      personState(night, person(target, { not_after: "2026-11-24" }), new Date(now)).too_late !== null;
    expect([late("2026-11-25T04:59:59Z"), late("2026-11-25T05:00:00Z")]).toEqual([false, true]);
  });

  test.each([
    ["timezone", "America/Los_Angeles", true],
    ["timezone", "", true],
    ["timezone", "PST8PDT-nowhere", false],
    ["timezone", "+05:00", false],
    ["not_before", "2026-02-30", false],
    ["not_before", "11/24/2026", false],
    ["not_after", "2026-11-24T25:00", false],
    ["not_after", "2026-11-24 09:00:00+01:00", true],
    ["not_after", " 2026-11-24 ", true],
    ["timezone", " ", true],
  ] as const)("a cell %s of %s is read: %s", (column, value, fine) => {
    expect(personColumnFault(column, value) === null).toBe(fine);
  });
});

describe("rules as data", () => {
  const base = { jurisdiction: "US", channel: "call" as const, source: null, checked_on: null };
  test.each([
    [[{ ...base, days: [], from: "09:00", to: "20:00" }], "days"],
    [[{ ...base, days: ["mon" as const], from: "20:00", to: "09:00" }], "to"],
    [
      [
        { ...base, days: ["mon" as const], from: "09:00", to: "12:00" },
        { ...base, jurisdiction: "US-FL", days: ["mon" as const], from: "12:00", to: "18:00" },
      ],
      "jurisdiction",
    ],
    [
      [
        { ...base, days: ["mon" as const], from: "09:00", to: "12:00" },
        { ...base, jurisdiction: "US-FL", days: ["tue" as const], from: "09:00", to: "12:00" },
      ],
      "jurisdiction",
    ],
  ])("rules that leave no minute open are refused: %#", (rows, field) => {
    expect(contactHoursFaults(rows as ContactHours[]).map((fault) => fault.field)).toContain(field);
  });
});

test("a missing template of WhatsApp holds whom nothing else holds, and is looked for again in a quarter of an hour", () => {
  const lacks: HeldPerson = { ...person("+12125550100"), channel: "text", lacks_template: true };
  expect(hold(lacks, "2026-11-24T18:00:00Z", { ...RULES, person_clock: false })).toMatchObject({
    reason: "no-approved-template",
    until: new Date("2026-11-24T18:15:00Z"),
  });
  const early = { ...lacks, request_variables: { not_before: "2026-11-25T18:00:00Z" } };
  const without = { ...early, lacks_template: false };
  expect(hold(without, "2026-11-24T18:00:00Z")).not.toBeNull();
  expect(hold(early, "2026-11-24T18:00:00Z")).toEqual(hold(without, "2026-11-24T18:00:00Z"));
});

test("whatever cells name, up to the last day there is, a person is looked at again at a time that can be stored", () => {
  const day = fc.constantFrom(
    "0000-01-01",
    "1900-02-28",
    "2026-11-18",
    "2027-03-14",
    "9999-01-01",
    "9999-12-31",
  );
  const time = fc.constantFrom(
    "",
    "T00:00",
    "T02:30",
    "T23:59:59",
    "T23:59:59Z",
    "T00:00:00+14:00",
    "T23:59-12:00",
  );
  const cell = fc.oneof(
    fc.tuple(day, time).map(([date, at]) => date + at),
    fc.string({ maxLength: 20 }),
  );
  const cells = fc.record(
    {
      not_before: cell,
      not_after: cell,
      timezone: fc.constantFrom("", "Pacific/Niue", "Pacific/Kiritimati", "?"),
    },
    { requiredKeys: [] },
  );
  const now = new Date("2026-11-18T15:00:00Z");
  fc.assert(
    fc.property(cells, fc.constantFrom("+16175580001", "+12065580002", "+499912345"), (given, target) => {
      const { hold: held } = personState(RULES, person(target, given as Record<string, string>), now);
      if (held !== null) expect(held.until.toISOString()).toMatch(/^\d{4}-/);
    }),
    { numRuns: rounds(500) },
  );
});
