import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { type PersonPlace, placeOf } from "../../geography/person-zones.ts";
import {
  type ContactHoliday,
  type ContactHours,
  type ContactKind,
  type ContactRules,
  contactHoursFaults,
  FEDERAL_HOURS,
  nextContact,
} from "../contact-hours.ts";
import { type OutreachRules, personState } from "../person-hold.ts";
import { WEEKDAYS } from "../weekday.ts";
import { ownHoursOf, ownHoursText } from "./own-hours.ts";

const MINUTE_ms = 60_000;
const HALF_HOUR_ms = 30 * MINUTE_ms;
const PURPOSES = ["marketing", "informational", "emergency"] as const;

const jurisdiction = fc.constantFrom("*", "US", "US-FL", "CA", "CA-NL", "DE");
const channel = fc.constantFrom("call" as const, "text" as const);
const purpose = fc.option(fc.constantFrom(...PURPOSES));
const time = (min: number, max: number) =>
  fc.integer({ min, max }).map((half) => `${String(half >> 1).padStart(2, "0")}:${half % 2 ? "30" : "00"}`);
const row: fc.Arbitrary<ContactHours> = fc.record({
  jurisdiction,
  channel,
  purpose,
  days: fc.subarray([...WEEKDAYS], { minLength: 5 }),
  from: time(14, 22),
  to: time(32, 48),
  source: fc.constant(null),
  checked_on: fc.constant(null),
});
/** Around both changes of the clocks, and where days of them lie in a row. */
const holiday: fc.Arbitrary<ContactHoliday> = fc.record({
  jurisdiction,
  purpose,
  channel: fc.option(channel),
  source: fc.constant(null),
  date: fc.constantFrom("2026-03-08", "2026-03-09", "2026-11-01", "2026-11-02", "2026-11-03"),
  name: fc.constant("Holiday"),
});
const instant = fc
  .tuple(
    fc.constantFrom("2026-03-07T00:00:00Z", "2026-10-31T00:00:00Z"),
    fc.integer({ min: 0, max: 5 * 24 * 60 - 1 }),
  )
  .map(([from, minutes]) => new Date(Date.parse(from) + minutes * MINUTE_ms));
const place = fc
  .constantFrom(
    "+12125550100", // New York
    "+18505550100", // Florida on both sides of a border of zones
    "+17095550100", // Newfoundland and Labrador, on a half hour
    "+18005550100", // anywhere
    "+4930901820", // Germany
  )
  .map((target) => placeOf({ timezone: null, target }, "America/New_York") as PersonPlace);
const kind: fc.Arbitrary<ContactKind> = fc.record({ channel, purpose: fc.constantFrom(...PURPOSES) });
const rules: fc.Arbitrary<ContactRules> = fc
  .record({ contact_hours: fc.array(row, { maxLength: 5 }), holidays: fc.array(holiday, { maxLength: 4 }) })
  .filter(({ contact_hours }) => contactHoursFaults(contact_hours).length === 0);

/** A second reading of the rules: the wall clock as Intl prints it, rule by rule. */
function isLegal(of: ContactRules, { channel, purpose }: ContactKind, where: PersonPlace, at: Date): boolean {
  const isMeant = (rule: {
    jurisdiction: string;
    channel?: string | null;
    purpose?: string | null | undefined;
  }) =>
    where.jurisdictions.includes(rule.jurisdiction) &&
    [null, undefined, channel].includes(rule.channel as never) &&
    [null, undefined, purpose].includes(rule.purpose as never);
  return where.zones.every((timeZone) => {
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    } as const).formatToParts(at);
    const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
    const date = `${part("year")}-${part("month")}-${part("day")}`;
    if ((of.holidays ?? []).some((day) => isMeant(day) && day.date === date)) return false;
    const [day, clock] = [part("weekday").toLowerCase(), `${part("hour")}:${part("minute")}`];
    const isOpen = ({ days, from, to }: ContactHours) =>
      days.includes(day as never) && from <= clock && clock < to;
    const rows = of.contact_hours.filter(isMeant);
    return rows.every((row) =>
      rows.some(
        (other) => other.jurisdiction === row.jurisdiction && other.purpose === row.purpose && isOpen(other),
      ),
    );
  });
}

const within = (of: ContactRules, by: ContactKind, where: PersonPlace, now: Date) =>
  nextContact(of, by, where, now).at?.getTime() ?? Number.POSITIVE_INFINITY;

describe("rules by purpose, and holidays", () => {
  test("for all rules: a start lies in the hours of its purpose and on no holiday in every zone, and is the first that does", () => {
    fc.assert(
      fc.property(rules, kind, place, instant, (of, by, where, now) => {
        const { at, holidays } = nextContact(of, by, where, now);
        const end = at?.getTime() ?? now.getTime() + 8 * 86_400_000;
        for (let ms = now.getTime(); ms < end; ms += HALF_HOUR_ms)
          expect(isLegal(of, by, where, new Date(ms))).toBe(false);
        if (at === null) return;
        expect(isLegal(of, by, where, at)).toBe(true);
        if (at > now) expect(isLegal(of, by, where, new Date(at.getTime() - 1))).toBe(false);
        // Named are those that change something, and no others.
        const without = { ...of, holidays: (of.holidays ?? []).filter((day) => !holidays.includes(day)) };
        expect(within(without, by, where, now) < at.getTime()).toBe(holidays.length > 0);
      }),
      { numRuns: rounds(400) },
    );
  });

  test("for all rules: one of another purpose, channel or place changes nothing", () => {
    fc.assert(
      fc.property(rules, row, holiday, kind, place, instant, (of, more, day, by, where, now) => {
        const isOther = (rule: ContactHours | ContactHoliday) =>
          !where.jurisdictions.includes(rule.jurisdiction) ||
          (rule.channel ?? by.channel) !== by.channel ||
          (rule.purpose ?? by.purpose) !== by.purpose;
        const added = {
          contact_hours: [...of.contact_hours, ...(isOther(more) ? [more] : [])],
          holidays: [...(of.holidays ?? []), ...(isOther(day) ? [day] : [])],
        };
        expect(nextContact(added, by, where, now)).toEqual(nextContact(of, by, where, now));
      }),
      { numRuns: rounds(400) },
    );
  });

  test("for all rules: one more of another jurisdiction or purpose, or one more holiday, never opens earlier", () => {
    fc.assert(
      fc.property(rules, row, holiday, kind, place, instant, (of, more, day, by, where, now) => {
        const isNew = of.contact_hours.every(
          (each) => each.jurisdiction !== more.jurisdiction || (each.purpose ?? null) !== more.purpose,
        );
        const added = {
          contact_hours: [...of.contact_hours, ...(isNew ? [more] : [])],
          holidays: [...(of.holidays ?? []), day],
        };
        expect(within(added, by, where, now)).toBeGreaterThanOrEqual(within(of, by, where, now));
      }),
      { numRuns: rounds(400) },
    );
  });

  test("for all rules that are accepted: each purpose has a minute open in each zone", () => {
    fc.assert(
      fc.property(rules, kind, jurisdiction, instant, (of, by, name, now) => {
        const jurisdictions = [...new Set(["*", name.slice(0, 2), name])];
        const where = { zones: ["America/New_York"], jurisdictions };
        expect(nextContact(of, by, where, now).at).not.toBeNull();
      }),
      { numRuns: rounds(400) },
    );
  });

  test("for all rules: they are refused where, and only where, they leave a purpose of a row no minute of the week", () => {
    const narrow = fc.record({
      jurisdiction: fc.constantFrom("*", "US", "US-FL", "CA"),
      channel,
      purpose,
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      from: time(14, 33),
      to: time(30, 48),
      source: fc.constant(null),
      checked_on: fc.constant(null),
    });
    const isOpenAt = (each: ContactHours, day: ContactHours["days"][number], at: string) =>
      each.days.includes(day) && each.from <= at && at < each.to;
    const halves = Array.from(
      { length: 48 },
      (_, half) => `${String(half >> 1).padStart(2, "0")}:${half % 2 ? "30" : "00"}`,
    );
    fc.assert(
      fc.property(fc.array(narrow, { minLength: 1, maxLength: 6 }), (rows) => {
        const leavesMinute = (of: ContactHours, meant: (typeof PURPOSES)[number]) => {
          const bound = rows.filter(
            (each) =>
              each.channel === of.channel &&
              (each.purpose ?? meant) === meant &&
              (each.jurisdiction === "*" || `${of.jurisdiction}-`.startsWith(`${each.jurisdiction}-`)),
          );
          return WEEKDAYS.some((day) =>
            halves.some((at) =>
              bound.every((one) =>
                bound.some(
                  (each) =>
                    each.jurisdiction === one.jurisdiction &&
                    each.purpose === one.purpose &&
                    isOpenAt(each, day, at),
                ),
              ),
            ),
          );
        };
        const isSound = rows.every(
          (each) =>
            each.from < each.to &&
            PURPOSES.every((one) => (each.purpose ?? one) !== one || leavesMinute(each, one)),
        );
        expect(contactHoursFaults(rows).length === 0).toBe(isSound);
      }),
      { numRuns: rounds(500) },
    );
  });

  test("for all rules that were saved before there were purposes and holidays: they hold for every purpose", () => {
    const old = row.map(({ purpose: _, ...rest }) => rest);
    fc.assert(
      fc.property(fc.array(old, { maxLength: 5 }), kind, place, instant, (contact_hours, by, where, now) => {
        const marked = contact_hours.map((each) => ({ ...each, purpose: null }));
        expect(nextContact({ contact_hours }, by, where, now)).toEqual(
          nextContact({ contact_hours: marked, holidays: [] }, { ...by, purpose: "emergency" }, where, now),
        );
      }),
      { numRuns: rounds(300) },
    );
  });
});

const day = (date: string, name: string, more: Partial<ContactHoliday> = {}): ContactHoliday => ({
  jurisdiction: "US",
  date,
  name,
  channel: null,
  purpose: null,
  source: null,
  ...more,
});
const state = (of: Partial<OutreachRules>, by: Partial<ContactKind>, now: string, target = "+12125550100") =>
  personState(
    { person_clock: true, contact_hours: [...FEDERAL_HOURS], caps: [], days_after_conversation: null, ...of },
    {
      channel: "call",
      purpose: "informational",
      target,
      request_variables: {},
      past: [],
      campaign_zone: "America/New_York",
      ...by,
    },
    new Date(now),
  ).hold;

describe("what the trace says", () => {
  const CHRISTMAS = day("2026-12-25", "Christmas Day");

  test("who waits for the end of a holiday is told which one", () => {
    const found = state({ holidays: [CHRISTMAS] }, {}, "2026-12-25T15:00:00Z");
    expect(found).toEqual({
      reason: "holiday",
      until: new Date("2026-12-26T13:00:00Z"),
      text: "Waiting for 2026-12-26 08:00 in New York, by the number's area, after Christmas Day (2026-12-25).",
    });
  });

  test("holidays in a row are all passed, and the first three are named", () => {
    const days = [24, 25, 26, 27, 28].map((n) => day(`2026-12-${n}`, `Day ${n}`));
    const found = state({ holidays: days.toReversed() }, {}, "2026-12-24T15:00:00Z");
    expect(found?.text).toBe(
      "Waiting for 2026-12-29 08:00 in New York, by the number's area, after Day 24 (2026-12-24) and Day 25 (2026-12-25) and Day 26 (2026-12-26) and 2 more.",
    );
  });

  test("where a number may be in several zones the holiday begins in the first and ends in the last of them", () => {
    const night = { contact_hours: [], holidays: [CHRISTMAS] };
    const florida = "+18505550100"; // New York and Chicago
    expect(state(night, {}, "2026-12-25T04:59:00Z", florida)).toBeNull();
    expect(state(night, {}, "2026-12-25T05:00:00Z", florida)?.until).toEqual(
      new Date("2026-12-26T06:00:00Z"),
    );
  });

  test("who can't be contacted for years is told how far was looked, and for what, and is looked at again", () => {
    const mondays = Array.from({ length: 500 }, (_, week) =>
      day(new Date(Date.UTC(2026, 10, 30 + 7 * week)).toISOString().slice(0, 10), "Monday", {
        jurisdiction: "*",
      }),
    );
    const contact_hours = FEDERAL_HOURS.map((row) => ({ ...row, days: ["mon" as const] }));
    const russia = "+79161234567"; // 26 zones
    const found = state({ contact_hours, holidays: mondays }, {}, "2026-12-01T12:00:00Z", russia);
    expect(found).toMatchObject({ reason: "person-hours", until: new Date("2026-12-01T13:00:00Z") });
    expect(found?.text).toMatch(
      /^Waiting: the contact hours and holidays leave no minute that is open in every zone the number may be in before 20\d\d-.*, which is as far ahead as Parley looks\.$/,
    );
    const person = { channel: "call", purpose: "informational", target: russia } as const;
    const rest = { request_variables: {}, campaign_zone: "UTC" };
    const now = new Date("2026-12-01T12:00:00Z");
    const counted = ownHoursOf({ contact_hours, holidays: mondays }, [{ ...person, ...rest }], now);
    expect(counted).toEqual({ judged: 1, held: 1, zones: [] });
    expect(ownHoursText(counted, 1, now)).toBe(
      "1 of 1 people wait for their own hours, and no time is known that is open for any of them.",
    );
  });

  test("a holiday of another country, channel or purpose holds nobody", () => {
    const at = "2026-12-25T15:00:00Z";
    for (const more of [
      { jurisdiction: "DE" },
      { channel: "text" as const },
      { purpose: "marketing" as const },
    ])
      expect(state({ holidays: [day("2026-12-25", "Other", more)] }, {}, at)).toBeNull();
  });

  test("a row for one purpose narrows its campaigns alone, and emergencies without a row may call at night", () => {
    const base = FEDERAL_HOURS.filter(({ channel }) => channel === "call");
    const of = (purpose: ContactHours["purpose"], from: string) =>
      base.map((row) => ({ ...row, purpose, from }));
    const contact_hours = [
      ...of("informational", "08:00"),
      ...of("marketing", "08:00"),
      ...of("marketing", "10:00"),
    ];
    const narrowed = [...of(null, "08:00"), ...of("marketing", "10:00")];
    const nine = "2026-12-01T14:00:00Z";
    expect(state({ contact_hours: narrowed }, { purpose: "marketing" }, nine)?.until).toEqual(
      new Date("2026-12-01T15:00:00Z"),
    );
    expect(state({ contact_hours: narrowed }, {}, nine)).toBeNull();
    // Two rows of one purpose add up.
    expect(state({ contact_hours }, { purpose: "marketing" }, nine)).toBeNull();
    const night = "2026-12-01T07:00:00Z";
    expect(state({ contact_hours }, { purpose: "emergency" }, night)).toBeNull();
    expect(state({ contact_hours: narrowed }, { purpose: "emergency" }, night)).not.toBeNull();
  });

  test("rows of a purpose that leave it no minute are refused at their row, with the purpose", () => {
    const row = { channel: "call", days: ["mon"], source: null, checked_on: null } as const;
    const all = { ...row, days: [...row.days], jurisdiction: "*", from: "09:00", to: "12:00" };
    const marketing = { ...all, purpose: "marketing" as const, from: "13:00", to: "18:00" };
    const msg = "Together with the rules for * this leaves no minute of the week open for marketing";
    expect(contactHoursFaults([all, marketing])).toEqual([
      { index: 0, field: "jurisdiction", msg },
      { index: 1, field: "jurisdiction", msg },
    ]);
    expect(contactHoursFaults([{ ...all, purpose: "emergency" }, marketing])).toEqual([]);
  });
});
