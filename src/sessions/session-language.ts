import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The current language of a session (BCP 47); null when it has none. */
export async function sessionLanguage(db: Db, session_id: number | null): Promise<string | null> {
  if (session_id === null) return null;
  const found = await db
    .selectFrom("sessions")
    .select(sql<string | null>`state ->> 'language'`.as("language"))
    .where("id", "=", session_id)
    .executeTakeFirst();
  return found?.language ?? null;
}
