import type { Snapshot } from "../../agents/snapshot.ts";
import type { Db } from "../../db/database.ts";
import { NOTHING_SENT, type SentSoFar } from "./sent-parts.ts";

/*
 * A cache of sessions whose turns this process ran, so that the next lease reads only what is new: the snapshot, which
 * never changes, and the references of rounds up to one of them. All of it is in the database too, where other processes
 * read it. One cache for each database, because tests run several in one process.
 */

type KnownSession = { snapshot_key: string; sent: SentSoFar; sent_id: number };

const MOST_SESSIONS = 2_000;
const MOST_SNAPSHOTS = 100;

type Known = { sessions: Map<number, KnownSession>; snapshots: Map<string, Snapshot> };

const known = new WeakMap<Db, Known>();

function knownIn(db: Db): Known {
  const all = known.get(db) ?? { sessions: new Map(), snapshots: new Map() };
  known.set(db, all);
  return all;
}

/** Puts it last, and drops those that were used the longest ago. */
function keep<Key, Value>(all: Map<Key, Value>, key: Key, value: Value, most: number): void {
  all.delete(key);
  all.set(key, value);
  for (const oldest of all.keys()) {
    if (all.size <= most) break;
    all.delete(oldest);
  }
}

const NOTHING_KNOWN = { snapshot: null, snapshot_key: null, sent: NOTHING_SENT, sent_id: 0 };

/** The snapshot is that of `snapshot_key`; of an organization of its own, so keys of two are told apart by the session. */
export function knownOf(db: Db, session_id: number) {
  const { sessions, snapshots } = knownIn(db);
  const session = sessions.get(session_id);
  if (!session) return NOTHING_KNOWN;
  const snapshot = snapshots.get(session.snapshot_key) ?? null;
  return { ...session, snapshot, snapshot_key: snapshot && session.snapshot_key };
}

export function rememberSession(
  db: Db,
  session_id: number,
  { snapshot, snapshot_key, sent, sent_id }: KnownSession & { snapshot: Snapshot },
): void {
  const { sessions, snapshots } = knownIn(db);
  keep(sessions, session_id, { snapshot_key, sent, sent_id }, MOST_SESSIONS);
  keep(snapshots, snapshot_key, snapshot, MOST_SNAPSHOTS);
}

/** A turn stored more rounds, up to the one of this row. */
export function rememberSent(db: Db, session_id: number, sent: SentSoFar, sent_id: number): void {
  const session = knownIn(db).sessions.get(session_id);
  if (session) knownIn(db).sessions.set(session_id, { ...session, sent, sent_id });
}
