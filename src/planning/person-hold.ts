import { cityOf, type PersonPlace, placeOf } from "../geography/person-zones.ts";
import { cellOf, postalCodes } from "../geography/postal-columns.ts";
import { type CapHold, type ContactCaps, capHold, type PastContact } from "./contact-caps.ts";
import { type ContactHoliday, type ContactKind, type ContactRules, nextContact } from "./contact-hours.ts";
import { momentIn, readMoment } from "./request-moment.ts";

/** What an organization asks of every start to a person, over all campaigns. */
export type OutreachRules = ContactCaps &
  ContactRules & {
    /** Each person's own clock decides beside the campaign's; else hours, holidays and the columns below mean nothing. */
    person_clock: boolean;
  };

/** The columns of a request that are about the person's own clock. They remain variables of the conversation, too. */
export const PERSON_COLUMNS = ["timezone", "not_before", "not_after"] as const;
export type PersonColumn = (typeof PERSON_COLUMNS)[number];
export const isPersonColumn = (name: string): name is PersonColumn =>
  PERSON_COLUMNS.includes(name as PersonColumn);

/** What the request says of its person, empty cells as none. */
export const personColumns = (variables: Record<string, string>): Record<PersonColumn, string | null> => ({
  timezone: cellOf(variables, "timezone"),
  not_before: cellOf(variables, "not_before"),
  not_after: cellOf(variables, "not_after"),
});

export type PersonHoldReason =
  | "person-hours"
  | "holiday"
  | "not-before"
  | "unknown-zone"
  | "unreadable-time"
  | "no-approved-template"
  | CapHold["reason"];

/** Why a person is not contacted yet. `until`: when they are looked at again. */
export type PersonHold = { reason: PersonHoldReason; text: string; until: Date };

/** `too_late`: the time after which the person is not contacted any more has passed. */
export type PersonState = { hold: PersonHold | null; too_late: string | null };

const FREE: PersonState = { hold: null, too_late: null };

/** What nobody can read is looked at again, since rules are edited; never guessed. */
const LOOK_AGAIN_ms = 3_600_000;

export type HeldPerson = ContactKind & {
  target: string;
  request_variables: Record<string, string>;
  campaign_zone: string;
  /** The zone that the person's contact has; left out and null: none. */
  contact_timezone?: string | null;
  past: readonly PastContact[];
  /** The start is the call that the person asked for: the rest after a conversation does not hold for it. */
  is_asked_for?: boolean;
  /** WhatsApp would take the words only as an approved template, and none is named. */
  lacks_template?: boolean;
};

/** Their next word opens WhatsApp for them, and a template may be named at any time. */
const TEMPLATE_LOOK_ms = 15 * 60_000;

/** What the organization's rules, and WhatsApp's, say of one start now. Pure. */
export function personState(rules: OutreachRules | null, person: HeldPerson, now: Date): PersonState {
  const state = ruledState(rules, person, now);
  if (!person.lacks_template || state.hold !== null || state.too_late !== null) return state;
  return {
    hold: {
      reason: "no-approved-template",
      text: "Waiting: WhatsApp takes words only within 24 hours of the person's last. Name an approved template in the variable whatsapp_template of the campaign or the list.",
      until: new Date(now.getTime() + TEMPLATE_LOOK_ms),
    },
    too_late: null,
  };
}

/** Of several holds the one that lasts longest is told. */
function ruledState(rules: OutreachRules | null, person: HeldPerson, now: Date): PersonState {
  if (rules === null) return FREE;
  const caps = person.is_asked_for ? { ...rules, days_after_conversation: null } : rules;
  const cap = capHold(caps, person.channel, person.past, now);
  const capped =
    cap === null ? null : { reason: cap.reason, until: cap.until, text: capText(cap, person, now) };
  if (!rules.person_clock) return { hold: capped, too_late: null };
  const clock = clockState(rules, person, now);
  if (clock.too_late !== null) return clock;
  const later = capped !== null && (clock.hold === null || capped.until > clock.hold.until);
  return { hold: later ? capped : clock.hold, too_late: null };
}

function clockState(rules: OutreachRules, person: HeldPerson, now: Date): PersonState {
  const columns = personColumns(person.request_variables);
  const place = placeOfPerson(person);
  const held = (reason: PersonHoldReason, text: string): PersonState => ({
    hold: { reason, text, until: new Date(now.getTime() + LOOK_AGAIN_ms) },
    too_late: null,
  });
  if (place === null)
    return held("unknown-zone", `Waiting: the request's timezone "${columns.timezone}" does not exist.`);
  const [before, after] = [readMoment(columns.not_before), readMoment(columns.not_after)];
  if (before === "unreadable" || after === "unreadable")
    return held("unreadable-time", "Waiting: the request's not_before or not_after is no date or time.");
  const zone = place.zones[0] as string;
  const not_after = after && momentIn(after, place.zones, "end");
  if (not_after && not_after <= now)
    return {
      hold: null,
      too_late: `Skipped: the request's not_after, ${timeText(not_after, zone, now)}, has passed.`,
    };
  const not_before = before && momentIn(before, place.zones, "start");
  const from = not_before && not_before > now ? not_before : now;
  const next = nextContact(rules, person, place, from);
  const { at, zone: opens_in, holidays } = next;
  if (at === null) {
    const closes = holidays.length === 0 ? "contact hours" : "contact hours and holidays";
    return held(
      "person-hours",
      `Waiting: the ${closes} leave no minute that is open in every zone the number may be in before ${timeText(next.looked_until, zone, now)}, which is as far ahead as Parley looks.`,
    );
  }
  if (at <= now) return FREE;
  if (opens_in === null)
    return {
      hold: {
        reason: "not-before",
        until: at,
        text: `Waiting for the request's not_before: ${timeText(at, zone, now)}.`,
      },
      too_late: null,
    };
  const reason = holidays.length === 0 ? "person-hours" : "holiday";
  const text = `Waiting for ${timeText(at, opens_in, now)}, ${SAID_BY[place.from]}${holidaysText(holidays)}.`;
  return { hold: { reason, until: at, text }, too_late: null };
}

/** Where the person is by all that is known of them. Null: the request names a zone that does not exist. Pure. */
export function placeOfPerson(
  person: Pick<HeldPerson, "target" | "request_variables" | "campaign_zone" | "contact_timezone">,
): PersonPlace | null {
  const { request_variables, campaign_zone, target, contact_timezone } = person;
  const { timezone } = personColumns(request_variables);
  const postal_codes = postalCodes(request_variables);
  return placeOf({ timezone, contact_timezone, postal_codes, target }, campaign_zone);
}

const SAID_BY: Record<PersonPlace["from"], string> = {
  request: "the request's own zone",
  contact: "the contact's zone",
  "postal-code": "by the postal code",
  number: "by the number's area",
  campaign: "the campaign's zone, because the address tells none",
};

const MOST_NAMED = 3;

/** `, after Christmas Day (2026-12-25)` */
function holidaysText(holidays: readonly ContactHoliday[]): string {
  if (holidays.length === 0) return "";
  const named = holidays.slice(0, MOST_NAMED).map(({ name, date }) => `${name} (${date})`);
  const more = holidays.length > MOST_NAMED ? [`${holidays.length - MOST_NAMED} more`] : [];
  return `, after ${[...named, ...more].join(" and ")}`;
}

const CHANNEL_WORDS = { call: "called", text: "texted", email: "e-mailed", any: "contacted" };

function capText(hold: CapHold, person: HeldPerson, now: Date): string {
  const zone = placeOfPerson(person)?.zones[0] ?? person.campaign_zone;
  const next = timeText(hold.until, zone, now);
  if (hold.reason === "after-conversation")
    return `Waiting: the person talked with an agent, and is left alone for ${daysText(hold.days)}; next ${next}.`;
  const { channel, attempts, days } = hold.cap;
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return `Waiting: ${CHANNEL_WORDS[channel]} ${times} in ${daysText(days)} over all campaigns, the most that the organization allows; next ${next}.`;
}

const daysText = (days: number): string => (days === 1 ? "24 hours" : `${days} days`);

/** `08:00 in Los Angeles`, with the date where it is not today there. */
export function timeText(at: Date, zone: string, now: Date): string {
  const [then, today] = [at, now].map((instant) =>
    Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  const time = then.toPlainTime().toString({ smallestUnit: then.second === 0 ? "minute" : "second" });
  const date = then.toPlainDate();
  return `${date.equals(today.toPlainDate()) ? "" : `${date} `}${time} in ${cityOf(zone)}`;
}

/** What is wrong with a cell of these columns, for who adds the request; null: nothing. */
export function personColumnFault(name: PersonColumn, value: string): string | null {
  const text = value.trim();
  if (text === "") return null;
  if (name === "timezone")
    return placeOf({ timezone: text, target: "" }, "UTC") === null
      ? `"${text.slice(0, 100)}" is not a time zone. Write one such as America/Los_Angeles`
      : null;
  return readMoment(text) === "unreadable"
    ? `"${text.slice(0, 100)}" is not a time. Write 2026-11-24, 2026-11-24T09:00 or 2026-11-24T09:00:00Z`
    : null;
}
