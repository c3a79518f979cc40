import type { FailureReason, OurFault } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";

/** What an error code of a carrier means for what was asked. */
export type ErrorMeaning =
  | { fate: "refused"; status: ChannelStatus; ours: OurFault | null }
  /** `after_s`: how long another try should wait where the answer doesn't say. */
  | { fate: "not-sent"; after_s: number; ours: OurFault | null };

export const refused = (status: ChannelStatus): ErrorMeaning => ({ fate: "refused", status, ours: null });
export const ours = (status: ChannelStatus): ErrorMeaning => ({ fate: "refused", status, ours: "source" });
export const notSent = (after_s: number): ErrorMeaning => ({ fate: "not-sent", after_s, ours: null });
/** Our account may not reach the country of the person's number; all others as before. */
export const country = (status: ChannelStatus): ErrorMeaning => ({
  fate: "refused",
  status,
  ours: "country",
});

const FAILED: readonly ChannelStatus[] = ["UNDELIVERED", "DELIVERY_FAILED"];

/**
 * What the code says that a text carries. `transient`: whether another try may meet something else, where the code tells;
 * `faults`: what a carrier takes and refuses later because of us, in words.
 */
export const textFailureBy =
  (codes: { transient: Readonly<Record<string, boolean>>; faults: Readonly<Record<string, string>> }) =>
  (status: ChannelStatus, error_code: string | null): FailureReason => {
    const fault = error_code !== null && FAILED.includes(status) ? codes.faults[error_code] : undefined;
    return {
      error_code,
      is_transient: error_code === null ? null : (codes.transient[error_code] ?? null),
      ...(fault !== undefined && { our_fault: `${fault} (error ${error_code})` }),
    };
  };
