import { LAST_MOMENT_ms } from "./wall-clock.ts";

/**
 * A time that a request names for its person: an instant (2026-11-24T09:00:00Z, or with an offset), or a date or time on
 * the person's own clock (2026-11-24, 2026-11-24T09:00).
 */
export type RequestMoment =
  | { kind: "instant"; at: Date }
  | { kind: "local"; date: Temporal.PlainDate; time: Temporal.PlainTime | null };

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;
const LOCAL = /^(\d{4}-\d\d-\d\d)([T ](\d\d:\d\d(:\d\d)?))?$/;

export function readMoment(text: string | null): RequestMoment | "unreadable" | null {
  if (text === null) return null;
  try {
    if (INSTANT.test(text)) {
      const { epochMilliseconds } = Temporal.Instant.from(text.replace(" ", "T"));
      return { kind: "instant", at: new Date(epochMilliseconds) };
    }
    const [, date, , time] = LOCAL.exec(text) ?? [];
    if (date === undefined) return "unreadable";
    return {
      kind: "local",
      date: Temporal.PlainDate.from(date, { overflow: "reject" }),
      time: time === undefined ? null : Temporal.PlainTime.from(time, { overflow: "reject" }),
    };
  } catch {
    return "unreadable";
  }
}

/**
 * The instant it means for somebody in one of these zones: as a start the latest, as an end the earliest. A date alone
 * begins with its first moment and ends with its last. A time that the clock leaves out is the moment after the gap.
 */
export function momentIn(moment: RequestMoment, zones: readonly string[], as: "start" | "end"): Date {
  return new Date(Math.min(instantOf(moment, zones, as), LAST_MOMENT_ms));
}

function instantOf(moment: RequestMoment, zones: readonly string[], as: "start" | "end"): number {
  if (moment.kind === "instant") return moment.at.getTime();
  const { date, time } = moment;
  const day = time === null && as === "end" ? date.add({ days: 1 }) : date;
  const times = zones.map((zone) => {
    const at =
      time === null ? day.toZonedDateTime(zone) : day.toZonedDateTime({ timeZone: zone, plainTime: time });
    return at.epochMilliseconds;
  });
  return as === "start" ? Math.max(...times) : Math.min(...times);
}
