import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { chunksOf } from "./data-source-chunks.ts";

/** Sources that are no longer than this together are given whole: a model finds more in a text than a search does. */
const WHOLE_CHARACTERS = 24_000;
const MAX_RESULTS = 6;
/** How many chunks the full-text rank puts forward, to be ranked by the share of words too. */
const CANDIDATES = 100;
/** A question asks for few things; a text pasted in its place is searched by how it begins. */
const MAX_WORDS = 24;
const MAX_WORD_CHARACTERS = 64;
/** The share of trigrams from which a word counts as misspelt: "refunts" has 0.45 of "refunds". */
const ALIKE = 0.35;
const CORRECTIONS = 3;
/** Shorter words are like too many others. */
const SHORTEST_CORRECTED = 4;

export type SearchResult = { data_source: string; text: string; score: number };
/** `missing`: entries that name no source and no label. */
export type SearchOutcome = { results: SearchResult[]; missing: string[] };

/**
 * Searches the data sources that have one of these names or, where no source is named so, this label (domain decision
 * 22). Best results first; of texts that are given whole, in the order they were asked for.
 */
export async function searchDataSources(
  db: Db,
  sub_organization_id: number,
  { entries, question }: { entries: readonly string[]; question: string },
): Promise<SearchOutcome> {
  const sources = await findSources(db, sub_organization_id, entries);
  const found = new Set(sources.map(({ entry }) => entry));
  const missing = [...new Set(entries)].filter((entry) => !found.has(entry));
  const ids = [...new Set(sources.map(({ id }) => id))];
  const length = new Map(sources.map(({ id, characters }) => [id, characters]));
  const characters = length.values().reduce((sum, one) => sum + one, 0);

  if (characters <= WHOLE_CHARACTERS) return { results: await wholeTexts(db, ids), missing };
  for (const { id } of sources.filter(({ is_cut }) => !is_cut)) await cutOnce(db, id);
  return { results: await rankedChunks(db, ids, wordsOf(question)), missing };
}

type FoundSource = { entry: string; id: number; characters: number; is_cut: boolean };

async function findSources(
  db: Db,
  sub_organization_id: number,
  entries: readonly string[],
): Promise<FoundSource[]> {
  const { rows } = await sql<FoundSource>`
    with source as (
      select d.id, d.name, d.labels, length(d.text) as characters
      from data_sources d
      where d.sub_organization_id = ${sub_organization_id} and d.deleted_at is null
        and (d.name = any (${[...entries]}::text[]) or d.labels && ${[...entries]}::text[])
    )
    select entry, source.id, characters,
      exists (select from data_source_chunks c where c.data_source_id = source.id) as is_cut
    from unnest(${[...entries]}::text[]) with ordinality as given (entry, position)
    join source on source.name = entry
      or (entry = any (source.labels) and not exists (select from source named where named.name = entry))
    order by position, source.id`.execute(db);
  return rows;
}

async function wholeTexts(db: Db, ids: number[]): Promise<SearchResult[]> {
  const rows = await db
    .selectFrom("data_sources")
    .select(["id", "name as data_source", "text", sql<number>`1`.as("score")])
    .where("id", "in", ids.length > 0 ? ids : [-1])
    .execute();
  const byId = new Map(rows.map(({ id, ...result }) => [id, result]));
  return ids.flatMap((id) => byId.get(id) ?? []).filter(({ text }) => text !== "");
}

/** A word to look for: the question's `nth`, or one that it may have been meant to be; `weight` says how like it is. */
type Term = { nth: number; word: string; weight: number };

/**
 * The share of the question's words that a chunk holds, misspelt ones in part (0 to 1), and how much of it they are
 * (ts_rank, below 1). Indexes: data_source_chunks_words, the primary key.
 */
async function rankedChunks(db: Db, ids: number[], words: string[]): Promise<SearchResult[]> {
  if (words.length === 0) return [];
  const asked = await askedWords(db, ids, words);
  const terms = [...asked.filter(({ found }) => found).map(asTerm), ...(await corrected(db, ids, asked))];
  if (terms.length === 0) return [];
  // Letters and digits only, so that nothing in it is an operator.
  const any = terms.map(({ word }) => word).join(" | ");
  const { rows } = await sql<SearchResult>`
    with term as materialized (
      select nth, weight, to_tsquery('english', word) || to_tsquery('simple', word) as query
      from unnest(${terms.map(({ nth }) => nth)}::int[], ${terms.map(({ word }) => word)}::text[],
        ${terms.map(({ weight }) => weight)}::float8[]) as given (nth, word, weight)
    ), whole as materialized (
      select to_tsquery('english', ${any}) || to_tsquery('simple', ${any}) as query
    ), candidate as materialized (
      select data_source_id, position, text, words, ts_rank(words, query) as rank
      from data_source_chunks, whole
      where data_source_id = any (${ids}::bigint[]) and words @@ query
      order by rank desc, data_source_id, position
      limit ${CANDIDATES}::integer
    )
    select d.name as data_source, c.text, round((c.rank + (
      select sum(best) / ${asked.length}::integer
      from (select max(weight) as best from term where c.words @@ term.query group by nth) as matched
    ))::numeric, 4) as score
    from candidate c
    join data_sources d on d.id = c.data_source_id
    order by score desc, c.data_source_id, c.position
    limit ${MAX_RESULTS}::integer`.execute(db);
  return rows;
}

type AskedWord = { nth: number; word: string; found: boolean };

const asTerm = ({ nth, word }: AskedWord): Term => ({ nth, word, weight: 1 });

/** Words that English does not search for, such as "the", count only where there are no others. */
async function askedWords(db: Db, ids: number[], words: string[]): Promise<AskedWord[]> {
  const { rows } = await sql<AskedWord & { is_common: boolean }>`
    select nth, word, ts_lexize('english_stem', word) = '{}' as is_common, exists (
      select from data_source_chunks
      where data_source_id = any (${ids}::bigint[])
        and words @@ (to_tsquery('english', word) || to_tsquery('simple', word))) as found
    from unnest(${words}::text[]) with ordinality as given (word, nth)`.execute(db);
  const telling = rows.filter(({ is_common }) => !is_common);
  return telling.length > 0 ? telling : rows;
}

/**
 * What words that stand nowhere may have been meant to be: those of the sources that share most trigrams with them. None
 * where the database has no pg_trgm; that is asked each time, because it may be added to a database that runs.
 * Index: data_source_words_trigrams.
 */
async function corrected(db: Db, ids: number[], asked: AskedWord[]): Promise<Term[]> {
  const strange = asked.filter(({ found, word }) => !found && word.length >= SHORTEST_CORRECTED);
  if (strange.length === 0 || !(await hasTrigrams(db))) return [];
  const { rows } = await sql<Term>`
    select nth, alike.word, alike.weight
    from unnest(${strange.map(({ nth }) => nth)}::int[], ${strange.map(({ word }) => word)}::text[]) as given (nth, word)
    cross join lateral (
      select w.word, similarity(w.word, given.word) as weight
      from data_source_words w
      where w.data_source_id = any (${ids}::bigint[]) and w.word % given.word
        and similarity(w.word, given.word) >= ${ALIKE}
      group by w.word
      order by weight desc, w.word
      limit ${CORRECTIONS}::integer
    ) as alike`.execute(db);
  return rows;
}

const wordsOf = (question: string): string[] => [
  ...new Set(
    (question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .slice(0, MAX_WORDS)
      .map((word) => word.slice(0, MAX_WORD_CHARACTERS)),
  ),
];

async function hasTrigrams(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regprocedure('similarity(text, text)') is not null as there`.execute(db);
  return rows[0]?.there === true;
}

type Cut = { id: number; text: string; chunk: boolean; chunk_delimiter: string | null };

/** Puts the chunks of a text in the place of those the source had; in the transaction that stores the text. */
export async function storeChunks(tx: Tx, { id, text, chunk, chunk_delimiter }: Cut): Promise<void> {
  await dropChunks(tx, id);
  const chunks = chunksOf(text, chunk ? chunk_delimiter || null : null);
  if (chunks.length === 0) return;
  await sql`
    insert into data_source_chunks (data_source_id, position, text)
    select ${id}, part.position, part.text
    from unnest(${chunks}::text[]) with ordinality as part (text, position)`.execute(tx);
  // Letters and digits only, as in a question: no e-mail addresses or URLs, which are lexemes too.
  await sql`
    insert into data_source_words (data_source_id, word)
    select distinct ${id}::bigint, word
    from unnest(${chunks}::text[]) as part (text),
      unnest(tsvector_to_array(to_tsvector('simple', part.text))) as word
    where length(word) between ${SHORTEST_CORRECTED}::integer and ${MAX_WORD_CHARACTERS}::integer
      and word ~ '^[[:alnum:]]+$'`.execute(tx);
}

export async function dropChunks(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom("data_source_chunks").where("data_source_id", "=", id).execute();
  await tx.deleteFrom("data_source_words").where("data_source_id", "=", id).execute();
}

/** A source that was stored before there were chunks. Under its lock, so that two searches at once cut it once. */
const cutOnce = (db: Db, id: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const source = await tx
      .selectFrom("data_sources")
      .select(["id", "text", "chunk", "chunk_delimiter"])
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
    if (source && !cut) await storeChunks(tx, source);
  });
