/** When a suite runs next; pure. */

export const RUN_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type RunDay = (typeof RUN_DAYS)[number];

type RunTimes = {
  /** HH:MM */
  time: string;
  timezone: string;
  days: readonly RunDay[];
};

/**
 * The first time after `now` at which a clock in the zone shows this time on one of these days: once a day, also where
 * clocks are set back. A time that clocks skip is taken as much later as they were set ahead. null: there is no day.
 */
export function nextRunAfter({ time, timezone, days }: RunTimes, now: Date): Date | null {
  if (days.length === 0) return null;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
  for (let ahead = 0; ahead <= 8; ahead++) {
    const date = today.add({ days: ahead });
    if (!days.includes(RUN_DAYS[date.dayOfWeek - 1] as RunDay)) continue;
    const at = date.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(time) });
    if (at.epochMilliseconds > now.getTime()) return new Date(at.epochMilliseconds);
  }
  return null;
}
