import { sql } from "kysely";
import { publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Outreach, OutreachSender } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import {
  CALL_UNASKED_ms,
  HAND_OVER_ms,
  LEASE_ms,
  LONGEST_CALL_ms,
  SHOWN_AFTER_ms,
} from "../planning/attempt.ts";
import { type AttemptPhase, FIRST_PHASE, isPlaced, nextPhase } from "../planning/attempt-state.ts";
import { leadsFurther } from "../planning/settle.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { findOutreach } from "./attempts.ts";

/**
 * Attempts that somebody has to look after: whoever was about to place one died, its fate is unknown, or the carrier
 * has been silent for too long. The carrier is asked before anything else happens to such an attempt.
 */
export type Unsettled = {
  key: string;
  mode: Outreach["mode"];
  state: AttemptPhase;
  started_at: string;
  channel_status: ChannelStatus;
  handed_over_by: string | null;
  checks: number;
  /** Its conversation goes on, as far as we know. */
  is_talking: boolean;
};

/**
 * Takes the next of them, leased to this process while it asks. One that was CLAIMED is UNCERTAIN from here on: whoever
 * claimed it does not hand it over any more (leases.ts). Index: `attempts_check`.
 */
export async function takeUnsettled(db: Db, owner: string, now: Date, most: number): Promise<Unsettled[]> {
  const { rows } = await sql<Unsettled>`
    update attempts a set lease_owner = ${owner}, check_at = ${new Date(now.getTime() + LEASE_ms).toISOString()},
      state = case a.state when ${FIRST_PHASE} then ${nextPhase(FIRST_PHASE, "lease-ended")} else a.state end,
      handed_over_by = case a.state
        when ${FIRST_PHASE} then a.check_at - ${LEASE_ms - HAND_OVER_ms}::integer * interval '1 millisecond'
        else a.handed_over_by end
    where a.key in (
      select key from attempts
      where state <> 'ENDED' and check_at <= ${now.toISOString()}::timestamptz
      order by check_at limit ${most} for update skip locked
    )
    returning a.key, a.mode, a.state, a.started_at, a.channel_status, a.handed_over_by, a.checks,
      exists (select from sessions s where s.id = a.session_id and s.ended_at is null) as is_talking`.execute(
    db,
  );
  return rows;
}

/** What the carrier says of it. Never throws: no answer is an event, too. */
export async function askCarrier(
  { db, log }: { db: Db; log: Log },
  sender: Pick<OutreachSender, "find">,
  attempt: Unsettled,
  now: Date,
): Promise<AttemptEvent> {
  const { key, mode } = attempt;
  try {
    const outreach = await findOutreach(db, key);
    const found = outreach && (await sender.find(outreach, new Date(attempt.started_at)));
    if (found === null) return isPlaced(attempt) ? placedNotShown(attempt, now) : notShown(attempt, now);
    const isAsBefore = isPlaced(attempt) && !leadsFurther(attempt.channel_status, found.status);
    if (isAsBefore)
      return mode === "voice" ? { kind: "goes-on", key, is_shown: true } : silence(attempt, now);
    const { status, sid, session_id, conversation_id } = found;
    const session = session_id === null || conversation_id === null ? null : { session_id, conversation_id };
    return {
      kind: "status",
      key,
      status,
      is_transient: null,
      at: now,
      sid,
      session,
      provider_status: "asked",
    };
  } catch (error) {
    const why = publicText(error, log, "a carrier could not be asked about an attempt");
    if (!isPlaced(attempt)) return { kind: "unknown", key, why, from: "asking" };
    return placedUnasked(attempt, now);
  }
}

type Placed = Pick<Unsettled, "key" | "mode" | "channel_status" | "started_at" | "checks" | "is_talking">;

/** A carrier that can't be asked about a call it took: somebody may be on the telephone, and is not called meanwhile. Pure. */
export function placedUnasked(attempt: Omit<Placed, "is_talking">, now: Date): AttemptEvent {
  const { key, mode, channel_status, started_at } = attempt;
  const age_ms = now.getTime() - new Date(started_at).getTime();
  const longest_ms = channel_status === "QUEUED" ? CALL_UNASKED_ms : LONGEST_CALL_ms;
  return mode === "voice" && age_ms < longest_ms
    ? { kind: "goes-on", key, is_shown: true }
    : silence(attempt, now);
}

/**
 * A carrier that does not show a call it took: asked once more, then the call is over and its line free. Somebody who is
 * talking with us is believed rather than it. Pure.
 */
export function placedNotShown(attempt: Placed, now: Date): AttemptEvent {
  if (attempt.is_talking) return placedUnasked(attempt, now);
  return attempt.mode === "voice" && attempt.checks === 0
    ? { kind: "goes-on", key: attempt.key, is_shown: false }
    : silence(attempt, now);
}

/**
 * A carrier that takes something on shows it soon: what it doesn't show then never got through. It is asked twice at
 * least, for by a clock that jumped any time is long past. Pure.
 */
export function notShown(
  { key, handed_over_by, checks }: Pick<Unsettled, "key" | "handed_over_by" | "checks">,
  now: Date,
): AttemptEvent {
  const since_ms = handed_over_by === null ? 0 : now.getTime() - new Date(handed_over_by).getTime();
  return checks === 0 || since_ms < SHOWN_AFTER_ms
    ? { kind: "unknown", key, why: "not shown by the carrier yet", from: "asking" }
    : { kind: "not-taken", key, retry_after_s: null, why: "never got to the carrier" };
}

/** The carrier had it and tells nothing more: a call counts as failed, a message as delivered as far as one can tell. */
const silence = ({ key, mode }: Pick<Unsettled, "key" | "mode">, now: Date): AttemptEvent => ({
  kind: "status",
  key,
  status: mode === "voice" ? "NO_OUTCOME" : "DELIVERY_UNKNOWN",
  is_transient: null,
  at: now,
  provider_status: "no word",
});
