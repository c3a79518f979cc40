import type { Db } from "../db/database.ts";
import { cutWords } from "./spoken-text.ts";

/** An interruption concerns the last things said, never more than these. */
const LAST_MESSAGES = 20;

/**
 * Takes from a session's last agent messages what was never heard, so many characters (`measure`) from the end: the model
 * reads back what the person knows, and the transcript shows where it broke off.
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
