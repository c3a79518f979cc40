import { sql } from "kysely";
import type { Sender } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import {
  type AttemptPhase,
  HAND_OVER_ms,
  LEASE_ms,
  LONGEST_CALL_ms,
  type Mode,
  SHOWN_AFTER_ms,
} from "./attempt.ts";
import { findOutreach } from "./attempts.ts";
import type { News } from "./settlement.ts";

/**
 * Attempts that somebody has to look after: whoever was about to place one died, its fate is unknown, or the carrier
 * has been silent for too long. The carrier is asked before anything else happens to such an attempt.
 */
export type Unsettled = {
  key: string;
  mode: Mode;
  state: AttemptPhase;
  started_at: string;
  channel_status: string;
  handed_over_by: string | null;
  checks: number;
};

/**
 * Takes the next of them, leased to this process while it asks. One that was CLAIMED is UNCERTAIN from here on: whoever
 * claimed it does not hand it over any more (leases.ts). Index: `attempts_check`.
 */
export async function takeUnsettled(db: Db, owner: string, now: Date, most: number): Promise<Unsettled[]> {
  const { rows } = await sql<Unsettled>`
    update attempts a set lease_owner = ${owner}, check_at = ${new Date(now.getTime() + LEASE_ms).toISOString()},
      state = case a.state when 'CLAIMED' then 'UNCERTAIN' else a.state end,
      handed_over_by = case a.state
        when 'CLAIMED' then a.check_at - ${LEASE_ms - HAND_OVER_ms}::integer * interval '1 millisecond'
        else a.handed_over_by end
    where a.key in (
      select key from attempts
      where state <> 'ENDED' and check_at <= ${now.toISOString()}::timestamptz
      order by check_at limit ${most} for update skip locked
    )
    returning a.key, a.mode, a.state, a.started_at, a.channel_status, a.handed_over_by, a.checks`.execute(db);
  return rows;
}

/** What the carrier says of it. Never throws: not to be told is news too. */
export async function askCarrier(
  db: Db,
  sender: Pick<Sender, "find">,
  attempt: Unsettled,
  now: Date,
): Promise<News> {
  const { key, mode, state } = attempt;
  try {
    const outreach = await findOutreach(db, key);
    const found = outreach && (await sender.find(outreach, new Date(attempt.started_at)));
    if (found === null) return state === "PLACED" ? silence(attempt, now) : notShown(attempt, now);
    const isAsBefore = state === "PLACED" && found.status === attempt.channel_status;
    if (isAsBefore) return mode === "voice" ? { kind: "goes-on", key } : silence(attempt, now);
    const { status, sid, session_id, conversation_id } = found;
    const session = session_id === null || conversation_id === null ? null : { session_id, conversation_id };
    return { kind: "word", key, status, is_transient: null, at: now, sid, session, provider_status: "asked" };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (state !== "PLACED") return { kind: "unknown", key, why, from: "asking" };
    return mayGoOn(attempt, now) ? { kind: "goes-on", key } : silence(attempt, now);
  }
}

/** Somebody answered, and may still be on the telephone: not to be called meanwhile. */
const mayGoOn = ({ mode, channel_status, started_at }: Unsettled, now: Date): boolean =>
  mode === "voice" &&
  channel_status !== "QUEUED" &&
  now.getTime() - new Date(started_at).getTime() < LONGEST_CALL_ms;

/**
 * A carrier that takes something on shows it soon: what it doesn't show then never got through. It is asked twice at
 * least, for by a clock that jumped any time is long past. Pure.
 */
export function notShown(
  { key, handed_over_by, checks }: Pick<Unsettled, "key" | "handed_over_by" | "checks">,
  now: Date,
): News {
  const since_ms = handed_over_by === null ? 0 : now.getTime() - new Date(handed_over_by).getTime();
  return checks === 0 || since_ms < SHOWN_AFTER_ms
    ? { kind: "unknown", key, why: "not shown by the carrier yet", from: "asking" }
    : { kind: "not-taken", key, retry_after_s: null, why: "never got to the carrier" };
}

/** The carrier had it and tells nothing more: a call counts as failed, a message as delivered as far as one can tell. */
const silence = ({ key, mode }: Unsettled, now: Date): News => ({
  kind: "word",
  key,
  status: mode === "voice" ? "NO_OUTCOME" : "DELIVERY_UNKNOWN",
  is_transient: null,
  at: now,
  provider_status: "no word",
});
