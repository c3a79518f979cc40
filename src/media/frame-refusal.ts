/** Why a frame of a carrier's stream is not taken, in words for the log. */
const REASONS = {
  not_json: "a frame of a stream was no JSON",
  too_large: "a frame of a stream was too large",
  not_understood: "a frame of a stream lacks a field, or has one of a wrong kind",
  wrong_size: "a frame of a stream has a wrong size",
  other_codec: "a stream has another codec than was agreed",
} as const;

export type RefusalReason = keyof typeof REASONS;

/** What a reader of frames answers instead of throwing: one bad frame does not end a call. */
export type FrameRefusal = { type: "refused"; reason: RefusalReason; message: string };

export const refused = (reason: RefusalReason): FrameRefusal => ({
  type: "refused",
  reason,
  message: REASONS[reason],
});
