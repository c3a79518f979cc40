import { randomBytes } from "node:crypto";
import type { Outreach } from "../channels/outreach.ts";
import type { OutreachPurpose } from "../consent/consent.ts";
import type { StopQuestion } from "./cadences/stop-sign.ts";

/** The modes of campaigns. */
export type Mode = "voice" | "sms" | "email";

/** Kinds of addresses a campaign of a mode may send from, the first before the second. */
export const senderModes = (mode: Mode): Outreach["mode"][] =>
  mode === "sms" ? ["sms", "whatsapp"] : [mode];

/**
 * Who is about to hand an attempt to its carrier says so for this long, says it again while it does, and begins only
 * within `HAND_OVER_ms` of having said so (leases.ts). What remains of a lease is for the way to the carrier, and for
 * clocks of machines that differ.
 */
export const LEASE_ms = 3_000;
export const HAND_OVER_ms = 2_000;
export const RENEW_ms = 1_000;

const MINUTE_ms = 60_000;
const HOUR_ms = 60 * MINUTE_ms;

/**
 * A call's carrier that tells nothing for so long is asked what became of it: its word may have been lost, and a call
 * that is over without our knowing holds a line. A conversation of five minutes costs five questions.
 */
export const CALL_SILENCE_ms = MINUTE_ms;
/** What a carrier does not show of a call that it took is asked once more after this. */
export const NOT_SHOWN_ms = 15_000;
/** A call that nobody answered as far as we know counts as failed after so long where nobody can be asked. */
export const CALL_UNASKED_ms = 15 * MINUTE_ms;
/** A call that was answered may still go on for so long where nobody can be asked: an hour at most, and some. */
export const LONGEST_CALL_ms = 75 * MINUTE_ms;
/**
 * A text that its carrier tells nothing of is looked up after so long, and again at twice its age: its word may have been
 * lost, and a cadence waits for it. One that nothing is told of at all costs eight questions.
 */
const TEXT_SILENCE_ms = 15 * MINUTE_ms;
/** Carriers keep trying to deliver a text or a mail for as long. */
const DELIVERY_ms = { sms: 24 * HOUR_ms, email: 72 * HOUR_ms };

/** Whether the carrier may still be delivering a message that is so old. */
export const mayStillArrive = (mode: "sms" | "email", age_ms: number): boolean => age_ms < DELIVERY_ms[mode];

/** How long we wait for the carrier's next word about an attempt that is so old, whatever it was supposed to tell. */
export function silence_ms(mode: Mode, age_ms: number): number {
  if (mode === "voice") return CALL_SILENCE_ms;
  // Nobody can be asked about a mail.
  if (mode === "email") return DELIVERY_ms.email;
  return Math.max(TEXT_SILENCE_ms, Math.min(age_ms, DELIVERY_ms.sms - age_ms));
}

/** Between two questions about an attempt of unknown fate. */
const CHECKS_ms = [1_000, 5_000, 15_000, MINUTE_ms, 5 * MINUTE_ms];
export const nextCheck_ms = (checks: number): number =>
  CHECKS_ms[Math.min(checks, CHECKS_ms.length - 1)] as number;

/** What a process that died left behind is settled this and `HAND_OVER_ms` later. */
export { SHOWN_AFTER_ms } from "../channels/outreach.ts";
/** A carrier that can't be asked for so long: the person is not tried again, for it may have reached them. */
export const ASKED_FOR_ms = 24 * HOUR_ms;

/** Tries that the carrier didn't take are no attempts, but end at some point. */
export const MAX_REFUSALS = 10;
const FIRST_REFUSAL_ms = 5_000;
const LONGEST_REFUSAL_ms = 10 * MINUTE_ms;
export const refusalWait_ms = (refusals: number, retry_after_s: number | null): number =>
  Math.max((retry_after_s ?? 0) * 1000, Math.min(FIRST_REFUSAL_ms * 2 ** refusals, LONGEST_REFUSAL_ms));

/** Who was refused because of us stands behind those who wait already, as long as their number is paused at least. */
export const OUR_REFUSAL_ms = MINUTE_ms;

/** A telephone that a stop silenced does not ring again at once when outreach is resumed. */
export const HUNG_UP_ms = MINUTE_ms;

/** Begins with the time: neighbours in time are neighbours in the index. 80 random bits, none to be guessed. */
export const newAttemptKey = (now: Date): string =>
  `${now.getTime().toString(16).padStart(12, "0")}${randomBytes(10).toString("hex")}`;

/** An attempt that this process has just claimed. */
export type ClaimedAttempt = {
  outreach: Outreach;
  purpose: OutreachPurpose;
  organization_id: number;
  batch_key: number;
  started_at: Date;
  /** Whether the campaign's hours and the person's own let it be handed over at this moment. */
  isOpenAt(at: Date): boolean;
  /** Of a later step of a cadence: asked once more before it is handed over; null: there is nothing to ask. */
  stop_question: StopQuestion | null;
};
