import type { IncomingCall } from "./voice-calls.ts";

/**
 * Whether a caller is who their number says, as far as a carrier tells. A number of a call can be forged where carriers
 * don't attest it, so a tool that gives much away asks for more than this.
 */
export const callerIsProven = ({ from, attestation }: IncomingCall): boolean =>
  /^\+[1-9]\d{6,14}$/.test(from) && !WITHHELD.has(from) && !attestation?.startsWith("TN-Validation-Failed");

/** What Twilio sends as the number of a caller who withholds it: ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN, UNAVAILABLE. */
const WITHHELD = new Set(["+266696687", "+7378742833", "+2562533", "+8656696", "+86282452253"]);
