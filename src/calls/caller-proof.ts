import { isWithheld } from "../base/withheld-number.ts";
import type { IncomingCall } from "./voice-calls.ts";

/**
 * Whether the carrier attests the caller's number. A number without attestation may be forged, so sensitive tools should ask
 * for more than the number.
 */
export const callerIsProven = ({ from, attestation }: IncomingCall): boolean =>
  /^\+[1-9]\d{6,14}$/.test(from) && !isWithheld(from) && !attestation?.startsWith("TN-Validation-Failed");
