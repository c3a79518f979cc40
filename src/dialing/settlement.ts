import { patch } from "../base/patch.ts";
import { type ChannelStatus, isAnswerer } from "../channels/channel-status.ts";
import { isWaiting } from "../channels/request-status.ts";
import { REQUEST_STATUS } from "../channels/status-mapping.ts";
import {
  ASKED_FOR_ms,
  MAX_REFUSALS,
  NOT_SHOWN_ms,
  nextCheck_ms,
  OUR_REFUSAL_ms,
  refusalWait_ms,
  SHOWN_AFTER_ms,
  silence_ms,
} from "../planning/attempt.ts";
import { hasEnded, isPlaced, isUnplaced, nextPhase } from "../planning/attempt-state.ts";
import { isDialled, statusAt } from "../planning/batch-state.ts";
import { isCarrierFailure } from "../planning/breaker.ts";
import { answeredBy, isLatest, isTakenBack, leftMessage, settle } from "../planning/settle.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { SettledChanges } from "./settled-changes.ts";
import { type AttemptRow, type BatchContext, hasOthers, idOf, type RequestRow } from "./settled-rows.ts";

/** Taken by the carrier at first, and refused by it because of us: an attempt that was taken back, but for its code. */
const wasRefusedLater = (attempt: AttemptRow): boolean => isTakenBack(attempt) && attempt.error_code !== null;

/** Rows as they will be: what is known is taken in one by one, before anything is written. Pure. */
export class Settlement {
  ended = 0;
  #now: Date;
  #attempts: Map<string, AttemptRow>;
  #requests: Map<string, RequestRow>;
  #batches: Map<string, BatchContext>;
  #changes: SettledChanges;

  constructor(
    now: Date,
    attempts: Map<string, AttemptRow>,
    requests: Map<string, RequestRow>,
    batches: Map<string, BatchContext>,
  ) {
    this.#now = now;
    this.#attempts = attempts;
    this.#requests = requests;
    this.#batches = batches;
    this.#changes = new SettledChanges(now, batches);
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
      this.#refusedLater(attempt, request, update, update.our_fault);
      return;
    }
    // What comes late of a message that was refused since is no event, unless it was delivered after all.
    if (wasRefusedLater(attempt) && REQUEST_STATUS[update.status] !== "COMPLETED") return;
    const { retry_count, retry_interval } = this.#batches.get(attempt.key) as BatchContext;
    const before = attempt.channel_status;
    if (isTakenBack(attempt) && isWaiting(request.request_status) && !attempt.is_tried_elsewhere)
      this.#revive(attempt, request);
    this.#remember(attempt, request, update);
    const settled = settle(attempt, request, update, {
      retry_count,
      retry_interval,
      batch_goes_on: this.#goesOnWith(attempt),
      was_reached_before: this.#wasReachedBefore(attempt, request),
    });
    if (settled.attempt?.ends && isLatest(attempt, request) && request.refusals > 0) {
      // It was taken: what the carrier refuses from here on is a new row of refusals.
      request.refusals = 0;
      this.#changes.request(request);
    }
    if (settled.attempt) this.#moveAttempt(attempt, update, settled.attempt);
    // That the carrier has it counts even where its status changes nothing.
    else if (isUnplaced(attempt)) this.#moveAttempt(attempt, update, { ...attempt, ends: false });
    // A carrier may hear who answered only when the call is over.
    else if (isAnswerer(update.status) && attempt.answerer === null && attempt.channel_status === "COMPLETED")
      this.#rememberAnswerer(attempt, update.status);
    this.#noteAnswer(attempt, request);
    if (settled.decision) attempt.decision = settled.decision;
    if (!settled.request) return;
    const previous = request.channel_status;
    request.channel_status = settled.request.channel_status;
    request.request_status = settled.request.request_status;
    request.due_at = settled.request.due_at?.toISOString() ?? null;
    this.#changes.request(request);
    // A request keeps the status of an attempt while it waits, and the next attempt may meet the very same.
    if (previous !== request.channel_status || before !== request.channel_status)
      this.#changes.tell(attempt, request, previous, update.provider_status ?? null);
  }

  /**
   * The carrier had it after all, and nobody was tried since: it is an attempt like any other, and its person, who may be
   * on the telephone, is not tried beside it.
   */
  #revive(attempt: AttemptRow, request: RequestRow): void {
    request.attempt_count += 1;
    patch(request, { request_status: "INITIATED", due_at: null });
    // It was answered before anybody said that it was placed.
    const { session_id, conversation_id } = attempt;
    if (session_id !== null) patch(request, { session_id, conversation_id });
    this.#changes.request(request);
    const attempt_number = request.attempt_count;
    const state = nextPhase(attempt.state, "revived");
    const revived = { state, ended_at: null, provider_status: null, holds_slot: true };
    patch(attempt, { ...revived, attempt_number });
    this.#changes.attempt(attempt);
  }

  /** By another attempt, of which that was known before, or came along with this event. */
  #wasReachedBefore(attempt: AttemptRow, request: RequestRow): boolean {
    const { key, was_reached_before, batch_key, request_id } = attempt;
    if (was_reached_before || !hasOthers(attempt, request)) return was_reached_before;
    return this.#attempts
      .values()
      .some(
        (other) =>
          other.request_id === request_id &&
          other.batch_key === batch_key &&
          other.key !== key &&
          (other.channel_status === "COMPLETED" || other.channel_status === "DELIVERED") &&
          other.answerer !== "MACHINE",
      );
  }

  /** Whether anybody of its batch is still tried. */
  #goesOnWith({ key }: AttemptRow): boolean {
    const { batch_status, expires_on } = this.#batches.get(key) as BatchContext;
    const status = statusAt(
      { status: batch_status, expires_on: expires_on === null ? null : new Date(expires_on) },
      this.#now,
    );
    return isDialled(status) || status === "PAUSED";
  }

  /** What a carrier or a session calls it, whatever the status itself changes. */
  #remember(
    attempt: AttemptRow,
    request: RequestRow,
    update: Extract<AttemptEvent, { kind: "status" }>,
  ): void {
    const sid = update.sid ?? null;
    if (sid !== null && attempt.sid === null) {
      attempt.sid = sid;
      this.#changes.attempt(attempt);
    }
    if (update.session && attempt.session_id === null) {
      patch(attempt, update.session);
      this.#changes.attempt(attempt);
    }
    if (!isLatest(attempt, request)) return;
    if (sid !== null && request.sid !== sid) {
      request.sid = sid;
      request.sent_at ??= this.#now.toISOString();
      this.#changes.request(request);
    }
    if (update.session && request.session_id !== update.session.session_id) {
      patch(request, update.session);
      this.#changes.request(request);
    }
  }

  #rememberAnswerer(attempt: AttemptRow, answerer: ChannelStatus): void {
    attempt.answerer = answerer;
    this.#changes.attempt(attempt);
  }

  /** Who answered, and whether a message was left, as the request's result says it. */
  #noteAnswer(attempt: AttemptRow, request: RequestRow): void {
    if (attempt.mode !== "voice" || !isLatest(attempt, request)) return;
    const answered_by = answeredBy(attempt);
    const voicemail_left = hasEnded(attempt) && answered_by !== null ? leftMessage(attempt) : null;
    if (answered_by === request.answered_by && voicemail_left === request.voicemail_left) return;
    patch(request, { answered_by, voicemail_left });
    this.#changes.request(request);
  }

  #moveAttempt(
    attempt: AttemptRow,
    update: Extract<AttemptEvent, { kind: "status" }>,
    to: { channel_status: ChannelStatus; answerer: ChannelStatus | null; ends: boolean },
  ): void {
    this.#changes.attempt(attempt);
    attempt.channel_status = to.channel_status;
    attempt.answerer = to.answerer;
    attempt.provider_status = update.provider_status ?? attempt.provider_status;
    attempt.error_code = update.error_code ?? attempt.error_code;
    if (hasEnded(attempt)) return;
    attempt.placed_at ??= this.#now.toISOString();
    if (to.ends) {
      this.#end(attempt, "over");
      this.#changes.count(attempt, isCarrierFailure(to.channel_status));
      return;
    }
    attempt.state = nextPhase(attempt.state, "accepted");
    attempt.checks = 0;
    // A message that its carrier has holds nothing any more; a call does until it ends.
    attempt.holds_slot &&= attempt.mode === "voice";
    attempt.check_at = this.#after(silence_ms(attempt.mode));
  }

  #end(attempt: AttemptRow, by: "over" | "not-taken" | "refused-later"): void {
    attempt.state = nextPhase(attempt.state, by);
    attempt.ended_at = this.#now.toISOString();
    attempt.holds_slot = false;
    attempt.check_at = null;
    this.ended++;
  }

  /** As if it had not been tried: it counts neither as an attempt nor against the retries, only for the rate and the day. */
  #notTaken(
    attempt: AttemptRow,
    request: RequestRow,
    event: Extract<AttemptEvent, { kind: "not-taken" }>,
  ): void {
    const isUntouched = attempt.channel_status === "PENDING" && attempt.sid === null;
    if (!isUntouched || !isUnplaced(attempt)) return;
    const is_ours = event.is_ours === true;
    if (!is_ours && request.refusals + 1 >= MAX_REFUSALS) {
      const update = { status: "UNEXPECTED_ERROR" as const, is_transient: null, at: this.#now };
      this.#status(attempt, request, {
        kind: "status",
        key: attempt.key,
        ...update,
        provider_status: event.why,
      });
      return;
    }
    // That a process of ours died before it handed something over says nothing about the carrier.
    const isCarriers = attempt.state === "CLAIMED" || attempt.provider_status !== null;
    this.#end(attempt, "not-taken");
    if (is_ours) {
      if (event.is_country) this.#changes.refusedCountry({ ...attempt, why: event.why });
      else this.#changes.countRefusal(attempt, event.why);
      this.#changes.giveBackDay(attempt);
    } else if (isCarriers && request.refusals > 0) this.#changes.countRepeated(attempt);
    else if (isCarriers) this.#changes.count(attempt, true);
    attempt.provider_status = event.why;
    this.#changes.attempt(attempt);
    if (attempt.attempt_number !== request.attempt_count) return;
    request.attempt_count -= 1;
    const wait_ms = is_ours ? OUR_REFUSAL_ms : refusalWait_ms(request.refusals, event.retry_after_s);
    if (!is_ours) request.refusals += 1;
    this.#waitAgain(attempt, request, wait_ms);
  }

  /** The attempt no longer counts: its person is tried again, unless the batch is over. */
  #waitAgain(attempt: AttemptRow, request: RequestRow, wait_ms: number): void {
    this.#changes.request(request);
    if (!this.#goesOnWith(attempt)) {
      const previous = request.channel_status;
      patch(request, { request_status: "CANCELED", channel_status: "CANCELED", due_at: null });
      this.#changes.tell(attempt, request, previous, null);
      return;
    }
    request.request_status = "PENDING";
    request.due_at = this.#after(wait_ms);
  }

  /** The carrier had taken a message, and refuses it now because of us: the person was not tried. */
  #refusedLater(
    attempt: AttemptRow,
    request: RequestRow,
    { error_code, provider_status }: Extract<AttemptEvent, { kind: "status" }>,
    our_fault: string,
  ): void {
    this.#changes.attempt(attempt);
    const wasCounted = !isTakenBack(attempt);
    attempt.error_code = error_code ?? provider_status ?? "refused";
    attempt.provider_status = our_fault;
    if (!wasCounted) return;
    this.#end(attempt, "refused-later");
    patch(attempt, { placed_at: null, channel_status: "PENDING" });
    this.#changes.countRefusal(attempt, our_fault);
    this.#changes.giveBackDay(attempt);
    request.attempt_count -= 1;
    const previous = request.channel_status;
    if (request.attempt_count === 0) request.channel_status = "PENDING";
    this.#waitAgain(attempt, request, OUR_REFUSAL_ms);
    if (isWaiting(request.request_status) && previous !== request.channel_status)
      this.#changes.tell(attempt, request, previous, our_fault);
  }

  #unknown(attempt: AttemptRow, { from, why }: Extract<AttemptEvent, { kind: "unknown" }>): void {
    if (!isUnplaced(attempt)) return;
    this.#changes.attempt(attempt);
    attempt.state = nextPhase(attempt.state, "unanswered");
    if (from === "handing-over") attempt.provider_status = why;
    const now_ms = this.#now.getTime();
    // Later than now it can only be by a clock that was set back since.
    const handed_over_by = from === "asking" ? Date.parse(attempt.handed_over_by ?? "") : now_ms;
    const by_ms = Math.min(Number.isNaN(handed_over_by) ? now_ms : handed_over_by, now_ms);
    attempt.handed_over_by = new Date(by_ms).toISOString();
    // From then on the carrier's answer is final, so it is asked then too, beside the questions that get rarer.
    const final_ms = by_ms + SHOWN_AFTER_ms - now_ms;
    const wait_ms = nextCheck_ms(attempt.checks);
    const isBetween = final_ms > 0 && final_ms < wait_ms;
    attempt.check_at = this.#after(isBetween ? final_ms : wait_ms);
    if (!isBetween) attempt.checks += 1;
    const asked_ms = this.#now.getTime() - new Date(attempt.started_at).getTime();
    if (asked_ms < ASKED_FOR_ms) return;
    const request = this.#requests.get(idOf(attempt)) as RequestRow;
    const update = { status: "NO_OUTCOME" as const, is_transient: false, at: this.#now };
    this.#status(attempt, request, {
      kind: "status",
      key: attempt.key,
      ...update,
      provider_status: "could not be asked",
    });
  }

  #goesOn(attempt: AttemptRow, is_shown: boolean): void {
    if (!isPlaced(attempt)) return;
    this.#changes.attempt(attempt);
    attempt.checks = is_shown ? 0 : attempt.checks + 1;
    attempt.check_at = this.#after(is_shown ? silence_ms(attempt.mode) : NOT_SHOWN_ms);
  }

  /** All that changed, to be written in one transaction. */
  get changed() {
    return this.#changes.all;
  }

  #after(ms: number): string {
    return new Date(this.#now.getTime() + ms).toISOString();
  }
}
