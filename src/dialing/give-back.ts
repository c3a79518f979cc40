import { patch } from "../base/patch.ts";
import { isWaiting } from "../channels/request-status.ts";
import { OUR_REFUSAL_ms, refusalWait_ms } from "../planning/attempt.ts";
import { isTakenBack } from "../planning/settle.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import type { SettledChanges } from "./settled-changes.ts";
import type { AttemptRow, RequestRow } from "./settled-rows.ts";

/*
 * An attempt that reached nobody because the carrier did not take it, or refused it because of us. It gives back what it
 * took: it counts neither as an attempt nor against the retries, and its person is tried again.
 */

/** As if it had not been tried; it still counts for the rate, and for the day unless the fault was ours. */
export function giveBackNotTaken(
  changes: SettledChanges,
  attempt: AttemptRow,
  request: RequestRow,
  event: Extract<AttemptEvent, { kind: "not-taken" }>,
): void {
  const is_ours = event.is_ours === true;
  // That a process of ours died before it handed something over says nothing about the carrier.
  const isCarriers = attempt.state === "CLAIMED" || attempt.provider_status !== null;
  changes.end(attempt, "not-taken");
  if (is_ours) {
    if (event.is_country) changes.refused_countries.push({ ...attempt, why: event.why });
    else countRefusal(changes, attempt, event.why);
    giveBackDay(changes, attempt);
  } else if (isCarriers && request.refusals > 0) changes.tallyOf(attempt).repeated += 1;
  else if (isCarriers) changes.count(attempt, true);
  attempt.provider_status = event.why;
  changes.attempts.add(attempt);
  if (attempt.attempt_number !== request.attempt_count) return;
  request.attempt_count -= 1;
  const wait_ms = is_ours ? OUR_REFUSAL_ms : refusalWait_ms(request.refusals, event.retry_after_s);
  if (!is_ours) request.refusals += 1;
  waitAgain(changes, attempt, request, wait_ms);
}

/** The carrier had taken a message, and refuses it now because of us: the person was not tried. */
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

/** Taken by the carrier at first, and refused by it because of us: an attempt that was taken back, but for its code. */
export const wasRefusedLater = (attempt: AttemptRow): boolean =>
  isTakenBack(attempt) && attempt.error_code !== null;

/** The attempt no longer counts: its person is tried again, unless the batch is over. */
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
  changes.tallyOf(attempt).refused = why.slice(0, 500);
}

/** Nobody was reached, so the day's cap has room for somebody else. */
function giveBackDay(changes: SettledChanges, attempt: AttemptRow): void {
  const { campaign_id, counted_on } = attempt;
  if (counted_on === null) return;
  changes.given_back.push({ campaign_id, day: counted_on });
  attempt.counted_on = null;
}
