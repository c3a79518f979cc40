import { Time } from "./time.tsx";
import { formatTime, useZone } from "./zone.ts";

/** A time without its date if it is on the same day as `now`; otherwise with the date. */
export function NearTime({ at, now }: { at: string; now: string | Date }) {
  const zone = useZone();
  const isSameDay = formatTime(at, zone, "day") === formatTime(now, zone, "day");
  return <Time at={at} kind={isSameDay ? "clock" : "minute"} />;
}
