import { wallClock } from "../planning/wall-clock.ts";
import { WEEKDAYS, type Weekday } from "../planning/weekday.ts";

/** Attempts of one quarter of an hour to numbers of one area. */
export type TriedQuarter = { at: Date; zone: string; tried: number; answered: number };

export type AnswerHour = { day: Weekday; hour: number; tried: number; answered: number };

/** The day on which 1970 began. */
const THURSDAY = WEEKDAYS.indexOf("thu");

/**
 * By weekday and hour on the clocks of the people themselves, in the order of the week; hours without an attempt are left
 * out. Pure.
 */
export function answerHours(quarters: Iterable<TriedQuarter>): AnswerHour[] {
  const found = new Map<string, AnswerHour>();
  for (const { at, zone, tried, answered } of quarters) {
    const { day: since_1970, second } = wallClock(zone, at.getTime());
    const day = WEEKDAYS[(since_1970 + THURSDAY) % 7] as Weekday;
    const hour = Math.floor(second / 3600);
    const name = `${day} ${hour}`;
    const known = found.get(name) ?? { day, hour, tried: 0, answered: 0 };
    found.set(name, { ...known, tried: known.tried + tried, answered: known.answered + answered });
  }
  const placeOf = ({ day, hour }: AnswerHour) => WEEKDAYS.indexOf(day) * 24 + hour;
  return [...found.values()].toSorted((a, b) => placeOf(a) - placeOf(b));
}
