import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Notices } from "../../db/notices.ts";
import { loadRedactor } from "../session-redactor.ts";

type WordsByHand = { seq: number; text: string; timestamp: string };

/** Tells open chats what a person wrote in the agent's place, in this process and in all others. */
export type LiveWords = {
  /**
   * Everything written after a message of the session (its `seq`; -1: from the beginning), or from about now on, in order;
   * returns a function that stops.
   */
  watch(session_id: number, after: number | "now", tell: (words: WordsByHand) => void): () => void;
};

const CHANNEL = "session_words";

/** Called in the transaction that stores the words; PostgreSQL sends the notice only if that commits. */
export async function tellWords(tx: Tx, session_id: number): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${String(session_id)})`.execute(tx);
}

type Watch = {
  session_id: number;
  tell(words: WordsByHand): void;
  /** The last message that was told or need not be; null until it is known where to begin. */
  last: number | null;
  looking: Promise<void>;
};

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

  const lastSeq = async (session_id: number) => {
    const last = await db
      .selectFrom("session_messages")
      .select(({ fn }) => fn.max("seq").as("seq"))
      .where("session_id", "=", session_id)
      .executeTakeFirst();
    return last?.seq ?? -1;
  };

  const tellNew = async (watch: Watch) => {
    watch.last ??= await lastSeq(watch.session_id);
    const rows = await db
      .selectFrom("session_messages")
      .select(["seq", "text", "timestamp"])
      .where("session_id", "=", watch.session_id)
      .where("seq", ">", watch.last)
      .where("written_by", "is not", null)
      .orderBy("seq")
      .execute();
    if (rows.length === 0 || !watches.has(watch)) return;
    const redactor = await loadRedactor(db, { vault, now: clock.now() }, watch.session_id);
    for (const words of redactor.restore(rows)) watch.tell(words);
    watch.last = rows.at(-1)?.seq ?? watch.last;
  };

  /**
   * A notice is only a hint: what is new is read from the transcript, one look after the other. What can't be read now is
   * read at the next notice, or when the connection is back.
   */
  const look = (watch: Watch) => {
    watch.looking = watch.looking.then(() => tellNew(watch)).catch(() => {});
  };

  return {
    watch(session_id, after, tell) {
      if (!listens) {
        listens = true;
        notices.listen(CHANNEL, {
          heard: (payload) => {
            for (const watch of watches) if (String(watch.session_id) === payload) look(watch);
          },
          missed: () => watches.forEach(look),
        });
      }
      const last = after === "now" ? null : after;
      const watch: Watch = { session_id, tell, last, looking: Promise.resolve() };
      watches.add(watch);
      look(watch);
      return () => {
        watches.delete(watch);
      };
    },
  };
}
