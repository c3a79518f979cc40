import type { OutreachPurpose } from "../../consent/consent.ts";
import { wilsonInterval } from "../../evaluations/statistics.ts";
import { placeOf } from "../../geography/person-zones.ts";
import { firstPossible } from "../first-possible.ts";
import { type OutreachRules, personColumns, placeOfPerson } from "../person-hold.ts";
import { momentIn, readMoment } from "../request-moment.ts";
import type { Hours } from "../schedule.ts";
import { wallClock } from "../wall-clock.ts";

/** Calls of a campaign that began in this hour of their person's day, 0 to 23. */
export type HourAnswers = { hour: number; tried: number; answered: number };

/** An hour in which more people answer than in the others, with both intervals. Shares are from 0 to 1. */
export type BetterHour = { hour: number; low: number; high: number; others_low: number; others_high: number };

/** Of 24 hours that are all alike, one would often look better at 95 %. Bonferroni: 5 % divided by 24, two-sided. */
const Z_OF_24 = 3.078;

/** The hours whose interval lies above that of all other hours together. Pure. */
export function betterHours(hours: readonly HourAnswers[]): BetterHour[] {
  const sum = (some: readonly HourAnswers[], of: "tried" | "answered") =>
    some.reduce((total, each) => total + each[of], 0);
  return hours.flatMap((each) => {
    const others = hours.filter(({ hour }) => hour !== each.hour);
    const own = wilsonInterval(each.answered, each.tried, Z_OF_24);
    const rest = wilsonInterval(sum(others, "answered"), sum(others, "tried"), Z_OF_24);
    if (own === null || rest === null || own.low <= rest.high) return [];
    return [{ hour: each.hour, ...own, others_low: rest.low, others_high: rest.high }];
  });
}

/** What a campaign that prefers such hours asks of a retry, and what bounds the retry anyway. */
export type HourPreference = {
  better: readonly BetterHour[];
  /** So many hours later than it would start otherwise, at most. */
  within_h: number;
  /** When the campaign is open. */
  hours: Hours;
  rules: OutreachRules | null;
  purpose: OutreachPurpose;
  person: { target: string; request_variables: Record<string, string>; contact_timezone: string | null };
  /** When nobody of its batch is called any more; null: never. */
  expires_on: Date | null;
};

/** `instead_of`: when the retry would have started. */
export type MovedRetry = { at: Date; instead_of: Date; better: BetterHour };

const HOUR_ms = 3_600_000;

/**
 * The first time, from when a retry would start, that lies in a better hour in every zone its person may be in, at which
 * campaign and person's hours are open. Null: it would start in one anyway, or there is none in time. Pure.
 */
export function atBetterHour(planned: Date, preference: HourPreference): MovedRetry | null {
  const { better, within_h, hours, rules, purpose, person, expires_on } = preference;
  const reads = rules?.person_clock === true;
  const place = reads
    ? placeOfPerson({ ...person, campaign_zone: hours.zone })
    : placeOf({ ...person, timezone: null }, hours.zone);
  if (better.length === 0 || place === null) return null;
  const columns = personColumns(reads ? person.request_variables : {});
  const [before, after] = [readMoment(columns.not_before), readMoment(columns.not_after)];
  // The claim holds such a request and says why.
  if (before === "unreadable" || after === "unreadable") return null;
  const not_before = before && momentIn(before, place.zones, "start");
  const not_after = after && momentIn(after, place.zones, "end");
  const bounds = { hours, rules, purpose, place, past: [] };
  const from = not_before && not_before > planned ? not_before : planned;
  const start = firstPossible(bounds, from);
  if (start === null || betterAt(better, place.zones, start) !== null) return null;
  const latest = start.getTime() + within_h * HOUR_ms;
  const isInTime = (at: Date) =>
    at.getTime() <= latest && [not_after, expires_on].every((end) => !end || at < end);
  for (let at: Date | null = start; ; ) {
    at = firstPossible(bounds, nextHour(place.zones, at));
    if (at === null || !isInTime(at)) return null;
    const found = betterAt(better, place.zones, at);
    if (found !== null) return { at, instead_of: start, better: found };
  }
}

/** The better hour of the first zone; null: it is none in one of them. */
function betterAt(better: readonly BetterHour[], zones: readonly string[], at: Date): BetterHour | null {
  const found = zones.map((zone) => better.find(({ hour }) => hour === hourOf(zone, at)));
  return found.every((each) => each !== undefined) ? (found[0] ?? null) : null;
}

const secondOf = (zone: string, at: Date): number => wallClock(zone, at.getTime()).second;
const hourOf = (zone: string, at: Date): number => Math.floor(secondOf(zone, at) / 3_600);

/** When the next hour begins on the first of these clocks that begins one. */
const nextHour = (zones: readonly string[], at: Date): Date => {
  const begun_ms = at.getTime() - (at.getTime() % 1_000);
  return new Date(begun_ms + Math.min(...zones.map((zone) => 3_600 - (secondOf(zone, at) % 3_600))) * 1_000);
};

/** What a decision keeps of the move, for the trace. */
export type StoredMove = BetterHour & { instead_of: string };

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const clock = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

/** `because more people of the campaign answer from 17:00 to 18:00 on their clock (31 % to 42 %, other hours 15 % to 19 %)` */
export const moveText = ({ hour, low, high, others_low, others_high }: StoredMove): string =>
  `because more people of the campaign answer from ${clock(hour)} to ${clock((hour + 1) % 24)} on their clock (${percent(low)} to ${percent(high)}, other hours ${percent(others_low)} to ${percent(others_high)})`;
