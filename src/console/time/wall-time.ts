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

/** The instant of a local time: the first where it occurs twice, the one right after where the clock skips it. */
export function toInstant(wall: string, zone: string): string | null {
  const utc_ms = Date.parse(`${wall}Z`);
  if (Number.isNaN(utc_ms)) return null;
  const before = offset_ms(zone, utc_ms - 86_400_000);
  const first = utc_ms - before;
  const at_ms = offset_ms(zone, first) === before ? first : utc_ms - offset_ms(zone, first);
  return new Date(at_ms).toISOString();
}
