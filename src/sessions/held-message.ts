import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../db/database.ts";

/** Why an inbound message is held without an answer (dialogues/held/loop-guard.ts). */
export const HeldMessage = z
  .object({
    message_id: z.string().describe("Names it where it is released: text-12 or mail-7."),
    why: z
      .enum(["repeated", "pace"])
      .describe("The same words again and again, or more than a person writes."),
  })
  .meta({ id: "HeldMessage" });
export type HeldMessage = z.infer<typeof HeldMessage>;

/** Held texts and mails of a session's dialogue, the oldest first. Indexes: …_messages_held_in. */
export async function loadHeld(db: Db, session_id: number) {
  const { rows } = await sql<{
    message_id: string;
    why: HeldMessage["why"];
    timestamp: string;
    text: string;
  }>`
    select id, 'text-' || id as message_id, held as why, created_at as timestamp, text
    from text_messages where held_in = ${session_id} and held is not null
    union all
    select id, 'mail-' || id, held, created_at, left(coalesce(nullif(new_text, ''), text), ${MOST_SHOWN})
    from mail_messages where held_in = ${session_id} and held is not null
    order by timestamp, id
    limit ${MOST_HELD}`.execute(db);
  return rows.map(({ message_id, why, timestamp, text }) => ({
    timestamp,
    source: "user" as const,
    text,
    held: { message_id, why },
  }));
}

const MOST_SHOWN = 20_000;
/** The most messages listed: an autoresponder may write for months, and its first messages show what it is. */
const MOST_HELD = 200;
