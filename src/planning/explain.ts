import { unreachable } from "../base/errors.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { AttemptPhase } from "./attempt-state.ts";
import type { BatchStatus } from "./batch-state.ts";
import { reasonIn, type StepLogEntry } from "./cadences/step-log.ts";
import { moveText } from "./retries/better-hours.ts";
import type { Decision } from "./settle.ts";
import type { BatchStep } from "./steps/batch-step.ts";
import type { RequestStep } from "./steps/request-step.ts";
import { clockText, spoken } from "./steps/step-wait.ts";

/** What a request waits for, or why it does not: `text` is a sentence, the rest is for programs. */
export type NextStep = {
  kind: "waiting" | "under-way" | "over";
  reason: string;
  text: string;
  until: Date | null;
};

/** Of all that a waiting request waits for, what lasts longest; what has no end goes over what has one. */
export function explainWaiting(batch: BatchStep, request: RequestStep, ahead: number | null): NextStep {
  if (batch.kind === "over") return { kind: "over", reason: "batch-over", text: batch.text, until: null };
  if (request.kind === "skip")
    return {
      kind: "waiting",
      reason: request.reason,
      text: request.text.replace(
        /^(Skipped|Stopped): /,
        (_, done: string) => `Will be ${done.toLowerCase()} when its turn comes: `,
      ),
      until: null,
    };
  const waits = [batch, request].filter((step) => step.kind === "wait");
  const [first, second] = waits;
  if (!first) return { kind: "waiting", reason: "queue", text: queueText(ahead), until: null };
  const last =
    second && first.until !== null && (second.until === null || second.until > first.until) ? second : first;
  const isNext = last.reason === "rate" && ahead !== 0 && ahead !== null;
  const text = isNext ? `${last.text} ${queueText(ahead)}` : last.text;
  return { kind: "waiting", reason: last.reason, text, until: last.until };
}

const queueText = (ahead: number | null): string =>
  ahead === null || ahead === 0
    ? "Waiting: it is next."
    : `Waiting: ${ahead >= MOST_COUNTED ? `${MOST_COUNTED} or more` : ahead} of the batch come before it.`;

/** Counting those ahead stops here. */
export const MOST_COUNTED = 10_000;

export type ExplainedAttempt = {
  attempt_number: number;
  state: AttemptPhase;
  channel_status: ChannelStatus;
  answerer: ChannelStatus | null;
  provider_status: string | null;
  started_at: string;
  ended_at: string | null;
  decision: Decision | null;
  /** Since when its carrier was asked to end it, because all outreach was stopped. */
  hang_up_at: string | null;
};

/** Why a request that was to be tried again is canceled. */
type CanceledBy = "expiry" | "batch" | "request";
const CANCELED_BY: Record<CanceledBy, string> = {
  expiry: "canceled, because the batch expired",
  batch: "canceled with its batch",
  request: "the request was canceled",
};

/** An attempt's request as it stands now: what the attempt planned may never come. */
export type RequestOfAttempt = {
  /** Of its batch, now. */
  batch_status: BatchStatus;
  request_status: string;
  attempt_count: number;
  step_log: readonly StepLogEntry[] | null;
  /** Why it was skipped as a whole, in a sentence. */
  skipped: string | null;
};

/** Who still waits in a batch that is over is about to be canceled. */
function canceledBy({ batch_status: batch, request_status }: RequestOfAttempt): CanceledBy | null {
  if (request_status !== "CANCELED" && request_status !== "PENDING") return null;
  if (batch === "EXPIRED") return "expiry";
  if (batch === "CANCELED") return "batch";
  return request_status === "CANCELED" ? "request" : null;
}

type Planned = Extract<Decision, { kind: "step" | "retry" | "call-back" }>;

/** What an attempt planned, by itself and with its time. */
function planOf(planned: Planned, zone: string, now: Date): { what: string; clause: string } {
  const at = clockText(new Date(planned.at), zone, now);
  switch (planned.kind) {
    case "step": {
      const what = `step ${planned.step} of ${planned.of}, ${STEP_WORDS[planned.mode]},`;
      return { what, clause: `${what} from ${at}` };
    }
    case "retry": {
      const what = `retry ${planned.number} of ${planned.of}`;
      return { what, clause: `${what} from ${at}${planned.move ? `, ${moveText(planned.move)}` : ""}` };
    }
    case "call-back":
      return { what: "the call that was asked for", clause: `the person asked for a call at ${at}` };
    default:
      return unreachable(planned);
  }
}

/** Why what was planned does not come; null: it comes, or came. */
function hindrance(
  planned: Planned,
  what: string,
  isLast: boolean,
  request: RequestOfAttempt,
): string | null {
  const canceled = canceledBy(request);
  if (canceled) return CANCELED_BY[canceled];
  const logged = request.step_log?.find(({ kind, step }) =>
    planned.kind === "step" ? step === planned.step - 1 : isLast && kind === "stopped",
  );
  if (logged) return `${what} was ${logged.kind}: ${logged.text}`;
  return isLast && request.skipped !== null ? `${what} was stopped: ${reasonIn(request.skipped)}` : null;
}

/** What became of an attempt, in a sentence. */
export function explainAttempt(
  attempt: ExplainedAttempt,
  zone: string,
  now: Date,
  request: RequestOfAttempt | null = null,
): string {
  const { attempt_number, state, channel_status, decision } = attempt;
  const name = `Attempt ${attempt_number}`;
  if (state !== "ENDED") return `${name} ${underWay(attempt, zone, now)}`;
  if (decision === null && attempt.hang_up_at !== null && channel_status === "CANCELED")
    return `${name} was hung up while it rang, because all outreach was stopped, and does not count.`;
  if (decision === null)
    return channel_status === "PENDING"
      ? `${name} did not go out${attempt.provider_status ? ` (${attempt.provider_status})` : ""} and does not count.`
      : `${name} ended: ${spoken(channel_status)}.`;
  if (decision.kind === "step" || decision.kind === "retry" || decision.kind === "call-back") {
    const { what, clause } = planOf(decision, zone, now);
    const isLast = attempt_number === request?.attempt_count;
    const why = request && hindrance(decision, what, isLast, request);
    return `${name}: ${spoken(decision.status)}; ${why ?? clause}.`;
  }
  if (decision.kind === "done" && attempt.answerer === "MACHINE" && decision.status === "COMPLETED")
    return `${name}: a machine answered, and was left a message.`;
  if (decision.kind === "done") return `${name}: ${spoken(decision.status)}.`;
  return `${name}: ${spoken(decision.status)}; ${GIVEN_UP[decision.why]}.`;
}

export const STEP_WORDS = { voice: "a call", sms: "a text", email: "an e-mail" };

function underWay({ state, channel_status, answerer }: ExplainedAttempt, zone: string, now: Date): string {
  if (state === "CLAIMED") return "is being handed to the carrier.";
  if (state === "UNCERTAIN")
    return "may or may not have reached the carrier, which is asked before anything else.";
  const who = answerer === null || answerer === channel_status ? "" : ` (${spoken(answerer)})`;
  return `is under way: ${spoken(channel_status)}${who} as of ${clockText(now, zone, now)}.`;
}

const GIVEN_UP: Record<Extract<Decision, { kind: "given-up" }>["why"], string> = {
  "not-retryable": "not retried, because it would fail the same way",
  permanent: "not retried, because the carrier says that it would fail the same way",
  "no-retries": "the campaign has no retries",
  "used-up": "all retries are used up",
  "rule-says-none": "the campaign retries nobody after this outcome",
  "batch-over": "the batch is over",
  answered: "a person answered, and is not called again",
  "reached-before": "the person was reached by an earlier attempt",
};
