import type { ChannelStatus } from "../../channels/channel-status.ts";
import type { TooOften } from "../per-person.ts";
import type { PersonState } from "../person-hold.ts";
import { type Hours, nextOpening, type Schedule } from "../schedule.ts";
import type { DayCap } from "./batch-step.ts";
import { clockText, type StepWait, spoken, wait } from "./step-wait.ts";

/** A request that waits, as far as its next step asks for it. */
export type RequestView = {
  attempt_count: number;
  /** The attempts before the call that the person asked for; null: they asked for none. */
  call_back_after: number | null;
  retry_count: number;
  due_at: Date;
  channel_status: ChannelStatus;
  /** The carrier did not take the last tries. */
  refusals: number;
  /** The step of a cadence that it waits for; left out and 0: the campaign's own. */
  step?: number;
  /** Days of the campaign on which its reference has had a first attempt. */
  counted_on: readonly string[];
  /** The same reference is being reached from another batch of the campaign. */
  is_reached_elsewhere: boolean;
  /** An attempt to the same person is under way, at whichever of their addresses and from whichever campaign. */
  is_address_busy: boolean;
  /** Its address was tried as often as this installation allows, over all campaigns; null: not yet. */
  too_often: TooOften | null;
  /** The carrier does not let us reach its country for now; null: it does, as far as we know. */
  country: CountryHold | null;
  /** What the organization's rules say: the person's own clock, and caps over all campaigns. */
  person: PersonState;
  /** What the number's lookup, the filters, the suppression list and the operator say; null: reach them. */
  issue: EligibilityIssue | null;
};

/** A country that the carrier does not let us reach; `until`: when somebody there is tried again. */
export type CountryHold = { name: string; reason: string; until: Date };

/** `lookup`: what the carrier is asked first; `text` where it is not the kind of number. */
export type EligibilityIssue =
  | { kind: "lookup"; text?: string }
  | { kind: SkipReason; status: ChannelStatus; text: string };

/** Why somebody is not reached at all: the campaign's filters, the suppression list, the operator's settings, its own end. */
export type SkipReason =
  | "filtered"
  | "suppressed"
  | "do-not-call"
  | "no-consent"
  | "reassigned"
  | "destination"
  | "too-late"
  /** Of a cadence: the person answered, or the campaign no longer has the step. */
  | "answered"
  | "step-removed";

export type RequestStep =
  /** `counts_on`: the day whose cap it counts towards; null: no day's. */
  | { kind: "start"; counts_on: string | null }
  | { kind: "skip"; status: ChannelStatus; reason: SkipReason; text: string }
  | StepWait;

/** First attempts on a day so far. */
export type ReachedOn = (date: string) => number;

export function requestStep(
  request: RequestView,
  days: readonly DayCap[],
  reached: ReachedOn,
  { schedule, zone }: Hours,
  now: Date,
): RequestStep {
  // Whoever is held back was put off until then: that, and not what they waited for before, is the reason.
  const lasts = <T extends { until: Date }>(hold: T | null): T | null =>
    hold !== null && hold.until >= request.due_at ? hold : null;
  const [too_often, country, person] = [
    lasts(request.too_often),
    lasts(request.country),
    lasts(request.person.hold),
  ];
  const isHeld = too_often !== null || country !== null || person !== null;
  // Who opted out, or answered, is not kept waiting for what will not come.
  const isSuppressed = request.issue?.kind === "suppressed" || request.issue?.kind === "answered";
  if (request.due_at > now && !isHeld && !isSuppressed) return notDue(request, zone, now);
  if (request.is_reached_elsewhere)
    return wait(
      "same-reference",
      "Waiting: the same reference_id is being reached from another batch of the campaign.",
      null,
    );
  if (request.is_address_busy)
    return wait("same-address", "Waiting: another attempt to the same person is under way.", null);
  const { issue } = request;
  const { too_late } = request.person;
  // Before the lookup, which costs money.
  if (issue === null || issue.kind === "lookup") {
    if (too_late !== null) return { kind: "skip", status: "CANCELED", reason: "too-late", text: too_late };
    if (too_often !== null) return triedTooOften(too_often, zone, now);
    if (country !== null) return countryPaused(country, zone, now);
    if (person !== null) return wait(person.reason, person.text, person.until);
  }
  if (issue?.kind === "lookup")
    return wait("lookup", issue.text ?? "Waiting: the carrier is asked what kind of number this is.", null);
  if (issue !== null) {
    const { kind: reason, status, text } = issue;
    return { kind: "skip", status, reason, text };
  }
  if (request.attempt_count > 0) return { kind: "start", counts_on: null };
  for (const { date, cap } of days) {
    if (request.counted_on.includes(date)) return { kind: "start", counts_on: null };
    if (cap === null || reached(date) < cap) return { kind: "start", counts_on: date };
  }
  return capReached(schedule, zone, days, now);
}

function notDue(
  { due_at, refusals, attempt_count, call_back_after, retry_count, channel_status, step = 0 }: RequestView,
  zone: string,
  now: Date,
) {
  const at = clockText(due_at, zone, now);
  if (refusals > 0)
    return wait("refused-by-carrier", `Waiting: the carrier took nothing; tried again at ${at}.`, due_at);
  if (call_back_after === attempt_count)
    return wait("call-back", `Waiting: the person asked for a call at ${at}.`, due_at);
  if (step > 0) return wait("step", `Waiting: step ${step + 1} at ${at}.`, due_at);
  // Put off under a bound that was loosened since, or added by a clock that was ahead.
  if (attempt_count === 0) return wait("queue", `Waiting: not before ${at}.`, due_at);
  const retry = attempt_count - (call_back_after ?? 0);
  return wait(
    "retry",
    `Waiting: retry ${retry} of ${Math.max(retry_count, retry)} at ${at}: ${spoken(channel_status)}.`,
    due_at,
  );
}

function triedTooOften({ attempts, window_ms, until }: TooOften, zone: string, now: Date): StepWait {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return wait(
    "too-often",
    `Waiting: tried ${times} in ${hoursText(window_ms)} over all campaigns, the most that is allowed; next ${clockText(until, zone, now)}.`,
    until,
  );
}

const countryPaused = ({ name, reason, until }: CountryHold, zone: string, now: Date): StepWait =>
  wait(
    "country-paused",
    `Waiting: the carrier does not let us reach ${name} (${reason}), which costs nobody an attempt; it is tried again at ${clockText(until, zone, now)}.`,
    until,
  );

const hoursText = (ms: number): string => {
  const hours = Math.round(ms / 3_600_000);
  return hours > 24 && hours % 24 === 0 ? `${hours / 24} days` : `${hours} h`;
};

function capReached(schedule: Schedule, zone: string, days: readonly DayCap[], now: Date): StepWait {
  const opening = nextOpening(withoutDays(schedule, days), zone, now);
  const cap = days.at(-1)?.cap ?? 0;
  const next = opening === null ? "no later day opens" : `goes on ${clockText(opening, zone, now)}`;
  return wait(
    "cap",
    `Waiting: ${cap} ${cap === 1 ? "person was" : "people were"} reached for the first time today, the day's most; ${next}.`,
    opening,
  );
}

/** The same schedule but for some days: when it opens next if these don't count. */
const withoutDays = (schedule: Schedule, days: readonly DayCap[]): Schedule => ({
  ...schedule,
  outreach_override_rules: {
    ...schedule.outreach_override_rules,
    dates: {
      ...schedule.outreach_override_rules?.dates,
      ...Object.fromEntries(days.map(({ date }) => [date, { active: false }])),
    },
  },
});
