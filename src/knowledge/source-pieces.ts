import { sql } from "kysely";
import { HANGUL, LETTERS_IN_A_ROW, SIGNS } from "../base/writing/scripts.ts";
import { dividedRun, isJapaneseGrammar } from "../base/writing/words.ts";
import type { Db } from "../db/database.ts";
import type { ChunkPlace } from "./source-vectors.ts";

/*
 * Chinese, Japanese and Thai put no blanks between words, and PostgreSQL takes a whole sentence for one word; Korean writes
 * particles and the parts of compounds on to theirs. What is asked in them is looked for in pieces, wherever these stand in a
 * text. Decision 0248.
 */

const PAIRED = `[${SIGNS}${HANGUL}]`;
/** Writing of which a word is no unit, as far as it goes. */
export const IN_PIECES = new RegExp(`${PAIRED}+|${LETTERS_IN_A_ROW}+`, "gv");
const IS_PAIRED = new RegExp(`^${PAIRED}`, "v");
/** A question asks for few things; a text pasted in its place is searched by how it begins. */
const MOST_PIECES = 24;

/** The different pieces of a question: each two signs that follow one another, and the words of scripts that are letters. */
export function piecesOf(question: string): string[] {
  const all = (question.match(IN_PIECES) ?? []).flatMap((run) =>
    IS_PAIRED.test(run) ? pairsOf([...run]) : dividedRun(run),
  );
  const telling = all.filter((piece) => !isJapaneseGrammar(piece));
  return [...new Set(telling.length > 0 ? telling : all)].slice(0, MOST_PIECES);
}

const pairsOf = (signs: string[]): string[] =>
  signs.length === 1 ? signs : signs.slice(1).map((sign, at) => `${signs[at]}${sign}`);

type RankedPart = ChunkPlace & { score: number };

/** The share of the question's pieces that a chunk holds, rare ones for more (0 to 1). No index: it reads the chunks. */
export async function chunksByPieces(
  db: Db,
  ids: number[],
  { pieces, limit }: { pieces: string[]; limit: number },
): Promise<RankedPart[]> {
  if (pieces.length === 0) return [];
  const { rows } = await sql<RankedPart>`
    with part as materialized (
      select data_source_id, position, coalesce(heading || ' ', '') || text as text
      from data_source_chunks where data_source_id = any (${ids}::bigint[])
    ), held as materialized (
      select data_source_id, position, piece from part
      join unnest(${pieces}::text[]) as piece on strpos(part.text, piece) > 0
    ), worth as (
      select piece, ln(1 + (whole.parts - count(held.position) + 0.5) / (count(held.position) + 0.5)) as worth
      from unnest(${pieces}::text[]) as piece left join held using (piece)
      cross join (select count(*) as parts from part) as whole
      group by piece, whole.parts
    )
    select data_source_id, position, round(sum(worth)::numeric / (select sum(worth)::numeric from worth), 4)::float8 as score
    from held join worth using (piece)
    group by data_source_id, position
    order by score desc, data_source_id, position
    limit ${limit}::integer`.execute(db);
  return rows;
}
