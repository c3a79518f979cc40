/** Converts between instants and a zone's local time as date inputs write it: `2026-11-20T14:30`. */

/** The zone's offset from UTC at an instant. */
export function offset_ms(zone: string, at_ms: number): number {
  const name = format(zone).formatToParts(new Date(at_ms));
  const text = name.find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const found = /^GMT([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?$/.exec(text);
  if (!found) return 0;
  const [, sign, hours, minutes = "0", seconds = "0"] = found;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -size : size;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function format(timeZone: string): Intl.DateTimeFormat {
  const known =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, known);
  return known;
}

/** The local time of an instant, to the minute; "" for none. */
export function toWall(at: string | null | undefined, zone: string): string {
  if (!at) return "";
  const at_ms = new Date(at).getTime();
  return Number.isNaN(at_ms) ? "" : new Date(at_ms + offset_ms(zone, at_ms)).toISOString().slice(0, 16);
}

/**
 * The instant of a local time: the first where it occurs twice. A time that the clock skips is moved forward by the length of
 * the gap (02:30 becomes 03:30), as on the server.
 */
export function toInstant(wall: string, zone: string): string | null {
  const utc_ms = Date.parse(`${wall}Z`);
  if (Number.isNaN(utc_ms)) return null;
  const first = utc_ms - offset_ms(zone, utc_ms - DAY_ms);
  const second = utc_ms - offset_ms(zone, first);
  const isSkipped = utc_ms - offset_ms(zone, second) !== second;
  return new Date(isSkipped ? first : second).toISOString();
}

/** By how many minutes a zone's clock is moved on a day, its first moment included: 60 in spring, -60 in autumn, mostly 0. */
export function clockMove_min(date: string, zone: string): number {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + DAY_ms).toISOString().slice(0, 10);
  const [before, after] = [date, next].map((day) =>
    offset_ms(zone, Date.parse(toInstant(`${day}T00:00`, zone) as string) - 1),
  ) as [number, number];
  return (after - before) / 60_000;
}

const DAY_ms = 86_400_000;
