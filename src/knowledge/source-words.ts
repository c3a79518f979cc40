import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { IN_PIECES } from "./source-pieces.ts";
import type { ChunkPlace } from "./source-vectors.ts";
import { MAX_WORD_CHARACTERS, SHORTEST_CORRECTED } from "./stored-chunks.ts";

/** How many chunks the full-text rank puts forward, to be ranked by the share of words too. */
const CANDIDATES = 100;
/** A question asks for few things; a text pasted in its place is searched by how it begins. */
const MAX_WORDS = 24;
/** The share of trigrams from which a word counts as misspelt: "refunts" has 0.45 of "refunds". */
const ALIKE = 0.35;
const CORRECTIONS = 3;

export type RankedChunk = ChunkPlace & { score: number };

/** A word to look for: the question's `nth`, or one that it may have been meant to be; `weight` says how like it is. */
type Term = { nth: number; word: string; weight: number };

/**
 * The share of the question's words that a chunk holds, misspelt ones in part and rare ones for more (0 to 1), and how much
 * of it they are (ts_rank, below 1). Chunks with the rarest word are looked at first. Indexes: data_source_chunks_words,
 * the primary key.
 */
export async function chunksByWords(
  db: Db,
  ids: number[],
  { words, limit }: { words: string[]; limit: number },
): Promise<RankedChunk[]> {
  if (words.length === 0) return [];
  const asked = await askedWords(db, ids, words);
  const terms = [...asked.flatMap(termsOf), ...(await corrected(db, ids, asked))];
  if (terms.length === 0) return [];
  // Letters and digits only, so that nothing in it is an operator.
  const any = terms.map(({ word }) => word).join(" | ");
  const worth = new Map(asked.map((word) => [word.nth, word.worth]));
  const known = asked.filter(({ found }) => found).toSorted((a, b) => b.worth - a.worth);
  const rarest = known[0]?.word ?? any;
  const { rows } = await sql<RankedChunk>`
    with term as materialized (
      select nth, weight, to_tsquery('english', word) || to_tsquery('simple', word) as query
      from unnest(${terms.map(({ nth }) => nth)}::int[], ${terms.map(({ word }) => word)}::text[],
        ${terms.map(({ nth, weight }) => weight * (worth.get(nth) ?? 0))}::float8[]) as given (nth, word, weight)
    ), whole as materialized (
      select to_tsquery('english', ${any}) || to_tsquery('simple', ${any}) as query,
        to_tsquery('english', ${rarest}) || to_tsquery('simple', ${rarest}) as rarest
    ), candidate as materialized (
      select data_source_id, position, words, ts_rank(words, query) as rank
      from data_source_chunks, whole
      where data_source_id = any (${ids}::bigint[]) and words @@ query
      order by words @@ rarest desc, rank desc, data_source_id, position
      limit ${CANDIDATES}::integer
    )
    select c.data_source_id, c.position, round((c.rank + (
      select sum(best) / ${worth.values().reduce((sum, one) => sum + one, 0)}::float8
      from (select max(weight) as best from term where c.words @@ term.query group by nth) as matched
    ))::numeric, 4) as score
    from candidate c
    order by score desc, c.data_source_id, c.position
    limit ${limit}::integer`.execute(db);
  return rows;
}

type AskedWord = {
  nth: number;
  word: string;
  found: boolean;
  /** How much it tells: what stands in few parts tells more (the inverse document frequency of BM25). */
  worth: number;
};

/** The share of a word that one counts which begins with it: "Impfungen" and "Impfpass" of "Impfung" and "Impf". */
const BEGINS = 0.6;
const SHORTEST_BEGINNING = 5;

/** A word as it stands, and others that begin with it: only English is known by its forms. */
function termsOf({ nth, word, found }: AskedWord): Term[] {
  const whole = found ? [{ nth, word, weight: 1 }] : [];
  return word.length < SHORTEST_BEGINNING ? whole : [...whole, { nth, word: `${word}:*`, weight: BEGINS }];
}

/** Parts that are counted for one word; what stands in more is common enough. */
const MOST_COUNTED = 2_000;

/** Words that English does not search for, such as "the", count only where there are no others. */
async function askedWords(db: Db, ids: number[], words: string[]): Promise<AskedWord[]> {
  const { rows } = await sql<AskedWord & { is_common: boolean }>`
    with counted as (
      select nth, word, ts_lexize('english_stem', word) = '{}' as is_common, (
        select count(*) from (
          select from data_source_chunks
          where data_source_id = any (${ids}::bigint[])
            and words @@ (to_tsquery('english', word) || to_tsquery('simple', word))
          limit ${MOST_COUNTED}::integer
        ) as holding
      ) as parts
      from unnest(${words}::text[]) with ordinality as given (word, nth)
    ), whole as (
      select count(*) as parts from data_source_chunks where data_source_id = any (${ids}::bigint[])
    )
    select nth, word, is_common, counted.parts > 0 as found,
      ln(1 + (whole.parts - counted.parts + 0.5) / (counted.parts + 0.5))::float8 as worth
    from counted, whole`.execute(db);
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

/** The different words of a question, in lower case, but for those that are looked for in pieces. Vowels of Hindi and its kin are marks on the letters before them. */
export const wordsOf = (question: string): string[] => [
  ...new Set(
    (
      question
        .replace(IN_PIECES, " ")
        .toLowerCase()
        .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
    )
      .slice(0, MAX_WORDS)
      .map((word) => word.slice(0, MAX_WORD_CHARACTERS)),
  ),
];

async function hasTrigrams(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regprocedure('similarity(text, text)') is not null as there`.execute(db);
  return rows[0]?.there === true;
}
