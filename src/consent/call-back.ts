import type { Tx } from "../db/database.ts";

/** A call that the person of a session asked for: when, and on whose clock that was said. */
export type BookedCallBack = { at: Date; timezone: string };

export type CallBackPlan =
  | ({ kind: "planned"; text: string } & BookedCallBack)
  /** `text` tells the model why, and the next time at which a call is possible. */
  | { kind: "refused"; text: string };

/** Where conversations book calls; the dialer's side of it is `call-backs/`. */
export type CallBackDesk = {
  /** Whether the person of the session may be called then. Changes nothing. */
  plan(session_id: number, when: string, now: Date): Promise<CallBackPlan>;
  /** Asked twice in one conversation, the later time replaces the earlier one. */
  book(
    tx: Tx,
    session: { id: number; sub_organization_id: number },
    call_back: BookedCallBack,
    now: Date,
  ): Promise<void>;
};
