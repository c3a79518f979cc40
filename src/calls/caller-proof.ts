import type { IncomingCall } from "./voice-calls.ts";

/**
 * Whether the carrier attests the caller's number. A number without attestation may be forged, so sensitive tools should ask
 * for more than the number.
 */
export const callerIsProven = ({ from, attestation }: IncomingCall): boolean =>
  /^\+[1-9]\d{6,14}$/.test(from) && !WITHHELD.has(from) && !attestation?.startsWith("TN-Validation-Failed");

/** Twilio's numbers of callers who withhold theirs: ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN, UNAVAILABLE. */
const WITHHELD = new Set(["+266696687", "+7378742833", "+2562533", "+8656696", "+86282452253"]);
