import type { ChannelStatus } from "../channels/channel-status.ts";

/** Something that is known now about an attempt, from whomever it comes. */
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
      /** Taken before, and refused now because of us: why. It costs the person nothing. */
      our_fault?: string | undefined;
      session?: { session_id: number; conversation_id: number } | null;
    }
  /**
   * The carrier did not take it, or never got it: as if it had not been tried. `is_ours`: it refuses our account, number,
   * permission or template, which costs the person nothing however often it comes. `is_country`: for their country only.
   */
  | {
      kind: "not-taken";
      key: string;
      retry_after_s: number | null;
      why: string;
      is_ours?: boolean;
      is_country?: boolean;
    }
  /** Nobody can say whether the carrier has it: who handed it over heard no answer, or the carrier was asked in vain. */
  | { kind: "unknown"; key: string; why: string; from: "handing-over" | "asking" }
  /** The carrier was asked, and the attempt goes on; `is_shown` false: it did not show it, and is asked again soon. */
  | { kind: "goes-on"; key: string; is_shown: boolean };
