import type { CelFunc } from "@bufbuild/cel";
import { celLibrary } from "./cel-library.ts";

/** CEL counts months, days of the month and days of the year from 0, days of the week from Sunday. */
const PARTS: Record<string, (at: Temporal.ZonedDateTime) => number> = {
  getFullYear: (at) => at.year,
  getMonth: (at) => at.month - 1,
  getDate: (at) => at.day,
  getDayOfMonth: (at) => at.day - 1,
  getDayOfWeek: (at) => at.dayOfWeek % 7,
  getDayOfYear: (at) => at.dayOfYear - 1,
  getHours: (at) => at.hour,
  getMinutes: (at) => at.minute,
  getSeconds: (at) => at.second,
  getMilliseconds: (at) => at.millisecond,
};

/**
 * The library's own take the way through a `Date` in the zone of this machine: in New York, 02:30 UTC on the day the
 * clocks go forward reads as hour 3.
 */
export function timeMethods(): CelFunc[] {
  const { CelScalar, celMethod, objectType } = celLibrary();
  const { INT, STRING } = CelScalar;
  const TIMESTAMP = objectType("google.protobuf.Timestamp");
  return Object.entries(PARTS).flatMap(([name, part]) => [
    celMethod(name, TIMESTAMP, [], INT, function () {
      return BigInt(part(zoned(this, "UTC")));
    }),
    celMethod(name, TIMESTAMP, [STRING], INT, function (zone) {
      return BigInt(part(zoned(this, zone)));
    }),
  ]);
}

/** A zone is an IANA name or an offset; CEL lets an eastern offset go without its sign (`02:00`). */
function zoned(timestamp: unknown, zone: string): Temporal.ZonedDateTime {
  const { seconds, nanos } = (timestamp as { message: { seconds: bigint; nanos: number } }).message;
  const instant = new Temporal.Instant(seconds * 1_000_000_000n + BigInt(nanos));
  return instant.toZonedDateTimeISO(/^\d/.test(zone) ? `+${zone}` : zone);
}
