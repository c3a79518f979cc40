import type { OurFault } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";

/** News about an attempt, from the sender, the carrier's callbacks, a session or a lookup. */
export type AttemptEvent =
  | {
      kind: "status";
      key: string;
      status: ChannelStatus;
      is_transient: boolean | null;
      at: Date;
      sid?: string | null;
      provider_status?: string | null;
      error_code?: string | null;
      /** Why the carrier refused, because of us, what it had accepted. It does not count as an attempt. */
      our_fault?: string | undefined;
      session?: { session_id: number; conversation_id: number } | null;
    }
  /**
   * The carrier did not accept the attempt, or never got it, so it does not count as one. `ours`: the
   * fault is ours, which never ends the request.
   */
  | {
      kind: "not-taken";
      key: string;
      retry_after_s: number | null;
      why: string;
      ours?: OurFault | null;
      /** The person withdrew before the hand-over, which says nothing about the carrier. */
      is_withdrawn?: boolean;
    }
  /** Unknown whether the carrier has the attempt: the hand-over got no answer, or the lookup failed. */
  | { kind: "unknown"; key: string; why: string; from: "handing-over" | "asking" }
  /** After a lookup the attempt goes on. `is_shown` false: the carrier did not list it, so it is looked up again soon. */
  | { kind: "goes-on"; key: string; is_shown: boolean };
