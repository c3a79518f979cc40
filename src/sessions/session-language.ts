import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The language that a session is in now (BCP 47); null where there is none. */
export async function sessionLanguage(db: Db, session_id: number | null): Promise<string | null> {
  if (session_id === null) return null;
  const found = await db
    .selectFrom("sessions")
    .select(sql<string | null>`state ->> 'language'`.as("language"))
    .where("id", "=", session_id)
    .executeTakeFirst();
  return found?.language ?? null;
}
