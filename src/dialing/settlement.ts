import { patch } from "../base/patch.ts";
import { type ChannelStatus, isAnswerer } from "../channels/channel-status.ts";
import { isWaiting } from "../channels/request-status.ts";
import { REQUEST_STATUS } from "../channels/status-mapping.ts";
import {
  ASKED_FOR_ms,
  MAX_REFUSALS,
  NOT_SHOWN_ms,
  nextCheck_ms,
  SHOWN_AFTER_ms,
  silence_ms,
} from "../planning/attempt.ts";
import { hasEnded, isPlaced, isUnplaced, nextPhase } from "../planning/attempt-state.ts";
import { isCarrierFailure } from "../planning/breaker.ts";
import type { StepChoice } from "../planning/cadences/next-cadence-step.ts";
import { withEntries } from "../planning/cadences/step-log.ts";
import type { EarlierAttempt } from "../planning/retry.ts";
import { answeredBy, type Decision, isLatest, isTakenBack, leftMessage, settle } from "../planning/settle.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { giveBackHungUp, giveBackNotTaken, giveBackRefused, wasRefusedLater } from "./give-back.ts";
import { SettledChanges } from "./settled-changes.ts";
import { type AttemptRow, type BatchContext, hasOthers, idOf, type RequestRow } from "./settled-rows.ts";

const ONCE = { retry_count: 0, retry_interval: null, by_outcome: null, preference: null };

/** Applies events one by one to the rows in memory, before anything is written. Pure. */
export class Settlement {
  /** All that changed, to be written in one transaction. */
  readonly changed: SettledChanges;
  #attempts: Map<string, AttemptRow>;
  #requests: Map<string, RequestRow>;

  constructor(
    now: Date,
    attempts: Map<string, AttemptRow>,
    requests: Map<string, RequestRow>,
    batches: Map<string, BatchContext>,
  ) {
    this.changed = new SettledChanges(now, batches);
    this.#attempts = attempts;
    this.#requests = requests;
  }

  take(event: AttemptEvent): void {
    const attempt = this.#attempts.get(event.key);
    if (!attempt) return;
    const request = this.#requests.get(idOf(attempt)) as RequestRow;
    if (event.kind === "status") this.#status(attempt, request, event);
    else if (event.kind === "not-taken") this.#notTaken(attempt, request, event);
    else if (event.kind === "unknown") this.#unknown(attempt, event);
    else this.#goesOn(attempt, event.is_shown);
  }

  #status(attempt: AttemptRow, request: RequestRow, update: Extract<AttemptEvent, { kind: "status" }>): void {
    if (update.our_fault !== undefined && (!hasEnded(attempt) || isTakenBack(attempt))) {
      giveBackRefused(this.changed, attempt, request, update, update.our_fault);
      return;
    }
    if (update.status === "CANCELED" && attempt.hang_up_at !== null && !hasEnded(attempt)) {
      giveBackHungUp(this.changed, attempt, request, update);
      return;
    }
    // A late status of a message that was refused since is ignored, unless it was delivered after all.
    if (wasRefusedLater(attempt) && REQUEST_STATUS[update.status] !== "COMPLETED") return;
    const { retry_count, retry_interval, by_outcome, preference, cadence } = this.changed.batchOf(attempt);
    const before = attempt.channel_status;
    const wasOver = hasEnded(attempt);
    if (isTakenBack(attempt) && isWaiting(request.request_status) && !attempt.is_tried_elsewhere)
      this.#revive(attempt, request);
    this.#remember(attempt, request, update);
    const settled = settle(attempt, request, update, {
      // The campaign's retries are those of its own step; the others are tried once.
      ...(attempt.step === 0 ? { retry_count, retry_interval, by_outcome, preference } : ONCE),
      cadence,
      earlier: this.#earlierThan(attempt, request),
      batch_goes_on: this.changed.goesOnWith(attempt),
      was_reached_before: this.#wasReachedBefore(attempt, request),
      call_back_at: attempt.call_back_at === null ? null : new Date(attempt.call_back_at),
    });
    if (settled.attempt?.ends && isLatest(attempt, request) && request.refusals > 0) {
      // The carrier accepted it, so the count of refusals in a row begins anew.
      request.refusals = 0;
      this.changed.requests.add(request);
    }
    if (settled.attempt) this.#moveAttempt(attempt, update, settled.attempt);
    // The carrier's id is kept even when the status changes nothing.
    else if (isUnplaced(attempt)) this.#moveAttempt(attempt, update, { ...attempt, ends: false });
    // A carrier may report who answered only after the call has ended.
    else if (isAnswerer(update.status) && attempt.answerer === null && attempt.channel_status === "COMPLETED")
      this.#rememberAnswerer(attempt, update.status);
    this.#noteAnswer(attempt, request);
    if (settled.decision) attempt.decision = settled.decision;
    if (settled.decision?.kind === "call-back") request.call_back_after = request.attempt_count;
    if (settled.cadence) this.#goOn(attempt, request, settled.cadence);
    if (!settled.request) return;
    const previous = request.channel_status;
    request.channel_status = settled.request.channel_status;
    request.request_status = settled.request.request_status;
    request.due_at = settled.request.due_at?.toISOString() ?? null;
    this.changed.requests.add(request);
    // A waiting request keeps its last attempt's status, and the next attempt may end with the same one.
    if (previous !== request.channel_status || (!wasOver && before !== request.channel_status))
      this.changed.tell(attempt, request, previous, update.provider_status ?? null);
  }

  /** Makes the request wait for its next step. Steps that were skipped before it are logged, and events say so. */
  #goOn(attempt: AttemptRow, request: RequestRow, { next, skipped }: StepChoice): void {
    const at = this.changed.now.toISOString();
    request.step_log = withEntries(
      request.step_log,
      skipped.map(({ step, text }) => ({ step, kind: "skipped", at, text })),
    );
    if (next) patch(request, { step: next.step, step_target: next.target });
    this.changed.requests.add(request);
    this.changed.tellSteps(attempt, skipped, next);
  }

  /**
   * The carrier had accepted it after all, and no attempt was made since: it counts again, and its person, who may be on
   * the telephone, is not tried a second time meanwhile.
   */
  #revive(attempt: AttemptRow, request: RequestRow): void {
    request.attempt_count += 1;
    patch(request, { request_status: "INITIATED", due_at: null });
    // The answer arrived before the status that it was placed.
    const { session_id, conversation_id } = attempt;
    if (session_id !== null) patch(request, { session_id, conversation_id });
    this.changed.requests.add(request);
    const attempt_number = request.attempt_count;
    const state = nextPhase(attempt.state, "revived");
    const revived = { state, ended_at: null, provider_status: null, holds_slot: true };
    patch(attempt, { ...revived, attempt_number });
    this.changed.attempts.add(attempt);
  }

  /** Whether another attempt reached the person, stored earlier or settled together with this event. */
  #wasReachedBefore(attempt: AttemptRow, request: RequestRow): boolean {
    const { key, was_reached_before, batch_key, request_id } = attempt;
    if (was_reached_before || !hasOthers(attempt, request)) return was_reached_before;
    const inCadence = this.changed.batchOf(attempt).cadence !== null;
    return this.#attempts
      .values()
      .some(
        (other) =>
          other.request_id === request_id &&
          other.batch_key === batch_key &&
          other.key !== key &&
          other.attempt_number > (request.call_back_after ?? 0) &&
          (other.channel_status === "COMPLETED" || (other.channel_status === "DELIVERED" && !inCadence)) &&
          other.answerer !== "MACHINE",
      );
  }

  /** Earlier attempts of the request: those stored, and those that this settlement has ended. */
  #earlierThan(attempt: AttemptRow, { call_back_after }: RequestRow): EarlierAttempt[] {
    if (attempt.step > 0 || this.changed.batchOf(attempt).by_outcome === null) return [];
    const since = call_back_after ?? 0;
    const now = [...this.#attempts.values()].filter(
      ({ batch_key, request_id, attempt_number, decision }) =>
        batch_key === attempt.batch_key &&
        request_id === attempt.request_id &&
        attempt_number > since &&
        attempt_number < attempt.attempt_number &&
        decision !== null,
    );
    const stored = attempt.earlier.filter(
      ({ started_at }) => !now.some((each) => Date.parse(each.started_at) === started_at.getTime()),
    );
    return [
      ...stored,
      ...now.map(({ decision, started_at }) => ({
        outcome: (decision as Decision).status,
        started_at: new Date(started_at),
      })),
    ];
  }

  /** Keeps the carrier's id and the session's id, even if the status changes nothing. */
  #remember(
    attempt: AttemptRow,
    request: RequestRow,
    update: Extract<AttemptEvent, { kind: "status" }>,
  ): void {
    const sid = update.sid ?? null;
    if (sid !== null && attempt.sid === null) {
      attempt.sid = sid;
      this.changed.attempts.add(attempt);
    }
    if (update.session && attempt.session_id === null) {
      patch(attempt, update.session);
      this.changed.attempts.add(attempt);
    }
    if (!isLatest(attempt, request)) return;
    if (sid !== null && request.sid !== sid) {
      request.sid = sid;
      request.sent_at ??= this.changed.now.toISOString();
      this.changed.requests.add(request);
    }
    if (update.session && request.session_id !== update.session.session_id) {
      patch(request, update.session);
      this.changed.requests.add(request);
    }
  }

  #rememberAnswerer(attempt: AttemptRow, answerer: ChannelStatus): void {
    attempt.answerer = answerer;
    this.changed.attempts.add(attempt);
  }

  /**
   * Who answered, and whether a message was left, as the request's result says it. A text or mail that arrived after a call
   * replaces what the call found: a person with a machine was reached then.
   */
  #noteAnswer(attempt: AttemptRow, request: RequestRow): void {
    const isCall = attempt.mode === "voice";
    if (!isLatest(attempt, request)) return;
    if (!isCall && REQUEST_STATUS[attempt.channel_status] !== "COMPLETED") return;
    const answered_by = isCall ? answeredBy(attempt) : null;
    const voicemail_left = hasEnded(attempt) && answered_by !== null ? leftMessage(attempt) : null;
    if (answered_by === request.answered_by && voicemail_left === request.voicemail_left) return;
    patch(request, { answered_by, voicemail_left });
    this.changed.requests.add(request);
  }

  #moveAttempt(
    attempt: AttemptRow,
    update: Extract<AttemptEvent, { kind: "status" }>,
    to: { channel_status: ChannelStatus; answerer: ChannelStatus | null; ends: boolean },
  ): void {
    this.changed.attempts.add(attempt);
    attempt.channel_status = to.channel_status;
    attempt.answerer = to.answerer;
    attempt.provider_status = update.provider_status ?? attempt.provider_status;
    attempt.error_code = update.error_code ?? attempt.error_code;
    if (hasEnded(attempt)) return;
    attempt.placed_at ??= this.changed.now.toISOString();
    if (to.ends) {
      this.changed.end(attempt, "over");
      this.changed.count(attempt, isCarrierFailure(to.channel_status));
      return;
    }
    attempt.state = nextPhase(attempt.state, "accepted");
    attempt.checks = 0;
    // A message that the carrier accepted frees its line; a call keeps it until it ends.
    attempt.holds_slot &&= attempt.mode === "voice";
    attempt.check_at = this.changed.after(this.#silence_ms(attempt));
  }

  #silence_ms({ mode, started_at }: AttemptRow): number {
    return silence_ms(mode, this.changed.now.getTime() - new Date(started_at).getTime());
  }

  /** The carrier did not accept the attempt. After too many refusals in a row the request ends. */
  #notTaken(
    attempt: AttemptRow,
    request: RequestRow,
    event: Extract<AttemptEvent, { kind: "not-taken" }>,
  ): void {
    const isUntouched = attempt.channel_status === "PENDING" && attempt.sid === null;
    if (!isUntouched || !isUnplaced(attempt)) return;
    if (event.ours != null || request.refusals + 1 < MAX_REFUSALS) {
      giveBackNotTaken(this.changed, attempt, request, event);
      return;
    }
    const update = { status: "UNEXPECTED_ERROR" as const, is_transient: null, at: this.changed.now };
    this.#status(attempt, request, {
      kind: "status",
      key: attempt.key,
      ...update,
      provider_status: event.why,
    });
  }

  #unknown(attempt: AttemptRow, { from, why }: Extract<AttemptEvent, { kind: "unknown" }>): void {
    if (!isUnplaced(attempt)) return;
    this.changed.attempts.add(attempt);
    attempt.state = nextPhase(attempt.state, "unanswered");
    if (from === "handing-over") attempt.provider_status = why;
    const now_ms = this.changed.now.getTime();
    // A time in the future means that the clock was set back since.
    const handed_over_by = from === "asking" ? Date.parse(attempt.handed_over_by ?? "") : now_ms;
    const by_ms = Math.min(Number.isNaN(handed_over_by) ? now_ms : handed_over_by, now_ms);
    attempt.handed_over_by = new Date(by_ms).toISOString();
    // From then on the carrier's answer is final, so a lookup is due then, besides those at growing intervals.
    const final_ms = by_ms + SHOWN_AFTER_ms - now_ms;
    const wait_ms = nextCheck_ms(attempt.checks);
    const isBetween = final_ms > 0 && final_ms < wait_ms;
    attempt.check_at = this.changed.after(isBetween ? final_ms : wait_ms);
    if (!isBetween) attempt.checks += 1;
    const asked_ms = this.changed.now.getTime() - new Date(attempt.started_at).getTime();
    if (asked_ms < ASKED_FOR_ms) return;
    const request = this.#requests.get(idOf(attempt)) as RequestRow;
    const update = { status: "NO_OUTCOME" as const, is_transient: false, at: this.changed.now };
    this.#status(attempt, request, {
      kind: "status",
      key: attempt.key,
      ...update,
      provider_status: "could not be asked",
    });
  }

  #goesOn(attempt: AttemptRow, is_shown: boolean): void {
    if (!isPlaced(attempt)) return;
    this.changed.attempts.add(attempt);
    attempt.checks = is_shown ? 0 : attempt.checks + 1;
    attempt.check_at = this.changed.after(is_shown ? this.#silence_ms(attempt) : NOT_SHOWN_ms);
  }
}
