import { type ChannelStatus, isAnswerer } from "../channels/channel-status.ts";
import { isOver, isWaiting, type RequestStatus } from "../channels/request-status.ts";
import { isForward, REQUEST_STATUS } from "../channels/status-mapping.ts";
import { type AttemptPhase, hasEnded } from "./attempt-state.ts";
import { type CadencePerson, type CadenceStep, isSuccess } from "./cadences/cadence.ts";
import { nextCadenceStep, type StepChoice } from "./cadences/next-cadence-step.ts";
import { leadsFurther } from "./progress.ts";
import type { StoredMove } from "./retries/better-hours.ts";
import { decideRetry, type EarlierAttempt, type RetryRules } from "./retry.ts";

/**
 * What one more status update about an attempt changes: in the attempt, and in its request. Updates come twice, late and out of
 * order; one that doesn't lead further changes nothing, so that the order in which they come matters as little as it can.
 */
export type AttemptState = {
  mode: "voice" | "sms" | "email";
  attempt_number: number;
  state: AttemptPhase;
  channel_status: ChannelStatus;
  answerer: ChannelStatus | null;
  /** Since when the carrier has it; null: not as far as we know. */
  placed_at: string | null;
  /** The agent left a message by its tool. */
  voicemail_left: boolean;
  /** The agent said something that was heard, its greeting or more. */
  has_spoken: boolean;
  /** Of the campaign's cadence; 0 and left out: the campaign's own. */
  step?: number;
};

/** What the agent said to a machine is on it, whether its tool was used or not: it is not said again. */
export const leftMessage = ({
  voicemail_left,
  has_spoken,
  answerer,
}: Pick<AttemptState, "voicemail_left" | "has_spoken" | "answerer">): boolean =>
  voicemail_left || (has_spoken && answerer === "MACHINE");

/** It counts as if it had not been tried: the carrier did not take it, or never got it. */
export const isTakenBack = ({ state, placed_at }: Pick<AttemptState, "state" | "placed_at">): boolean =>
  hasEnded({ state }) && placed_at === null;

/** Its request stands as it does by this attempt. One that was taken back may have the number of the next. */
export const isLatest = (
  attempt: Pick<AttemptState, "attempt_number" | "state" | "placed_at">,
  { attempt_count }: Pick<RequestState, "attempt_count">,
): boolean => attempt.attempt_number === attempt_count && !isTakenBack(attempt);

export type RequestState = {
  request_status: RequestStatus;
  channel_status: ChannelStatus;
  attempt_count: number;
  /** The attempts before the call that its person asked for; null: they asked for none. */
  call_back_after: number | null;
  /** The step that it is at, or waits for. */
  step?: number;
};

type StatusUpdate = { status: ChannelStatus; is_transient: boolean | null; at: Date };

/** False once the batch was deleted or its time is up: then nothing is tried again. */
type RetryContext = RetryRules & {
  batch_goes_on: boolean;
  was_reached_before: boolean;
  /** The attempts before it, since the person asked for a call if they did. */
  earlier: readonly EarlierAttempt[];
  /** When the person asked in this attempt to be called again; null: they did not. */
  call_back_at: Date | null;
  /** The campaign's steps after its own, and the person they reach; null and left out: it has none. */
  cadence?: Cadence | null;
};

export type Cadence = { steps: readonly CadenceStep[]; person: CadencePerson };

export type Settled = {
  /** How the attempt stands now; null: the update changed nothing about it. */
  attempt: { channel_status: ChannelStatus; answerer: ChannelStatus | null; ends: boolean } | null;
  /** How the request stands now; null: as before. `due_at` is set when it is tried again. */
  request: { channel_status: ChannelStatus; request_status: RequestStatus; due_at: Date | null } | null;
  /** What follows from an attempt that ended, for the trace. */
  decision: Decision | null;
  /** The cadence's next step with those that were skipped before it; left out where no step was asked for. */
  cadence?: StepChoice;
};

export type Decision =
  /** `move`: left out where the retry keeps its time. */
  | { kind: "retry"; at: string; number: number; of: number; status: ChannelStatus; move?: StoredMove }
  | { kind: "done"; status: ChannelStatus }
  | { kind: "call-back"; at: string; status: ChannelStatus }
  /** `step` of `of`, as people count them: the campaign's own is the first. */
  | { kind: "step"; at: string; step: number; of: number; mode: AttemptState["mode"]; status: ChannelStatus }
  | {
      kind: "given-up";
      status: ChannelStatus;
      why:
        | "not-retryable"
        | "permanent"
        | "no-retries"
        | "used-up"
        | "rule-says-none"
        | "batch-over"
        | "answered"
        | "reached-before";
    };

/** Who answered a call, as a result says it; null: nobody did, as far as is known. */
export function answeredBy({
  mode,
  answerer,
  channel_status,
}: Pick<AttemptState, "mode" | "answerer" | "channel_status">): ChannelStatus | null {
  if (mode !== "voice") return null;
  if (answerer !== null) return answerer;
  return channel_status === "IN-PROGRESS" || channel_status === "COMPLETED" ? "UNKNOWN" : null;
}

const NOTHING: Settled = { attempt: null, request: null, decision: null };

export function settle(
  attempt: AttemptState,
  request: RequestState,
  update: StatusUpdate,
  context: RetryContext,
): Settled {
  if (!leadsFurther(attempt.channel_status, update.status)) return NOTHING;
  const status = outcomeOf(attempt, update.status);
  const answerer = isAnswerer(update.status) ? update.status : attempt.answerer;
  const coarse = REQUEST_STATUS[status];
  const ends = !hasEnded(attempt) && (isOver(coarse) || status !== update.status);
  const changed = { channel_status: update.status, answerer, ends };
  // What an attempt before the call that was asked for still turns out to be does not call it off.
  if (isBeforeCallBack(attempt, request)) return { attempt: changed, ...UNCHANGED };
  if (waitsForLaterStep(attempt, request))
    return { attempt: changed, ...ofEarlierStep(attempt, update.status) };
  if (!isLatest(attempt, request)) return { attempt: changed, ...ofEarlier(request, update.status) };
  if (!ends) return { attempt: changed, ...late(attempt, request, update.status) };
  return { attempt: changed, ...atTheEnd(attempt, request, status, update, context) };
}

/** A call that a machine answered, and on which nothing was left, ends as what it met. */
const outcomeOf = (attempt: AttemptState, status: ChannelStatus): ChannelStatus =>
  attempt.mode === "voice" &&
  status === "COMPLETED" &&
  attempt.answerer === "MACHINE" &&
  !leftMessage(attempt)
    ? "MACHINE"
    : status;

type Followed = Pick<Settled, "request" | "decision" | "cadence">;

const UNCHANGED: Followed = { request: null, decision: null };

const isBeforeCallBack = (
  { attempt_number }: Pick<AttemptState, "attempt_number">,
  { call_back_after }: RequestState,
): boolean => attempt_number <= (call_back_after ?? 0);

const stepOf = ({ step = 0 }: { step?: number }): number => step;

const waitsForLaterStep = (attempt: AttemptState, request: RequestState): boolean =>
  hasEnded(attempt) && isWaiting(request.request_status) && stepOf(request) > stepOf(attempt);

/** That a text was delivered or opened after all stops no later step; that somebody talked, answered or opted out does. */
function ofEarlierStep({ mode }: AttemptState, status: ChannelStatus): Followed {
  if (REQUEST_STATUS[status] !== "COMPLETED" || !isSuccess(mode, status)) return UNCHANGED;
  return {
    request: { channel_status: status, request_status: "COMPLETED", due_at: null },
    decision: { kind: "done", status },
  };
}

/** An update about an attempt that another one followed, or will: who was reached after all is not tried again. */
function ofEarlier({ request_status }: RequestState, status: ChannelStatus): Followed {
  if (REQUEST_STATUS[status] !== "COMPLETED" || !isWaiting(request_status)) return UNCHANGED;
  return {
    request: { channel_status: status, request_status: "COMPLETED", due_at: null },
    decision: { kind: "done", status },
  };
}

/** The attempt goes on, or had ended before: its request follows as far as that is forward. */
function late(attempt: AttemptState, request: RequestState, status: ChannelStatus): Followed {
  const request_status = REQUEST_STATUS[status];
  if (hasEnded(attempt)) {
    // Only that somebody was reached after all matters to a request whose attempt counted as over.
    const isNews = request_status === "COMPLETED" && isForward(request.request_status, "COMPLETED");
    const sameStatus = request_status === request.request_status;
    if (!isNews && !sameStatus) return UNCHANGED;
    return {
      request: { channel_status: status, request_status, due_at: null },
      decision: isNews ? { kind: "done", status } : null,
    };
  }
  const forward = isForward(request.request_status, request_status) ? request_status : request.request_status;
  return { request: { channel_status: status, request_status: forward, due_at: null }, decision: null };
}

function atTheEnd(
  attempt: AttemptState,
  request: RequestState,
  status: ChannelStatus,
  update: StatusUpdate,
  context: RetryContext,
): Followed {
  const { call_back_after } = request;
  const over = (decision: Decision, final: ChannelStatus): Followed => ({
    request: { channel_status: final, request_status: REQUEST_STATUS[final], due_at: null },
    decision,
  });
  /** Over, unless the campaign's cadence has a step that comes after this. */
  const overOrNext = (decision: Decision, final: ChannelStatus): Followed => {
    const cadence = nextStepAfter(attempt, request, status, update.at, context);
    if (cadence === null) return over(decision, final);
    return cadence.next === null
      ? { ...over(decision, final), cadence }
      : { ...waitsForStep(cadence.next, status, context), cadence };
  };
  if (context.call_back_at !== null && context.batch_goes_on)
    return {
      request: {
        channel_status: status === "MACHINE" ? "COMPLETED" : status,
        request_status: "PENDING",
        due_at: context.call_back_at,
      },
      decision: { kind: "call-back", at: context.call_back_at.toISOString(), status },
    };
  if (status !== "MACHINE" && REQUEST_STATUS[status] !== "FAILED")
    return overOrNext({ kind: "done", status }, status);
  const retry = decideRetry(
    {
      ...attempt,
      attempt_number: attempt.attempt_number - (call_back_after ?? 0),
      status,
      is_transient: update.is_transient,
      ended_at: update.at,
      earlier: context.earlier,
    },
    context,
  );
  const final = status === "MACHINE" ? "COMPLETED" : status;
  if (attempt.answerer === "HUMAN" && (retry.kind === "retry" || context.cadence))
    return over({ kind: "given-up", status, why: "answered" }, final);
  if (retry.kind === "none") return overOrNext({ kind: "given-up", status, why: retry.why }, final);
  if (!context.batch_goes_on) return over({ kind: "given-up", status, why: "batch-over" }, final);
  if (context.was_reached_before) return over({ kind: "given-up", status, why: "reached-before" }, final);
  return {
    request: { channel_status: status, request_status: "PENDING", due_at: retry.at },
    decision: { ...retry, at: retry.at.toISOString(), status },
  };
}

/** Null: the campaign has no later steps, or nothing may follow whatever they are. */
function nextStepAfter(
  attempt: AttemptState,
  request: RequestState,
  status: ChannelStatus,
  at: Date,
  { cadence = null, batch_goes_on, was_reached_before }: RetryContext,
): StepChoice | null {
  // Who asked for a call has answered: what follows that call is no cadence's step.
  if (cadence === null || !batch_goes_on || was_reached_before || request.call_back_after !== null)
    return null;
  const isOnMachine = attempt.mode === "voice" && status === "COMPLETED" && attempt.answerer === "MACHINE";
  const outcome = isOnMachine ? "VOICEMAIL_LEFT" : status;
  // An attempt that turned up again may be of a step before the one that its request waits for.
  const from = Math.max(stepOf(attempt) + 1, stepOf(request));
  return nextCadenceStep(cadence.steps, from, { mode: attempt.mode, outcome }, cadence.person, at);
}

function waitsForStep(
  { step, mode, at }: NonNullable<StepChoice["next"]>,
  status: ChannelStatus,
  { cadence }: RetryContext,
): Followed {
  const of = (cadence?.steps.length ?? 0) + 1;
  return {
    request: { channel_status: status, request_status: "PENDING", due_at: at },
    decision: { kind: "step", at: at.toISOString(), step: step + 1, of, mode, status },
  };
}
