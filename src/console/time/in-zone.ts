import { formatTime, useZone, zone } from "./zone.ts";

/**
 * A time as the program writes it within a sentence: an instant to the millisecond or with its offset, which no person
 * writes so, or a clock of UTC, with or without its day: `2026-11-23 09:00 UTC`, `09:00 UTC`.
 */
const WRITTEN =
  /\b(?:(?<instant>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}Z|\+00:00))|(?:(?<day>\d{4}-\d\d-\d\d) )?(?<clock>\d\d:\d\d(?::\d\d)?) UTC)(?![\w/])/g;

/**
 * A sentence of the program with its times on the clock of the zone, like all others of the page. With `now`, a clock of UTC
 * without a day is of today; without it, as in what is said of every day, it stays as it is. Named zones stay, too: there it
 * is what the clock shows where the person or the campaign is.
 */
export function inZone(sentence: string, timeZone: string, now?: Date): string {
  return sentence.replace(WRITTEN, (written, ...rest) => {
    const { instant, day, clock } = rest.at(-1) as Record<"instant" | "day" | "clock", string | undefined>;
    if (!instant && !day && (!now || timeZone === "UTC")) return written;
    const at = new Date(instant ?? `${day ?? now?.toISOString().slice(0, 10)}T${clock}Z`);
    if (Number.isNaN(at.getTime())) return written;
    const isToday = now && formatTime(at, timeZone, "day") === formatTime(now, timeZone, "day");
    if (isToday) return formatTime(at, timeZone, "clock").slice(0, 5);
    return formatTime(at, timeZone, "minute");
  });
}

/** The same in the chosen zone, for what a component shows. `now`: of what was read just now. */
export function useInZone(now?: Date): (sentence: string) => string {
  const chosen = useZone();
  return (sentence) => inZone(sentence, chosen, now);
}

/** The same once, for a notice that goes away. */
export const inChosenZone = (sentence: string): string => inZone(sentence, zone.get());
