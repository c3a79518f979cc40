import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** A call as named in its callback URLs: by our key, or by the carrier's sid for inbound calls. */
type NamedCall = { channel_id: number; key: string };

/**
 * Stores who picked up a transfer, in the carrier's word, until the leg's end is reported. False: this channel has
 * transferred no such call, and nothing is stored. Indexes: calls_key, calls_sid.
 */
export async function keepTransferAnswerer(
  db: Db,
  { channel_id, key }: NamedCall,
  word: string,
  at: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into transfer_answerers (channel_id, call_key, word, at)
    select ${channel_id}, ${key}::text, ${word}::text, ${at.toISOString()}::timestamptz
    where exists (
      select from calls
      where (key = ${key} or (key is null and sid = ${key}))
        and channel_id = ${channel_id} and transfer_started_at is not null)
    on conflict (channel_id, call_key) do update set word = excluded.word, at = excluded.at`.execute(db);
  return numAffectedRows > 0n;
}

/** Reads and deletes it. Null: no detection, or its callback never came. */
export async function takeTransferAnswerer(db: Db, { channel_id, key }: NamedCall): Promise<string | null> {
  const { rows } = await sql<{ word: string }>`
    delete from transfer_answerers where channel_id = ${channel_id} and call_key = ${key} returning word`.execute(
    db,
  );
  return rows[0]?.word ?? null;
}
