import { patch } from "../base/patch.ts";
import { cutTo } from "../base/storable.ts";
import { isWaiting } from "../channels/request-status.ts";
import { HUNG_UP_ms, OUR_REFUSAL_ms, refusalWait_ms } from "../planning/attempt.ts";
import { isTakenBack } from "../planning/settle.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import type { SettledChanges } from "./settled-changes.ts";
import type { AttemptRow, RequestRow } from "./settled-rows.ts";

/*
 * Takes back an attempt that the carrier did not accept, or refused because of us. It counts neither as an attempt nor
 * as a retry, and its request is tried again.
 */

/** The attempt does not count, but still uses the rate, and the day's cap unless the fault was ours. */
export function giveBackNotTaken(
  changes: SettledChanges,
  attempt: AttemptRow,
  request: RequestRow,
  event: Extract<AttemptEvent, { kind: "not-taken" }>,
): void {
  const { ours = null } = event;
  // A process that died before the hand-over says nothing about the carrier's health.
  const isCarriers = attempt.state === "CLAIMED" || attempt.provider_status !== null;
  changes.end(attempt, "not-taken");
  giveBackNumber(changes, attempt);
  if (event.is_withdrawn) giveBackDay(changes, attempt);
  else if (ours !== null) {
    if (ours === "country") changes.refused_countries.push({ ...attempt, why: event.why });
    else if (ours === "source") countRefusal(changes, attempt, event.why);
    giveBackDay(changes, attempt);
  } else if (isCarriers && request.refusals > 0) changes.tallyOf(attempt).repeated += 1;
  else if (isCarriers) changes.count(attempt, true);
  attempt.provider_status = event.why;
  changes.attempts.add(attempt);
  if (attempt.attempt_number !== request.attempt_count) return;
  request.attempt_count -= 1;
  // Due at once: the next claim skips it with the reason.
  const taken_back_ms =
    ours !== null ? OUR_REFUSAL_ms : refusalWait_ms(request.refusals, event.retry_after_s);
  const wait_ms = event.is_withdrawn ? 0 : taken_back_ms;
  if (ours === null && !event.is_withdrawn) request.refusals += 1;
  if (ours === "step" && changes.goesOnWith(attempt))
    changes.silent_steps.push({ ...attempt, ...changes.batchOf(attempt), why: event.why });
  waitAgain(changes, attempt, request, wait_ms);
}

/** The carrier had accepted a message and now refuses it because of us, so the attempt does not count. */
export function giveBackRefused(
  changes: SettledChanges,
  attempt: AttemptRow,
  request: RequestRow,
  { error_code, provider_status }: Extract<AttemptEvent, { kind: "status" }>,
  our_fault: string,
): void {
  changes.attempts.add(attempt);
  const wasCounted = !isTakenBack(attempt);
  attempt.error_code = error_code ?? provider_status ?? "refused";
  attempt.provider_status = our_fault;
  if (!wasCounted) return;
  changes.end(attempt, "refused-later");
  patch(attempt, { placed_at: null, channel_status: "PENDING" });
  countRefusal(changes, attempt, our_fault);
  giveBackDay(changes, attempt);
  request.attempt_count -= 1;
  const previous = request.channel_status;
  if (request.attempt_count === 0) request.channel_status = "PENDING";
  waitAgain(changes, attempt, request, OUR_REFUSAL_ms);
  if (isWaiting(request.request_status) && previous !== request.channel_status)
    changes.tell(attempt, request, previous, our_fault);
}

/** It rang when all outreach was stopped, and was hung up for that: it counts as no attempt of its request. */
export function giveBackHungUp(
  changes: SettledChanges,
  attempt: AttemptRow,
  request: RequestRow,
  { status, sid, provider_status, error_code }: Extract<AttemptEvent, { kind: "status" }>,
): void {
  changes.attempts.add(attempt);
  changes.end(attempt, "over");
  attempt.sid ??= sid ?? null;
  attempt.provider_status = provider_status ?? attempt.provider_status;
  // Its channel status stays CANCELED: the telephone rang, which counts for how often a person is tried.
  patch(attempt, { placed_at: null, channel_status: status, error_code: error_code ?? "hung-up" });
  giveBackDay(changes, attempt);
  if (attempt.attempt_number !== request.attempt_count) return;
  request.attempt_count -= 1;
  const previous = request.channel_status;
  request.channel_status = request.attempt_count === 0 ? "PENDING" : status;
  waitAgain(changes, attempt, request, HUNG_UP_ms);
  if (isWaiting(request.request_status) && previous !== request.channel_status)
    changes.tell(attempt, request, previous, null);
}

/** The row of a message that was accepted and then refused because of us: taken back, but it keeps its error code. */
export const wasRefusedLater = (attempt: AttemptRow): boolean =>
  isTakenBack(attempt) && attempt.error_code !== null;

/** The attempt no longer counts, so its request is tried again unless the batch is over. */
function waitAgain(changes: SettledChanges, attempt: AttemptRow, request: RequestRow, wait_ms: number): void {
  changes.requests.add(request);
  if (!changes.goesOnWith(attempt)) {
    const previous = request.channel_status;
    patch(request, { request_status: "CANCELED", channel_status: "CANCELED", due_at: null });
    changes.tell(attempt, request, previous, null);
    return;
  }
  request.request_status = "PENDING";
  request.due_at = changes.after(wait_ms);
}

function countRefusal(changes: SettledChanges, attempt: AttemptRow, why: string): void {
  changes.tallyOf(attempt).refused = cutTo(why, 500);
}

/** No carrier took the attempt, so nobody saw its number. */
function giveBackNumber(changes: SettledChanges, attempt: AttemptRow): void {
  const { organization_id, mode, source: number, number_day } = attempt;
  if (number_day === null) return;
  changes.given_back_numbers.push({ organization_id, mode, number, day: number_day });
  attempt.number_day = null;
}

/** Gives the place under the day's cap back, since nobody was reached. */
function giveBackDay(changes: SettledChanges, attempt: AttemptRow): void {
  const { campaign_id, counted_on } = attempt;
  if (counted_on === null) return;
  changes.given_back.push({ campaign_id, day: counted_on });
  attempt.counted_on = null;
}
