import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { chunksOf } from "./data-source-chunks.ts";
import type { SourceChunk } from "./documents/sections.ts";

export const MAX_WORD_CHARACTERS = 64;
/** Shorter words are like too many others. */
export const SHORTEST_CORRECTED = 4;

/** The most parts of a source's own text; they have the positions up to here, those of documents the ones beyond. */
export const MOST_CHUNKS = 20_000;
/** The most parts of one document: its slot is so many positions. */
export const MOST_DOCUMENT_CHUNKS = 10_000;

/** Whose parts: the source's own text, or a document of it. */
export type ChunkOwner = { data_source_id: number; document: { id: number; slot: number } | null };

/** The parts of a source's text, in order. */
export const cutText = (source: {
  text: string;
  chunk: boolean;
  chunk_delimiter: string | null;
}): SourceChunk[] =>
  chunksOf(source.text, source.chunk ? source.chunk_delimiter || null : null).map((text) => ({
    text,
    page: null,
    heading: null,
  }));

/**
 * Puts the chunks of a text in the place of those it had; in the transaction that stores the text. A chunk that was there
 * before keeps its vector: a provider is paid for what is new.
 */
export async function storeChunks(tx: Tx, owner: ChunkOwner, chunks: SourceChunk[]): Promise<void> {
  const { data_source_id: id, document } = owner;
  const own = ofOwner(owner);
  // Below the first position, until the new chunks stand; what has no vector is of no use to them.
  await sql`delete from data_source_chunks where ${own} and embedding is null`.execute(tx);
  await sql`update data_source_chunks set position = -position where ${own}`.execute(tx);
  const first = document ? MOST_CHUNKS + document.slot * MOST_DOCUMENT_CHUNKS : 0;
  await sql`
    insert into data_source_chunks (data_source_id, document_id, position, text, page, heading, embedding, embedding_model)
    select ${id}, ${document?.id ?? null}::bigint, ${first}::integer + part.position, part.text, part.page, part.heading,
      known.embedding, known.embedding_model
    from unnest(${chunks.map(({ text }) => text)}::text[], ${chunks.map(({ page }) => page)}::int[],
      ${chunks.map(({ heading }) => heading)}::text[]) with ordinality as part (text, page, heading, position)
    left join (
      select distinct on (text, heading) text, heading, embedding, embedding_model
      from data_source_chunks where ${own} and position < 0
    ) as known on known.text = part.text and known.heading is not distinct from part.heading`.execute(tx);
  await sql`delete from data_source_chunks where ${own} and position < 0`.execute(tx);
}

/** Index: the primary key, or data_source_chunks_document. */
const ofOwner = ({ data_source_id, document }: ChunkOwner): RawBuilder<boolean> =>
  document
    ? sql<boolean>`document_id = ${document.id}`
    : sql<boolean>`data_source_id = ${data_source_id} and document_id is null`;

/**
 * The words that misspelt ones are compared with, of all that a source has now. After a document was added, `addWords`
 * does less; words of what is gone only correct to what is found nowhere.
 */
export async function rebuildWords(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom("data_source_words").where("data_source_id", "=", id).execute();
  await insertWords(tx, id, sql`data_source_id = ${id}`);
}

export const addWords = (tx: Tx, owner: ChunkOwner): Promise<void> =>
  insertWords(tx, owner.data_source_id, ofOwner(owner));

/** Letters and digits only, as in a question: no e-mail addresses or URLs, which are lexemes too. */
async function insertWords(tx: Tx, id: number, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into data_source_words (data_source_id, word)
    select distinct ${id}::bigint, word
    from data_source_chunks as part,
      unnest(tsvector_to_array(to_tsvector('simple', coalesce(part.heading || ' ', '') || part.text))) as word
    where ${which} and length(word) between ${SHORTEST_CORRECTED}::integer and ${MAX_WORD_CHARACTERS}::integer
      and word ~ '^[[:alnum:]]+$'
    on conflict do nothing`.execute(tx);
}

/** With the documents they are of, and the web site that these were read from. */
export async function dropChunks(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom("data_source_chunks").where("data_source_id", "=", id).execute();
  await tx.deleteFrom("data_source_words").where("data_source_id", "=", id).execute();
  await tx.deleteFrom("data_source_crawls").where("data_source_id", "=", id).execute();
  await tx.deleteFrom("data_source_documents").where("data_source_id", "=", id).execute();
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
      .where("document_id", "is", null)
      .limit(1)
      .executeTakeFirst();
    if (source && !cut) {
      await storeChunks(tx, { data_source_id: id, document: null }, cutText(source));
      await rebuildWords(tx, id);
    }
  });
