import type { Db } from "../db/database.ts";
import { cutWords } from "./spoken-text.ts";

/** The most messages that one interruption may cut. */
const LAST_MESSAGES = 20;

/**
 * Cuts the unheard end, measured in characters (`measure`), from a session's last agent messages. The model then reads back
 * only what the person heard, and the transcript shows where the agent was interrupted.
 */
export async function cutSpokenWords(db: Db, session_id: number, unheard: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const last = await tx
      .selectFrom("session_messages")
      .select(["seq", "text"])
      .where("session_id", "=", session_id)
      .where("role", "=", "agent")
      .where("aside", "=", false)
      .orderBy("seq", "desc")
      .limit(LAST_MESSAGES)
      .execute();
    for (const { seq, text, unheard: rest } of cutWords(last.toReversed(), unheard)) {
      await tx
        .updateTable("session_messages")
        .set({ text, unheard: rest })
        .where("session_id", "=", session_id)
        .where("seq", "=", seq)
        .execute();
    }
  });
}
