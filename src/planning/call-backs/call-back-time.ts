import type { OutreachPurpose } from "../../consent/consent.ts";
import { placeOf } from "../../geography/person-zones.ts";
import type { PastContact } from "../contact-caps.ts";
import { firstPossible } from "../first-possible.ts";
import { type OutreachRules, personColumns, placeOfPerson, timeText } from "../person-hold.ts";
import { momentIn, readMoment } from "../request-moment.ts";
import type { Schedule } from "../schedule.ts";

/** What decides whether a person may be called at a time that they ask for. */
export type CallBackSurroundings = {
  target: string;
  request_variables: Record<string, string>;
  /** The campaign that would call, on its agent's clock. */
  schedule: Schedule;
  agent_zone: string;
  /** When nobody of its batch is called any more; null: never. */
  expires_on: Date | null;
  rules: OutreachRules | null;
  /** What the campaign calls for. */
  purpose: OutreachPurpose;
  past: readonly PastContact[];
  /** The zone that the person's contact has; left out and null: none. */
  contact_timezone?: string | null;
};

export type CallBackTime =
  | { kind: "possible"; at: Date; zone: string }
  | {
      kind: "impossible";
      why: "unreadable" | "past" | "too-far" | "closed" | "too-late" | "unknown-zone";
      zone: string;
      /** The first possible time from then on; null: there is none. */
      next: Date | null;
    };

/** Further ahead nobody remembers what was agreed. */
const MOST_AHEAD_ms = 60 * 86_400_000;

/**
 * Whether the dialer could start a call at the time named: the campaign's window, the person's own hours and the caps of
 * their organization are asked as at the claim. Pure.
 */
export function callBackTime(when: string, around: CallBackSurroundings, now: Date): CallBackTime {
  const columns = personColumns(around.request_variables);
  const reads = around.rules?.person_clock === true;
  const place = reads
    ? placeOfPerson({ ...around, campaign_zone: around.agent_zone })
    : placeOf({ ...around, timezone: null }, around.agent_zone);
  const impossible = (
    why: Extract<CallBackTime, { kind: "impossible" }>["why"],
    next: Date | null = null,
  ): CallBackTime => ({ kind: "impossible", why, zone, next });
  // Of several zones that a number may be in, the agent's is what both talk about.
  const zone = place?.zones.includes(around.agent_zone)
    ? around.agent_zone
    : (place?.zones[0] ?? around.agent_zone);
  if (place === null) return impossible("unknown-zone");
  const at = readWhen(when, zone, now);
  if (at === null) return impossible("unreadable");
  if (at < now) return impossible("past");
  const isTooFar = (time: Date) => time.getTime() - now.getTime() > MOST_AHEAD_ms;
  if (isTooFar(at)) return impossible("too-far");
  const after = reads ? readMoment(columns.not_after) : null;
  const not_after = after !== null && after !== "unreadable" ? momentIn(after, place.zones, "end") : null;
  const ends = [around.expires_on, not_after].filter((end) => end !== null);
  const isOver = (time: Date) => ends.some((end) => end <= time);
  if (isOver(at)) return impossible("too-late");
  const { schedule, agent_zone, purpose, past } = around;
  // The rest after a conversation does not hold for a call that was asked for in it.
  const rules = around.rules && { ...around.rules, days_after_conversation: null };
  const first = firstPossible({ hours: { schedule, zone: agent_zone }, rules, purpose, place, past }, at);
  if (first !== null && first.getTime() === at.getTime()) return { kind: "possible", at, zone };
  return impossible("closed", first === null || isOver(first) || isTooFar(first) ? null : first);
}

const WAIT = /^(?:in\s+)?(\d{1,4})\s*(m|min|minutes?|h|hours?|d|days?)$/i;
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** `2026-11-24T15:00` and `15:00` on the clock of the zone, an instant, or a wait such as `20m`; null: none of these. */
export function readWhen(when: string, zone: string, now: Date): Date | null {
  const text = when.trim();
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  const dateOf = ({ epochMilliseconds }: Temporal.ZonedDateTime) => new Date(epochMilliseconds);
  const wait = WAIT.exec(text);
  if (wait) {
    const n = Number(wait[1]);
    const unit = (wait[2] as string).toLowerCase()[0];
    // A day later is the same time of the day, whatever the clocks do meanwhile.
    return dateOf(today.add(unit === "m" ? { minutes: n } : unit === "h" ? { hours: n } : { days: n }));
  }
  const clock = CLOCK.exec(text);
  if (clock) {
    const time = new Temporal.PlainTime(Number(clock[1]), Number(clock[2]));
    const at = today.withPlainTime(time);
    const isAhead = Temporal.ZonedDateTime.compare(at, today) > 0;
    // Of the day itself: a time that the clocks skip today they show tomorrow.
    return dateOf(isAhead ? at : today.add({ days: 1 }).withPlainTime(time));
  }
  const moment = readMoment(text === "" ? null : text);
  if (moment === null || moment === "unreadable") return null;
  // A date alone names no time at which somebody expects to be called.
  if (moment.kind === "local" && moment.time === null) return null;
  return momentIn(moment, [zone], "start");
}

/** What the model is told, to pass on in its own words. */
export function callBackText(time: CallBackTime, now: Date): string {
  if (time.kind === "possible")
    return `The person will be called at ${timeText(time.at, time.zone, now)}, their time.`;
  const why = WHY[time.why];
  return time.next === null
    ? why
    : `${why} The next possible time is ${timeText(time.next, time.zone, now)}; offer that.`;
}

const WHY: Record<Extract<CallBackTime, { kind: "impossible" }>["why"], string> = {
  unreadable:
    "Name day and time as 2026-11-24T15:00, a time as 15:00, or a wait as 20m, 2h or 1d, and use the tool again.",
  past: "That time has passed. Ask for another time.",
  "too-far": "Calls can be booked up to 60 days ahead. Ask for an earlier time.",
  closed: "No call is possible then.",
  "too-late": "Nobody is called any more at that time. Ask for an earlier time.",
  "unknown-zone": "The person's time zone is not known, so no call can be booked.",
};
