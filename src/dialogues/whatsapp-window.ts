import type { Db } from "../db/database.ts";
import type { Correspondence } from "./written-target.ts";

/** WhatsApp lets a business write freely this long after the person's last word; a template may open at any time. */
const WINDOW_MS = 24 * 3_600_000;

/** Whether this person may be written to freely. Index: text_messages_dialogue. */
export async function isWindowOpen(
  db: Db,
  { channel_target_id, source }: Correspondence,
  now: Date,
): Promise<boolean> {
  const heard = await db
    .selectFrom("text_messages")
    .select("id")
    .where("channel_target_id", "=", channel_target_id)
    .where("source", "=", source)
    .where("direction", "=", "in")
    .where("created_at", ">", new Date(now.getTime() - WINDOW_MS).toISOString())
    .limit(1)
    .executeTakeFirst();
  return heard !== undefined;
}
