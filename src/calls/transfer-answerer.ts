import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** A call as the address of its callbacks names it: by our key, or, where it came in, by the carrier's sid. */
type NamedCall = { channel_id: number; key: string };

/**
 * Who picked up a transfer, in the carrier's word, until the end of that leg is told. False, and nothing kept: this channel
 * has transferred no such call. Indexes: calls_key, calls_sid.
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

/** Told once. Null: the carrier didn't listen, or was not heard. */
export async function takeTransferAnswerer(db: Db, { channel_id, key }: NamedCall): Promise<string | null> {
  const { rows } = await sql<{ word: string }>`
    delete from transfer_answerers where channel_id = ${channel_id} and call_key = ${key} returning word`.execute(
    db,
  );
  return rows[0]?.word ?? null;
}
