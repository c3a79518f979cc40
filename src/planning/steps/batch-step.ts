import { type BatchStatus, isDialled } from "../batch-state.ts";
import { nextSlot } from "../pacing.ts";
import { type Hours, isOpen, nextOpening, openDays, type Schedule } from "../schedule.ts";
import type { SilentStep } from "./silent-step.ts";
import { clockText, type StepWait, wait } from "./step-wait.ts";

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
  /** Its step has no words to send; null: none is known to be without. */
  silent: SilentStep | null;
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

export type BatchStep = { kind: "start"; days: DayCap[] } | StepWait | { kind: "over"; text: string };

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
  // The hours of a person's own zones are checked with the request (`PersonState`): they can only close what this opens.
  if (!isOpen(schedule, zone, now)) return closed(schedule, zone, now);
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
  if (batch.silent !== null && batch.silent.until > now)
    return wait(
      "no-words",
      `Waiting: there are no words to send, which costs nobody an attempt. ${batch.silent.reason} It is tried again at ${clockText(batch.silent.until, zone, now)}.`,
      batch.silent.until,
    );
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

const stopped = ({ at, by }: OutreachStop, zone: string, now: Date): StepWait =>
  wait(
    "stopped",
    `Waiting: ${by ?? "somebody"} stopped all outreach of the organization at ${clockText(at, zone, now)}; it waits until somebody resumes it.`,
    null,
  );

const usd = (amount: number): string => `$${amount.toFixed(2)}`;

const spentUp = ({ cap_usd, spent_usd }: SpendView): StepWait =>
  wait(
    "spend-cap",
    `Waiting: the campaign has spent ${usd(spent_usd)} of its cap of ${usd(cap_usd)}; it goes on when the cap is raised.`,
    null,
  );

const unconfirmed = ({ people, above }: MissingConfirmation): StepWait =>
  wait(
    "confirmation",
    `Waiting: the batch has ${people.toLocaleString("en")} people, and more than ${above.toLocaleString("en")} need a confirmation.`,
    null,
  );

/** A group without a usable number is looked at again, because numbers get and lose their agents. */
const EMPTY_GROUP_ms = 60_000;

function noNumber(left: NumbersLeft, zone: string, now: Date): StepWait {
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

function closed(schedule: Schedule, zone: string, now: Date): StepWait {
  const opening = nextOpening(schedule, zone, now);
  return opening === null
    ? wait("never-opens", "Waiting: the campaign's schedule has no day that opens.", null)
    : wait("closed", `Waiting: opens ${clockText(opening, zone, now)}.`, opening);
}

const rateText = (rate: number): string => `${(Math.round(rate * 10) / 10).toLocaleString("en")} an hour`;
