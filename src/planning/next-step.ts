import type { ChannelStatus } from "../channels/channel-status.ts";
import { type BatchStatus, isDialled } from "./batch-state.ts";
import { nextSlot } from "./pacing.ts";
import type { TooOften } from "./per-person.ts";
import type { PersonState } from "./person-hold.ts";
import { type Hours, isOpenOnAll, nextOpening, openDays, type Schedule } from "./schedule.ts";

/**
 * What happens next with a batch and with one of its requests, and why. The dialer starts an attempt when, and only
 * when, both answers are "start"; the trace that people read is made of the very same answers.
 */
const WAIT_REASONS = [
  "batch-empty",
  "batch-paused",
  "stopped",
  "spend-cap",
  "confirmation",
  "no-sender",
  "no-number",
  "closed",
  "never-opens",
  "source-paused",
  "busy-lines",
  "campaign-limit",
  "agent-limit",
  "rate",
  "queue",
  "retry",
  "call-back",
  "step",
  "cap",
  "same-reference",
  "same-address",
  "too-often",
  "lookup",
  "refused-by-carrier",
  "country-paused",
  "person-hours",
  "not-before",
  "unknown-zone",
  "unreadable-time",
  "contact-cap",
  "after-conversation",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** `until`: when it is looked at again; null: when something else changes. `text` is a sentence for a person. */
type BatchWait = { kind: "wait"; reason: WaitReason; text: string; until: Date | null };

/** A batch as of now, and all that stands around it. */
export type BatchView = {
  status: BatchStatus;
  /** What sends, e.g. our number; null: no agent has it any more. */
  source: string | null;
  /** The campaign's schedule on the clock of its agent. */
  hours: Hours;
  /** Attempts per hour; null where auto_call_rate finds no open hour left. */
  rate: number | null;
  last_at: Date | null;
  source_paused_until: Date | null;
  /** The carrier's words, where it refuses something of ours. */
  source_refusal: string | null;
  /** Further attempts that may run at once: of the number, and of the organization beside what is kept for callers. */
  free_lines: { source: number; organization: number };
  /** The campaign's own limit of attempts at once; null: it has none. */
  campaign_limit: { most: number; attempts: number } | null;
  /** The limit of its agent's calls at once; null: it has none, or this is no call. */
  agent_limit: { most: number; outbound: number; inbound: number } | null;
  /** Since when, and by whom, all outreach of the organization is stopped; null: it is not. */
  stopped: OutreachStop | null;
  /** Null: the campaign has no spend cap. */
  spending: SpendView | null;
  /** Null: none is missing. */
  confirmation: MissingConfirmation | null;
  /** Of the campaign's number group; null: it names none. */
  numbers: NumbersLeft | null;
};

/** What a campaign has spent of what it may, in US dollars. */
export type SpendView = { cap_usd: number; spent_usd: number };

/** A batch has more people than may be contacted without somebody's confirmation. */
export type MissingConfirmation = { people: number; above: number };

/** How many numbers of a group are free, and what the others wait for. `until`: when one is; null: that has no time. */
export type NumbersLeft = {
  group: string;
  cap: number | null;
  free: number;
  resting: number;
  capped: number;
  paused: number;
  busy: number;
  until: Date | null;
};

export type OutreachStop = { at: Date; by: string | null };

export type DayCap = { date: string; cap: number | null };

export type BatchStep = { kind: "start"; days: DayCap[] } | BatchWait | { kind: "over"; text: string };

export function batchStep(batch: BatchView, now: Date): BatchStep {
  const state = stateStep(batch.status);
  if (state) return state;
  if (batch.stopped !== null) return stopped(batch.stopped, batch.hours.zone, now);
  if (batch.spending !== null && batch.spending.spent_usd >= batch.spending.cap_usd)
    return spentUp(batch.spending);
  if (batch.confirmation !== null) return unconfirmed(batch.confirmation);
  if (batch.source === null)
    return wait(
      "no-sender",
      "Waiting: no agent has the number or address that the campaign sends from.",
      null,
    );
  const { schedule, zone } = batch.hours;
  if (!isOpenOnAll(clocksOf(batch.hours), now)) return closed(schedule, zone, now);
  if (batch.source_paused_until !== null && batch.source_paused_until > now) {
    const why =
      batch.source_refusal === null
        ? `too much failed from ${batch.source}`
        : `the carrier refuses ${batch.source} (${batch.source_refusal}), which costs nobody an attempt`;
    return wait(
      "source-paused",
      `Waiting: ${why}; it is tried again at ${clockText(batch.source_paused_until, zone, now)}.`,
      batch.source_paused_until,
    );
  }
  if (batch.rate === null)
    return wait("never-opens", "Waiting: the schedule has no open hour before the batch expires.", null);
  const slot = nextSlot(batch.last_at, batch.rate);
  if (slot > now)
    return wait(
      "rate",
      `Waiting: the next attempt at ${rateText(batch.rate)} starts at ${clockText(slot, zone, now)}.`,
      slot,
    );
  const limit = limitStep(batch);
  if (limit) return limit;
  if (batch.numbers !== null && batch.numbers.free === 0) return noNumber(batch.numbers, zone, now);
  if (batch.free_lines.source <= 0)
    return wait("busy-lines", `Waiting: all lines of ${batch.source} are busy.`, null);
  if (batch.free_lines.organization <= 0)
    return wait(
      "busy-lines",
      "Waiting: all lines of the organization are busy, or kept for people who call.",
      null,
    );
  return { kind: "start", days: openDays(schedule, zone, now) };
}

function limitStep({ campaign_limit, agent_limit }: BatchView): BatchStep | null {
  if (campaign_limit !== null && campaign_limit.attempts >= campaign_limit.most) {
    const { most, attempts } = campaign_limit;
    return wait(
      "campaign-limit",
      `Waiting: the campaign has ${attempts} of its ${most} attempts at once.`,
      null,
    );
  }
  if (agent_limit === null) return null;
  const { most, outbound, inbound } = agent_limit;
  if (outbound + inbound < most) return null;
  const callers = inbound === 0 ? "" : `, ${inbound} of them inbound`;
  return wait(
    "agent-limit",
    `Waiting: the agent has ${outbound + inbound} of its ${most} calls at once${callers}.`,
    null,
  );
}

/**
 * Whether it only waits for a place that others may have before it: a line, or one of its agent's calls. The limit of its
 * campaign is its own, and nobody else's attempt takes it.
 */
export const isShortOfPlaces = (step: BatchStep, { numbers }: Pick<BatchView, "numbers">): boolean =>
  step.kind === "wait" &&
  (step.reason === "busy-lines" ||
    step.reason === "agent-limit" ||
    (step.reason === "no-number" && numbers !== null && numbers.busy > 0));

function stateStep(status: BatchStatus): BatchStep | null {
  if (isDialled(status)) return null;
  switch (status) {
    case "PAUSED":
      return wait("batch-paused", "Waiting: the batch is paused.", null);
    case "CANCELED":
      return { kind: "over", text: "Nobody is reached any more: the batch was deleted." };
    case "EXPIRED":
      return { kind: "over", text: "Nobody is reached any more: the batch has expired." };
    default:
      return wait("batch-empty", "Waiting: the batch holds no requests yet.", null);
  }
}

const stopped = ({ at, by }: OutreachStop, zone: string, now: Date): BatchWait =>
  wait(
    "stopped",
    `Waiting: ${by ?? "somebody"} stopped all outreach of the organization at ${clockText(at, zone, now)}; it waits until somebody resumes it.`,
    null,
  );

const usd = (amount: number): string => `$${amount.toFixed(2)}`;

const spentUp = ({ cap_usd, spent_usd }: SpendView): BatchWait =>
  wait(
    "spend-cap",
    `Waiting: the campaign has spent ${usd(spent_usd)} of its cap of ${usd(cap_usd)}; it goes on when the cap is raised.`,
    null,
  );

const unconfirmed = ({ people, above }: MissingConfirmation): BatchWait =>
  wait(
    "confirmation",
    `Waiting: the batch has ${people.toLocaleString("en")} people, and more than ${above.toLocaleString("en")} need a confirmation.`,
    null,
  );

/** A group without a usable number is looked at again, because numbers get and lose their agents. */
const EMPTY_GROUP_ms = 60_000;

function noNumber(left: NumbersLeft, zone: string, now: Date): BatchWait {
  const { group, cap, resting, capped, paused, busy, until } = left;
  if (resting + capped + paused + busy === 0)
    return wait(
      "no-number",
      `Waiting: no number of the group ${group} belongs to an agent and is used for the campaign's channel.`,
      new Date(now.getTime() + EMPTY_GROUP_ms),
    );
  const why = [
    capped > 0 && `${capped} reached the daily cap of ${cap}`,
    resting > 0 && `${resting} resting`,
    paused > 0 && `${paused} paused, because too much failed or the carrier refuses`,
    busy > 0 && `${busy} busy`,
  ].filter((part) => part !== false);
  const next = until === null ? "" : `; next ${clockText(until, zone, now)}`;
  return wait(
    "no-number",
    `Waiting: no number of the group ${group} is free: ${why.join(", ")}${next}.`,
    until,
  );
}

/**
 * The clocks that have to be open for anybody to be reached: the campaign's. The hours of a person's own zones are checked
 * with the request (`PersonState`), where they can only close what the campaign opens.
 */
const clocksOf = (campaign: Hours): Hours[] => [campaign];

function closed(schedule: Schedule, zone: string, now: Date): BatchWait {
  const opening = nextOpening(schedule, zone, now);
  return opening === null
    ? wait("never-opens", "Waiting: the campaign's schedule has no day that opens.", null)
    : wait("closed", `Waiting: opens ${clockText(opening, zone, now)}.`, opening);
}

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
  /** An attempt to the same number or address is under way, from whichever campaign of the organization. */
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

export type EligibilityIssue = { kind: "lookup" } | { kind: SkipReason; status: ChannelStatus; text: string };

/** Why somebody is not reached at all: the campaign's filters, the suppression list, the operator's settings, its own end. */
export type SkipReason =
  | "filtered"
  | "suppressed"
  | "do-not-call"
  | "no-consent"
  | "destination"
  | "too-late"
  /** Of a cadence: the person answered, or the campaign no longer has the step. */
  | "answered"
  | "step-removed";

export type RequestStep =
  /** `counts_on`: the day whose cap it counts towards; null: no day's. */
  | { kind: "start"; counts_on: string | null }
  | { kind: "skip"; status: ChannelStatus; reason: SkipReason; text: string }
  | BatchWait;

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
    return wait("same-address", "Waiting: another attempt to the same number or address is under way.", null);
  const { issue } = request;
  const { too_late } = request.person;
  if (too_late !== null && (issue === null || issue.kind === "lookup"))
    return { kind: "skip", status: "CANCELED", reason: "too-late", text: too_late };
  // Before the lookup, which costs money.
  if (issue?.kind === "lookup" && person !== null) return wait(person.reason, person.text, person.until);
  if (issue?.kind === "lookup")
    return wait("lookup", "Waiting: the carrier is asked what kind of number this is.", null);
  if (issue !== null) {
    const { kind: reason, status, text } = issue;
    return { kind: "skip", status, reason, text };
  }
  if (too_often !== null) return triedTooOften(too_often, zone, now);
  if (country !== null) return countryPaused(country, zone, now);
  if (person !== null) return wait(person.reason, person.text, person.until);
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

function triedTooOften({ attempts, window_ms, until }: TooOften, zone: string, now: Date): BatchWait {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return wait(
    "too-often",
    `Waiting: tried ${times} in ${hoursText(window_ms)} over all campaigns, the most that is allowed; next ${clockText(until, zone, now)}.`,
    until,
  );
}

const countryPaused = ({ name, reason, until }: CountryHold, zone: string, now: Date): BatchWait =>
  wait(
    "country-paused",
    `Waiting: the carrier does not let us reach ${name} (${reason}), which costs nobody an attempt; it is tried again at ${clockText(until, zone, now)}.`,
    until,
  );

const hoursText = (ms: number): string => {
  const hours = Math.round(ms / 3_600_000);
  return hours > 24 && hours % 24 === 0 ? `${hours / 24} days` : `${hours} h`;
};

function capReached(schedule: Schedule, zone: string, days: readonly DayCap[], now: Date): BatchWait {
  const opening = nextOpening(withoutDays(schedule, days), zone, now);
  const cap = days.at(-1)?.cap ?? 0;
  const next = opening === null ? "no later day opens" : `goes on ${clockText(opening, zone, now)}`;
  return wait(
    "cap",
    `Waiting: ${cap} people were reached for the first time today, the day's most; ${next}.`,
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

const wait = (reason: WaitReason, text: string, until: Date | null): BatchWait => ({
  kind: "wait",
  reason,
  text,
  until,
});

/** `09:00 America/Phoenix` today, `2026-11-23 09:00 America/Phoenix` on another day. */
export function clockText(at: Date, zone: string, now: Date): string {
  const [then, today] = [at, now].map((instant) =>
    Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  const time = then.toPlainTime().toString({ smallestUnit: then.second === 0 ? "minute" : "second" });
  const date = then.toPlainDate();
  return `${date.equals(today.toPlainDate()) ? "" : `${date} `}${time} ${zone}`;
}

const rateText = (rate: number): string => `${(Math.round(rate * 10) / 10).toLocaleString("en")} an hour`;

/** NO-ANSWER → no answer. */
export const spoken = (status: ChannelStatus): string =>
  status.replace(/^SIP_/, "SIP ").replaceAll(/[-_]/g, " ").toLowerCase().replace(/^sip/, "SIP");
