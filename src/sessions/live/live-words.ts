import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Notices } from "../../db/notices.ts";
import { loadRedactor } from "../session-redactor.ts";

type WordsByHand = { seq: number; text: string; timestamp: string };

/** Tells open chats what a person wrote in the agent's place, in this process and in all others. */
export type LiveWords = {
  /** Everything written from now on, in order; returns a function that stops. */
  watch(session_id: number, tell: (words: WordsByHand) => void): () => void;
};

const CHANNEL = "session_words";

/** Called in the transaction that stores the words; PostgreSQL sends the notice only if that commits. */
export async function tellWords(tx: Tx, session_id: number): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${String(session_id)})`.execute(tx);
}

type Watch = { session_id: number; seq: Promise<number>; tell(words: WordsByHand): void };

export function createLiveWords({
  db,
  notices,
  clock,
  vault,
}: {
  db: Db;
  notices: Notices;
  clock: Clock;
  vault: Vault;
}): LiveWords {
  const watches = new Set<Watch>();
  let listens = false;

  /** A notice is only a hint: what is new is read from the transcript, so a lost one costs nothing but time. */
  const look = async (watch: Watch) => {
    watch.seq = watch.seq.then(async (last) => {
      const rows = await db
        .selectFrom("session_messages")
        .select(["seq", "text", "timestamp"])
        .where("session_id", "=", watch.session_id)
        .where("seq", ">", last)
        .where("written_by", "is not", null)
        .orderBy("seq")
        .execute();
      if (!watches.has(watch)) return last;
      const redactor = await loadRedactor(db, { vault, now: clock.now() }, watch.session_id);
      for (const words of redactor.restore(rows)) watch.tell(words);
      return rows.at(-1)?.seq ?? last;
    });
    await watch.seq;
  };

  const lookAt = (chosen: Iterable<Watch>) => {
    for (const watch of chosen) {
      const before = watch.seq;
      void look(watch).catch(() => {
        // The next notice, or the next connection, reads from the same place.
        watch.seq = before;
      });
    }
  };

  return {
    watch(session_id, tell) {
      if (!listens) {
        listens = true;
        notices.listen(CHANNEL, {
          heard: (payload) => lookAt([...watches].filter((watch) => String(watch.session_id) === payload)),
          missed: () => lookAt(watches),
        });
      }
      const seq = db
        .selectFrom("session_messages")
        .select(({ fn }) => fn.max("seq").as("seq"))
        .where("session_id", "=", session_id)
        .executeTakeFirst()
        .then((found) => found?.seq ?? -1);
      const watch = { session_id, seq, tell };
      seq.catch(() => {});
      watches.add(watch);
      return () => {
        watches.delete(watch);
      };
    },
  };
}
