import { Time } from "./time.tsx";
import { formatTime, useZone } from "./zone.ts";

/** A time of the clock alone where it is of the same day as `now`; else with its day, so that nobody takes it for today's. */
export function NearTime({ at, now }: { at: string; now: string | Date }) {
  const zone = useZone();
  const isSameDay = formatTime(at, zone, "day") === formatTime(now, zone, "day");
  return <Time at={at} kind={isSameDay ? "clock" : "minute"} />;
}
