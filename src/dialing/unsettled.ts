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
  mayStillArrive,
  SHOWN_AFTER_ms,
} from "../planning/attempt.ts";
import { type AttemptPhase, FIRST_PHASE, isPlaced, nextPhase } from "../planning/attempt-state.ts";
import { leadsFurther } from "../planning/progress.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { findOutreach } from "./attempts.ts";

/**
 * Attempts that need a lookup with their carrier: the process that was placing it died, its outcome is unknown, or no
 * status update came for too long. The lookup comes before anything else happens to such an attempt.
 */
type Unsettled = {
  key: string;
  mode: Outreach["mode"];
  state: AttemptPhase;
  started_at: string;
  channel_status: ChannelStatus;
  handed_over_by: string | null;
  checks: number;
  /** Its session is still open. */
  is_talking: boolean;
};

/**
 * Claims the next of them under a lease for the time of the lookup. One that was CLAIMED becomes UNCERTAIN, so that the
 * process that had claimed it does not hand it over any more (leases.ts). Index: `attempts_check`.
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

/** Looks the attempt up with its carrier. Never throws, because no answer is an event too. */
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
      return mode === "voice" ? { kind: "goes-on", key, is_shown: true } : stillOut(attempt, now);
    const { status, failure, sid, session_id, conversation_id } = found;
    const session = session_id === null || conversation_id === null ? null : { session_id, conversation_id };
    return {
      kind: "status",
      key,
      status,
      is_transient: null,
      ...failure,
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

/**
 * The lookup of what was accepted failed: the person may be on the telephone, or the message arrive, so they are not tried
 * again yet. Pure.
 */
export function placedUnasked(attempt: Omit<Placed, "is_talking">, now: Date): AttemptEvent {
  const { key, mode, channel_status } = attempt;
  if (mode !== "voice") return stillOut(attempt, now);
  const age_ms = ageOf(attempt, now);
  const longest_ms = channel_status === "QUEUED" ? CALL_UNASKED_ms : LONGEST_CALL_ms;
  return age_ms < longest_ms ? { kind: "goes-on", key, is_shown: true } : silence(attempt, now);
}

const ageOf = ({ started_at }: Pick<Unsettled, "started_at">, now: Date): number =>
  now.getTime() - new Date(started_at).getTime();

/** Nothing new is known of a message: it may arrive still, until its carrier has given up on it. Pure. */
function stillOut(attempt: Pick<Unsettled, "key" | "mode" | "started_at">, now: Date): AttemptEvent {
  const mode = attempt.mode === "email" ? "email" : "sms";
  return mayStillArrive(mode, ageOf(attempt, now))
    ? { kind: "goes-on", key: attempt.key, is_shown: true }
    : silence(attempt, now);
}

/**
 * The carrier does not list a call it had accepted: looked up once more, then the call counts as ended and its line is
 * free. A session that is still open outweighs the carrier's answer. Pure.
 */
export function placedNotShown(attempt: Placed, now: Date): AttemptEvent {
  if (attempt.is_talking) return placedUnasked(attempt, now);
  return attempt.mode === "voice" && attempt.checks === 0
    ? { kind: "goes-on", key: attempt.key, is_shown: false }
    : silence(attempt, now);
}

/**
 * A carrier lists what it accepted soon, so an attempt that it does not list after a while never got through. It is looked
 * up at least twice, because a clock that jumped makes any wait look long. Pure.
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

/** The final status when the carrier reports nothing more: a call counts as failed, a message as delivered. */
const silence = ({ key, mode }: Pick<Unsettled, "key" | "mode">, now: Date): AttemptEvent => ({
  kind: "status",
  key,
  status: mode === "voice" ? "NO_OUTCOME" : "DELIVERY_UNKNOWN",
  is_transient: null,
  at: now,
  provider_status: "no word",
});
