import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { chunksOf } from "./data-source-chunks.ts";

export const MAX_WORD_CHARACTERS = 64;
/** Shorter words are like too many others. */
export const SHORTEST_CORRECTED = 4;

/** The parts of a source's text, in order. */
export const cutText = (source: { text: string; chunk: boolean; chunk_delimiter: string | null }): string[] =>
  chunksOf(source.text, source.chunk ? source.chunk_delimiter || null : null);

/**
 * Puts the chunks of a text in the place of those the source had; in the transaction that stores the text. A chunk whose
 * text was there before keeps its vector: a provider is paid for what is new.
 */
export async function storeChunks(tx: Tx, id: number, chunks: string[]): Promise<void> {
  await setVectorsAside(tx, id);
  await sql`
    insert into data_source_chunks (data_source_id, position, text, embedding, embedding_model)
    select ${id}, part.position, part.text, known.embedding, known.embedding_model
    from unnest(${chunks}::text[]) with ordinality as part (text, position)
    left join (
      select distinct on (text) text, embedding, embedding_model
      from data_source_chunks where data_source_id = ${id} and position < 0
    ) as known on known.text = part.text`.execute(tx);
  await sql`delete from data_source_chunks where data_source_id = ${id} and position < 0`.execute(tx);
  // Letters and digits only, as in a question: no e-mail addresses or URLs, which are lexemes too.
  await sql`
    insert into data_source_words (data_source_id, word)
    select distinct ${id}::bigint, word
    from unnest(${chunks}::text[]) as part (text),
      unnest(tsvector_to_array(to_tsvector('simple', part.text))) as word
    where length(word) between ${SHORTEST_CORRECTED}::integer and ${MAX_WORD_CHARACTERS}::integer
      and word ~ '^[[:alnum:]]+$'`.execute(tx);
}

/** Below the first position, until the new chunks stand; what has no vector is of no use to them. */
async function setVectorsAside(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom("data_source_words").where("data_source_id", "=", id).execute();
  await sql`delete from data_source_chunks where data_source_id = ${id} and embedding is null`.execute(tx);
  await sql`update data_source_chunks set position = -position where data_source_id = ${id}`.execute(tx);
}

export async function dropChunks(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom("data_source_chunks").where("data_source_id", "=", id).execute();
  await tx.deleteFrom("data_source_words").where("data_source_id", "=", id).execute();
}

/** A source that was stored before there were chunks. Under its lock, so that two searches at once cut it once. */
export const cutOnce = (db: Db, id: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const source = await tx
      .selectFrom("data_sources")
      .select(["text", "chunk", "chunk_delimiter"])
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .forUpdate()
      .executeTakeFirst();
    const cut = await tx
      .selectFrom("data_source_chunks")
      .select("position")
      .where("data_source_id", "=", id)
      .limit(1)
      .executeTakeFirst();
    if (source && !cut) await storeChunks(tx, id, cutText(source));
  });
