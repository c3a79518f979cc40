import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { Notices } from "../db/notices.ts";

/** Notifies channels that have a session open of its end, in this process and in all others. */
export type SessionEnds = {
  /** Calls back once with the reason; returns a function that stops watching. */
  watch(session_id: number, tell: (reason: string) => void): () => void;
};

const CHANNEL = "session_ended";

/** Called in the transaction that ends the session; PostgreSQL sends the notice only if that commits. */
export async function tellEnd(tx: Tx, session_id: number, reason: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${`${session_id} ${reason}`})`.execute(tx);
}

export function createSessionEnds({ db, notices }: { db: Db; notices: Notices }): SessionEnds {
  const watched = new Map<number, Set<(reason: string) => void>>();
  let listens = false;

  const heard = (id: number, reason: string) => {
    const told = watched.get(id) ?? [];
    watched.delete(id);
    for (const tell of told) tell(reason);
  };

  /** Reads all watched sessions, because notices may have been lost with the connection. */
  const look = async () => {
    const ended = await db
      .selectFrom("sessions")
      .select(["id", "end_reason"])
      .where("id", "in", [...watched.keys(), -1])
      .where("ended_at", "is not", null)
      .execute();
    for (const { id, end_reason } of ended) heard(id, end_reason ?? "agent");
  };

  return {
    watch(session_id, tell) {
      if (!listens) {
        listens = true;
        notices.listen(CHANNEL, {
          heard(payload) {
            const [id, reason = "agent"] = payload.split(" ");
            heard(Number(id), reason);
          },
          // The check is repeated when the connection to the database is back.
          missed: () => void look().catch(() => {}),
        });
      }
      const others = watched.get(session_id) ?? new Set();
      watched.set(session_id, others.add(tell));
      return () => {
        others.delete(tell);
        if (others.size === 0 && watched.get(session_id) === others) watched.delete(session_id);
      };
    },
  };
}
