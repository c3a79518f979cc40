import { type ContactKind, type ContactRules, type NextContact, nextContact } from "../contact-hours.ts";
import { type HeldPerson, personColumns, placeOfPerson, timeText } from "../person-hold.ts";
import { momentIn, readMoment } from "../request-moment.ts";

/** People outside their own hours, by the zone that is waited for; `opens_at`: when the first of them may be contacted. */
export type WaitingZone = { zone: string; people: number; opens_at: Date };

/**
 * Of `judged` people, those whom their own hours, a holiday or the request's `not_before` hold at that instant; the zone
 * that opens first leads. Those for whom no time is known are in no zone.
 */
export type HeldByHours = { judged: number; held: number; zones: WaitingZone[] };

export type JudgedPerson = ContactKind &
  Pick<HeldPerson, "target" | "request_variables" | "campaign_zone" | "contact_timezone">;

/** As the claim would judge each of them, people of one place at once. Who names no zone that exists is not counted. Pure. */
export function ownHoursOf(rules: ContactRules, people: readonly JudgedPerson[], now: Date): HeldByHours {
  const found = new Map<string, NextContact>();
  const zones = new Map<string, WaitingZone>();
  let held = 0;
  for (const person of people) {
    const place = placeOfPerson(person);
    if (place === null) continue;
    const { channel, purpose } = person;
    const from = notBefore(person, place.zones, now);
    const name = [channel, purpose, place.zones, place.jurisdictions, from.getTime()].join(" ");
    const next = found.get(name) ?? nextContact(rules, { channel, purpose }, place, from);
    found.set(name, next);
    const { at } = next;
    const zone = next.zone ?? (from > now ? (place.zones[0] as string) : null);
    if (zone === null) continue;
    held++;
    if (at === null) continue;
    const known = zones.get(zone) ?? { zone, people: 0, opens_at: at };
    const opens_at = at < known.opens_at ? at : known.opens_at;
    zones.set(zone, { zone, people: known.people + 1, opens_at });
  }
  const waiting = [...zones.values()].toSorted(
    (a, b) => a.opens_at.getTime() - b.opens_at.getTime() || b.people - a.people,
  );
  return {
    judged: people.length,
    held,
    zones: waiting,
  };
}

function notBefore({ request_variables }: JudgedPerson, zones: readonly string[], now: Date): Date {
  const moment = readMoment(personColumns(request_variables).not_before);
  if (moment === null || moment === "unreadable") return now;
  const at = momentIn(moment, zones, "start");
  return at > now ? at : now;
}

/** `312 of 1,000 people wait for their own hours, the first for 08:00 in Los Angeles.` */
export function ownHoursText({ judged, held, zones }: HeldByHours, waiting: number, now: Date): string {
  const number = (count: number) => count.toLocaleString("en");
  const whom =
    judged < waiting
      ? `a sample of ${number(judged)} among ${number(waiting)} people`
      : `${number(judged)} people`;
  const [first] = zones;
  if (held === 0) return `Nobody of ${whom} waits for their own hours.`;
  const next = first
    ? `the first for ${timeText(first.opens_at, first.zone, now)}`
    : "and no time is known that is open for any of them";
  return `${number(held)} of ${whom} wait for their own hours, ${next}.`;
}
