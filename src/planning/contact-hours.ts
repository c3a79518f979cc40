import type { OutreachPurpose } from "../consent/consent.ts";
import { isOpen, nextOpening, type Schedule } from "./schedule.ts";
import { DAY_ms, LAST_OPENING_ms, wallClock } from "./wall-clock.ts";
import { WEEKDAYS, type Weekday } from "./weekday.ts";

/** How a person is contacted, as rules for them tell it apart: WhatsApp is a text. */
export const CONTACT_CHANNELS = ["call", "text", "email"] as const;
export type ContactChannel = (typeof CONTACT_CHANNELS)[number];

export const contactChannelOf = (mode: "voice" | "sms" | "whatsapp" | "email"): ContactChannel =>
  mode === "voice" ? "call" : mode === "email" ? "email" : "text";

/**
 * When people of a jurisdiction may be contacted, on their own clock: "*", a country ("US") or a state ("US-FL"). Rows of
 * one jurisdiction, channel and purpose add up; of several jurisdictions, and of a purpose beside all purposes, all must be
 * open. So a row for one purpose only narrows what rows for all purposes leave open. Where no row is, hours are not bounded.
 */
export type ContactHours = {
  jurisdiction: string;
  channel: ContactChannel;
  /** Null and left out: whatever people are contacted for. */
  purpose?: OutreachPurpose | null;
  days: Weekday[];
  /** HH:MM, 24:00 for the end of the day; `from` lies before `to`. */
  from: string;
  to: string;
  /** The law or policy behind it, and when somebody last read it. */
  source: string | null;
  checked_on: string | null;
};

/** A day, YYYY-MM-DD on the person's own clock, on which nobody of the jurisdiction is contacted. */
export type ContactHoliday = {
  jurisdiction: string;
  date: string;
  name: string;
  /** Null and left out: on any channel, for any purpose. */
  channel?: ContactChannel | null;
  purpose?: OutreachPurpose | null;
  source?: string | null;
};

/** What organizations saved before there were holidays has none. */
export type ContactRules = {
  contact_hours: readonly ContactHours[];
  holidays?: readonly ContactHoliday[];
};

/** How somebody is contacted, and what for. */
export type ContactKind = { channel: ContactChannel; purpose: OutreachPurpose };

/** 47 CFR 64.1200(c)(1): no telephone solicitation before 8 a.m. or after 9 p.m., local time at the called party's location. */
export const FEDERAL_HOURS: readonly ContactHours[] = (["call", "text"] as const).map((channel) => ({
  jurisdiction: "*",
  channel,
  days: [...WEEKDAYS],
  from: "08:00",
  to: "21:00",
  source: "47 CFR 64.1200(c)(1)",
  checked_on: "2026-11-23",
}));

const scheduleOf = ({ days, from, to }: ContactHours): Schedule => ({
  active_days: days,
  daily_start_time: `${from}:00`,
  daily_end_time: to === "24:00" ? null : `${to}:00`,
  max_daily_calls: null,
  outreach_override_rules: null,
});

/** What must hold at once: of each, one schedule is open on one zone's clock. */
type Clause = { schedules: Schedule[]; zone: string; holidays: readonly ContactHoliday[] };

type ContactPlace = { zones: readonly string[]; jurisdictions: readonly string[] };

const isFor = (
  rule: { channel?: ContactChannel | null; purpose?: OutreachPurpose | null },
  kind: ContactKind,
) => (rule.channel ?? kind.channel) === kind.channel && (rule.purpose ?? kind.purpose) === kind.purpose;

function clausesOf(rules: ContactRules, kind: ContactKind, { zones, jurisdictions }: ContactPlace): Clause[] {
  const rows = rules.contact_hours.filter(
    (row) => jurisdictions.includes(row.jurisdiction) && isFor(row, kind),
  );
  const hours = [...Map.groupBy(rows, groupName).values()].flatMap((group) => {
    const schedules = group.map(scheduleOf);
    return zones.map((zone) => ({ schedules, zone, holidays: [] }));
  });
  const holidays = (rules.holidays ?? []).filter(
    (day) => jurisdictions.includes(day.jurisdiction) && isFor(day, kind),
  );
  if (holidays.length === 0) return hours;
  // Behind the hours, so that a holiday is told only where it is what stands in the way.
  const schedules = [withoutDays(holidays)];
  return [...hours, ...zones.map((zone) => ({ schedules, zone, holidays }))];
}

const groupName = ({ jurisdiction, purpose }: ContactHours): string => `${jurisdiction} ${purpose ?? ""}`;

const withoutDays = (holidays: readonly ContactHoliday[]): Schedule => ({
  active_days: [...WEEKDAYS],
  daily_start_time: null,
  daily_end_time: null,
  max_daily_calls: null,
  outreach_override_rules: {
    dates: Object.fromEntries(holidays.map(({ date }) => [date, { active: false }])),
  },
});

const isClauseOpen = ({ schedules, zone }: Clause, at: Date): boolean =>
  schedules.some((schedule) => isOpen(schedule, zone, at));

/** Openings that are looked at: more than a week of three jurisdictions in many zones has, and a year of holidays. */
const MOST_OPENINGS = 2_000;

/**
 * `zone` opens last; null: nothing is waited for. `holidays`: those without which `at` would be earlier, in order. `at` null:
 * there is none up to `looked_until`.
 */
export type NextContact = { zone: string | null; holidays: readonly ContactHoliday[] } & (
  | { at: Date }
  | { at: null; looked_until: Date }
);

/**
 * The first instant from `now` on at which the person may be contacted in every zone and jurisdiction they may be in; `now`
 * itself where it is one. Pure.
 */
export function nextContact(
  rules: ContactRules,
  kind: ContactKind,
  place: ContactPlace,
  now: Date,
): NextContact {
  const clauses = clausesOf(rules, kind, place);
  const holidays = new Set<ContactHoliday>();
  let at = now;
  let zone: string | null = null;
  for (let openings = 0; openings < MOST_OPENINGS; openings++) {
    const closed = clauses.find((clause) => !isClauseOpen(clause, at));
    if (!closed) return { at, zone, holidays: [...holidays] };
    const next = Math.min(
      ...closed.schedules.map(
        (schedule) => nextOpening(schedule, closed.zone, at)?.getTime() ?? Number.POSITIVE_INFINITY,
      ),
    );
    zone = closed.zone;
    if (next === Number.POSITIVE_INFINITY) {
      at = new Date(LAST_OPENING_ms);
      break;
    }
    for (const day of holidaysBetween(closed, at, next)) holidays.add(day);
    at = new Date(next);
  }
  return { at: null, looked_until: at, zone, holidays: [...holidays] };
}

function holidaysBetween({ holidays, zone }: Clause, from: Date, until_ms: number): ContactHoliday[] {
  if (holidays.length === 0) return [];
  const [first, last] = [from.getTime(), until_ms - 1].map((ms) => dateIn(zone, ms)) as [string, string];
  return holidays
    .filter(({ date }) => first <= date && date <= last)
    .toSorted((a, b) => a.date.localeCompare(b.date));
}

const dateIn = (zone: string, at_ms: number): string =>
  new Date(wallClock(zone, at_ms).day * DAY_ms).toISOString().slice(0, 10);

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** What is wrong with rows that are each well-formed: `index` of the row, and a sentence. Pure. */
export function contactHoursFaults(
  rows: readonly ContactHours[],
): { index: number; field: string; msg: string }[] {
  const faults = rows.flatMap(({ days, from, to }, index) => [
    ...(days.length === 0
      ? [{ index, field: "days", msg: "Name at least one day: the rule leaves no minute open" }]
      : []),
    ...(minuteOf(from) >= minuteOf(to)
      ? [{ index, field: "to", msg: "The end must be after the start: the rule leaves no minute open" }]
      : []),
  ]);
  if (faults.length > 0) return faults;
  return rows.flatMap((row, index) => {
    const clash = purposesOf(row).flatMap((purpose) => clashOf(rows, row, purpose) ?? [])[0];
    return clash === undefined ? [] : [{ index, field: "jurisdiction", msg: clash }];
  });
}

const PURPOSES: readonly OutreachPurpose[] = ["marketing", "informational", "emergency"];
const purposesOf = ({ purpose }: ContactHours) => (purpose ? [purpose] : PURPOSES);

/** A sentence where the row and those for wider jurisdictions leave the purpose no minute. */
function clashOf(
  rows: readonly ContactHours[],
  { jurisdiction, channel, purpose: own }: ContactHours,
  purpose: OutreachPurpose,
): string | null {
  const wider = ["*", jurisdiction.slice(0, 2), jurisdiction].filter(
    (name, i, all) => all.indexOf(name) === i,
  );
  const meant = rows.filter((row) => wider.includes(row.jurisdiction) && isFor(row, { channel, purpose }));
  if (hasCommonMinute([...Map.groupBy(meant, groupName).values()])) return null;
  const isNarrowed = meant.some(
    (row) => row.jurisdiction === jurisdiction && (row.purpose ?? null) !== (own ?? null),
  );
  const named = isNarrowed ? wider : wider.slice(0, -1);
  const whom = meant.some((row) => row.purpose) ? ` for ${purpose}` : "";
  return `Together with the rules for ${named.join(" and ")} this leaves no minute of the week open${whom}`;
}

/** Only the beginning of a window can be the first minute that all have in common. */
function hasCommonMinute(groups: ContactHours[][]): boolean {
  const isIn = (row: ContactHours, day: Weekday, minute: number) =>
    row.days.includes(day) && minuteOf(row.from) <= minute && minute < minuteOf(row.to);
  const begins = groups.flat().map(({ from }) => minuteOf(from));
  return WEEKDAYS.some((day) =>
    begins.some((minute) => groups.every((group) => group.some((row) => isIn(row, day, minute)))),
  );
}
