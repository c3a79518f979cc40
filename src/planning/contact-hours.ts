import { isOpen, nextOpening, type Schedule } from "./schedule.ts";
import { WEEKDAYS, type Weekday } from "./weekday.ts";

/** How a person is contacted, as rules for them tell it apart: WhatsApp is a text. */
export const CONTACT_CHANNELS = ["call", "text", "email"] as const;
export type ContactChannel = (typeof CONTACT_CHANNELS)[number];

export const contactChannelOf = (mode: "voice" | "sms" | "whatsapp" | "email"): ContactChannel =>
  mode === "voice" ? "call" : mode === "email" ? "email" : "text";

/**
 * When people of a jurisdiction may be contacted, on their own clock: "*", a country ("US") or a state ("US-FL"). Rows of
 * one jurisdiction and channel add up; of several jurisdictions all must be open. Where no row is for a channel, its hours
 * are not bounded.
 */
export type ContactHours = {
  jurisdiction: string;
  channel: ContactChannel;
  days: Weekday[];
  /** HH:MM, 24:00 for the end of the day; `from` lies before `to`. */
  from: string;
  to: string;
  /** The law or policy behind it, and when somebody last read it. */
  source: string | null;
  checked_on: string | null;
};

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
type Clause = { schedules: Schedule[]; zone: string };

const clausesOf = (
  rows: readonly ContactHours[],
  channel: ContactChannel,
  { zones, jurisdictions }: { zones: readonly string[]; jurisdictions: readonly string[] },
): Clause[] =>
  [
    ...Map.groupBy(
      rows.filter((row) => row.channel === channel && jurisdictions.includes(row.jurisdiction)),
      ({ jurisdiction }) => jurisdiction,
    ).values(),
  ].flatMap((group) => {
    const schedules = group.map(scheduleOf);
    return zones.map((zone) => ({ schedules, zone }));
  });

const isClauseOpen = ({ schedules, zone }: Clause, at: Date): boolean =>
  schedules.some((schedule) => isOpen(schedule, zone, at));

/** Openings that are looked at; a week of three jurisdictions in many zones has fewer. */
const MOST_OPENINGS = 500;

/**
 * The first instant from `now` on at which the person may be contacted in every zone and jurisdiction they may be in, and
 * the zone that opens last; `now` itself, without a zone, where it is one. `at` null: there is none. Pure.
 */
export function nextContact(
  rows: readonly ContactHours[],
  channel: ContactChannel,
  place: { zones: readonly string[]; jurisdictions: readonly string[] },
  now: Date,
): { at: Date | null; zone: string | null } {
  const clauses = clausesOf(rows, channel, place);
  let at = now;
  let zone: string | null = null;
  for (let openings = 0; openings < MOST_OPENINGS; openings++) {
    const closed = clauses.find((clause) => !isClauseOpen(clause, at));
    if (!closed) return { at, zone };
    const next = Math.min(
      ...closed.schedules.map(
        (schedule) => nextOpening(schedule, closed.zone, at)?.getTime() ?? Number.POSITIVE_INFINITY,
      ),
    );
    zone = closed.zone;
    if (next === Number.POSITIVE_INFINITY) break;
    at = new Date(next);
  }
  return { at: null, zone };
}

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
  return rows.flatMap(({ jurisdiction, channel }, index) => {
    const wider = ["*", jurisdiction.slice(0, 2), jurisdiction].filter(
      (name, i, all) => all.indexOf(name) === i,
    );
    const groups = wider
      .map((name) => rows.filter((row) => row.channel === channel && row.jurisdiction === name))
      .filter((group) => group.length > 0);
    return hasCommonMinute(groups)
      ? []
      : [
          {
            index,
            field: "jurisdiction",
            msg: `Together with the rules for ${wider.slice(0, -1).join(" and ")} this leaves no minute of the week open`,
          },
        ];
  });
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
