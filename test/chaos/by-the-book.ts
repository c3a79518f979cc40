import type { Rule, Schedule } from "../../src/planning/schedule.ts";

/**
 * The rules of a campaign's days, read once more and as plainly as can be: straight from Temporal, without any of the
 * program's own code, slow. What the engine does is checked against it.
 */
const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** The day to which an open instant belongs and its cap; null: nobody may be tried then. */
export function openBy(schedule: Schedule, zone: string, at: Date): { date: string; cap: number | null }[] {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  const second = local.hour * 3600 + local.minute * 60 + local.second;
  return [-1, 0].flatMap((back) => {
    const date = local.toPlainDate().add({ days: back });
    const day = rulesOf(schedule, date);
    if (!day) return [];
    const start = secondsOf(day.start ?? "00:00:00");
    const end = day.end === null ? 86_400 : secondsOf(day.end);
    const until = end > start ? end : end + 86_400;
    const clock = second - back * 86_400;
    return start <= clock && clock < until ? [{ date: date.toString(), cap: day.cap }] : [];
  });
}

type ForWhat = { jurisdiction: string; channel?: string | null; purpose?: string | null };
type PersonRules = {
  contact_hours: readonly (ForWhat & { days: readonly string[]; from: string; to: string })[];
  holidays?: readonly (ForWhat & { date: string })[];
};

/**
 * Whether a person in these zones and places may be contacted: by the wall clock of each, for each place with rules; by those
 * for this purpose beside those for all.
 */
export function isLegalBy(
  { contact_hours, holidays = [] }: PersonRules,
  { zones, places }: { zones: readonly string[]; places: readonly string[] },
  at: Date,
  { channel, purpose }: { channel: string; purpose: string },
): boolean {
  return zones.every((zone) => {
    const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
    const weekday = WEEKDAYS[local.dayOfWeek - 1] as string;
    const clock = local.toPlainTime().toString({ smallestUnit: "minute" });
    const date = local.toPlainDate().toString();
    return places.every((place) => {
      const isOurs = (row: ForWhat) =>
        row.jurisdiction === place && (row.channel == null || row.channel === channel);
      const isDayOff = holidays.some(
        (day) => isOurs(day) && day.date === date && (day.purpose == null || day.purpose === purpose),
      );
      if (isDayOff) return false;
      return [null, purpose].every((whom) => {
        const own = contact_hours.filter((row) => isOurs(row) && (row.purpose ?? null) === whom);
        if (own.length === 0) return true;
        return own.some((row) => row.days.includes(weekday) && row.from <= clock && clock < row.to);
      });
    });
  });
}

function rulesOf(schedule: Schedule, date: Temporal.PlainDate) {
  const weekday = WEEKDAYS[date.dayOfWeek - 1] as (typeof WEEKDAYS)[number];
  const rules = [
    schedule.outreach_override_rules?.dates?.[date.toString()],
    schedule.outreach_override_rules?.days?.[weekday],
  ];
  const first = <K extends keyof Rule>(key: K): NonNullable<Rule[K]> | undefined =>
    rules.map((rule) => rule?.[key]).find((value) => value !== null && value !== undefined) as never;
  const active = first("active") ?? schedule.active_days.includes(weekday);
  const cap = first("max_daily_calls") ?? schedule.max_daily_calls;
  if (!active || cap === 0) return null;
  return {
    start: first("daily_start_time") ?? schedule.daily_start_time,
    end: first("daily_end_time") ?? schedule.daily_end_time,
    cap,
  };
}

const secondsOf = (time: string): number => {
  const [hours, minutes, seconds] = time.split(":").map(Number) as [number, number, number];
  return hours * 3600 + minutes * 60 + seconds;
};
