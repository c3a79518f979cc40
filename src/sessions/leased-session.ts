import { sql } from "kysely";
import type { Snapshot } from "../agents/snapshot.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Engine } from "./engine.ts";
import type { OperatorNote } from "./operator-notes.ts";
import { knownOf, rememberSession } from "./sent/known-session.ts";
import { type SentSoFar, sentSoFar } from "./sent/sent-parts.ts";
import { type NumberedRefs, sentRefsOf } from "./sent/sent-records.ts";
import { REDACTION, type RedactionColumns, restoredState, sessionRedactor } from "./session-redactor.ts";
import { snapshotOf } from "./session-snapshot.ts";
import type { SessionState } from "./variables.ts";

/** The session as read by the holder of its lease. */
export type LeasedSession = {
  /** The owner value of this lease, which every write of the turn checks. */
  lease: string;
  id: number;
  sub_organization_id: number;
  conversation_id: number;
  channel: string;
  agent_name: string;
  agent_timezone: string;
  prompt_id: number;
  source: string | null;
  target: string | null;
  is_test: boolean;
  is_outbound: boolean;
  verified: boolean;
  claimed_user: string | null;
  user_name: string | null;
  timestamp: string;
  snapshot: Snapshot;
  state: SessionState;
  turn_count: number;
  finished_turn: number;
  next_seq: number;
  /** Turns in a row during which the process died. Web chats only, since other channels count in their job or line. */
  interruptions: number;
  /** A person answers in the agent's place. */
  is_taken_over: boolean;
  /** What the model's rounds were sent (`sent/sent-parts.ts`). */
  sent: SentSoFar;
  /** What people wrote to the model and no turn has read (`operator-notes.ts`). */
  notes: OperatorNote[];
  /** Takes values out of what the turn stores; what is read here has them back. */
  redactor: Redactor;
};

/**
 * Without what this process has cached (known-session.ts): then `snapshot` is null, and `sent_refs` has only newer rounds.
 */
export type LeasedRow = Omit<LeasedSession, "lease" | "redactor" | "sent" | "snapshot"> &
  RedactionColumns & { snapshot: Snapshot | null; snapshot_key: string; sent_refs: NumberedRefs[] | null };
type Known = ReturnType<typeof knownOf>;

/** Parameters of the columns below: the time, and what this process has cached of the session. */
type ReadWith = { now: unknown; snapshot_key: unknown; sent_id: unknown };

/** What a leased session is read from. */
export const leasedColumns = ({ now, snapshot_key, sent_id }: ReadWith) =>
  sql`id, sub_organization_id, conversation_id, channel, agent_name, agent_timezone, prompt_id, source, target,
  is_test, is_outbound, verified, claimed_user, user_name, timestamp, snapshot_key,
  case when snapshot_key is distinct from ${snapshot_key}::uuid then ${snapshotOf("sessions")} end as snapshot, state, turn_count, finished_turn, next_seq,
  interruptions, ${sentRefsOf("sessions", sent_id)} as sent_refs, ${REDACTION},
  exists (select from session_takeovers t
    where t.session_id = sessions.id and t.expires_at > ${now}::timestamptz) as is_taken_over,
  coalesce((select json_agg(json_build_object('id', n.id, 'text', n.text) order by n.id) from session_notes n
    where n.session_id = sessions.id and n.turn_index is null), '[]'::json) as notes`;

/** The session as its next turn would read it, without taking it; undefined while a turn runs, or once it has ended. */
export async function readForTurn(engine: Engine, session_id: number): Promise<LeasedSession | undefined> {
  const known = knownOf(engine.db, session_id);
  const { rows } = await sql<LeasedRow>`
    select ${leasedColumns({ now: engine.clock.now().toISOString(), ...known })} from sessions
    where id = ${session_id} and ended_at is null and set_aside_at is null and lease_owner is null`.execute(
    engine.db,
  );
  return rows[0] && leasedSession(engine, rows[0], known, "");
}

/** The session with what was taken out of its memory and of notes to its model. */
export function leasedSession(engine: Engine, row: LeasedRow, known: Known, lease: string): LeasedSession {
  const { redaction, originals, seal_key, state, notes, snapshot_key, sent_refs, ...session } = row;
  const snapshot = (row.snapshot ?? known.snapshot) as Snapshot;
  const sent = sentSoFar(sent_refs?.map(([, refs]) => refs) ?? null, known.sent);
  const sent_id = sent_refs?.at(-1)?.[0] ?? known.sent_id;
  rememberSession(engine.db, row.id, { snapshot_key, snapshot, sent, sent_id });
  const redactor = sessionRedactor(engine.vault, engine.clock.now(), { redaction, originals, seal_key });
  return {
    ...session,
    snapshot,
    sent,
    lease,
    redactor,
    state: restoredState(redactor, state),
    notes: redactor.restore(notes),
  };
}
