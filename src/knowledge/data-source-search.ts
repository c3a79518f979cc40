import { sql } from "kysely";
import { PublicError } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Embedder } from "../llm/embedder.ts";
import { chunksByPieces, piecesOf } from "./source-pieces.ts";
import type { ChunkPlace } from "./source-vectors.ts";
import { chunksByWords, type RankedChunk, wordsOf } from "./source-words.ts";
import { cutOnce } from "./stored-chunks.ts";
import { closestChunks } from "./vector-index.ts";

/** Sources that are no longer than this together are given whole: a model finds more in a text than a search does. */
const WHOLE_CHARACTERS = 24_000;
const MAX_RESULTS = 6;
/** How far down a chunk may stand by words or by meaning and still be a result for the other. */
const FUSED = 30;
/** Of reciprocal rank fusion, as its authors measured it: being first in one order doesn't drown the other. */
const FUSION = 60;
/** A person waits for the answer. */
const EMBED_MS = 3_000;
/** Models read no more; a text pasted in place of a question is searched by how it begins. */
const MAX_QUESTION = 2_000;

/** `source`: the document and the place in it, as an answer may name them: "prices.pdf, page 3". */
type SearchResult = { data_source: string; source?: string; text: string; score: number };
/** `missing`: entries that name no source and no label. */
type SearchOutcome = { results: SearchResult[]; missing: string[] };

/**
 * How a question was turned into a vector; `problem`: why it was not, so that the search went by words alone. `tokens`
 * null: nobody counted.
 */
export type Embedded = { model: string; duration_ms: number; tokens: number | null; problem: string | null };

/**
 * Searches the data sources that have one of these names or, where no source is named so, this label. Best results
 * first; of texts that are given whole, in the order they were asked for. With an embedder, by meaning too; it may fail.
 * `embedded` null: it was not asked.
 */
export async function searchDataSources(
  db: Db,
  sub_organization_id: number,
  given: { entries: readonly string[]; question: string; embedder?: Embedder | null; signal?: AbortSignal },
): Promise<SearchOutcome & { embedded: Embedded | null; is_whole: boolean }> {
  const { entries, question, embedder = null } = given;
  const sources = await findSources(db, sub_organization_id, entries);
  const found = new Set(sources.map(({ entry }) => entry));
  const missing = [...new Set(entries)].filter((entry) => !found.has(entry));
  const ids = [...new Set(sources.map(({ id }) => id))];
  const length = new Map(sources.map(({ id, characters }) => [id, characters]));
  const characters = length.values().reduce((sum, one) => sum + one, 0);

  if (characters <= WHOLE_CHARACTERS) {
    return { results: await wholeTexts(db, ids), missing, embedded: null, is_whole: true };
  }
  for (const { id } of sources.filter(({ is_cut }) => !is_cut)) await cutOnce(db, id);
  const [words, pieces] = [wordsOf(question), piecesOf(question)];
  const asking =
    words.length + pieces.length > 0 && embedder ? embedQuestion(embedder, question, given.signal) : null;
  const orders = [
    await chunksByWords(db, ids, { words, limit: FUSED }),
    await chunksByPieces(db, ids, { pieces, limit: FUSED }),
  ].filter((order) => order.length > 0);
  const byWords = orders.length > 1 ? fused(...orders) : (orders[0] ?? []);
  const asked = await asking;
  const ranked = asked?.vector
    ? fused(byWords, await closestChunks(db, ids, { model: asked.model, vector: asked.vector, limit: FUSED }))
    : byWords;
  const results = await withTexts(db, ranked.slice(0, MAX_RESULTS));
  return { results, missing, embedded: asked && embeddedOf(asked), is_whole: false };
}

type Asked = Embedded & { vector: number[] | null };

const embeddedOf = ({ vector: _, ...embedded }: Asked): Embedded => embedded;

/** Never rejects: a search goes by words where there is no vector. */
async function embedQuestion(
  { model, embed }: Embedder,
  question: string,
  signal = new AbortController().signal,
): Promise<Asked> {
  const began = performance.now();
  const took = () => ({ model, duration_ms: performance.now() - began });
  try {
    const text = question.slice(0, MAX_QUESTION).toWellFormed();
    const { vectors, tokens } = await embed([text], { purpose: "question", timeout_ms: EMBED_MS, signal });
    return { ...took(), tokens, problem: null, vector: vectors[0] ?? null };
  } catch (error) {
    const problem =
      error instanceof PublicError ? error.message : "The embeddings failed by a fault of ours.";
    return { ...took(), tokens: null, problem, vector: null };
  }
}

/** Both orders in one by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009); 1: first in both. */
export function fused(...orders: readonly (readonly ChunkPlace[])[]): RankedChunk[] {
  const chunks = new Map<string, RankedChunk>();
  for (const order of orders) {
    for (const [index, { data_source_id, position }] of order.entries()) {
      const key = `${data_source_id}/${position}`;
      const chunk = chunks.get(key) ?? { data_source_id, position, score: 0 };
      chunk.score += (FUSION + 1) / (FUSION + 1 + index) / orders.length;
      chunks.set(key, chunk);
    }
  }
  return [...chunks.values()].toSorted((a, b) => b.score - a.score);
}

type FoundSource = { entry: string; id: number; characters: number; is_cut: boolean };

async function findSources(
  db: Db,
  sub_organization_id: number,
  entries: readonly string[],
): Promise<FoundSource[]> {
  const { rows } = await sql<FoundSource>`
    with source as (
      select d.id, d.name, d.labels, d.text = '' as is_empty, length(d.text) + coalesce((
        select sum(characters) from data_source_documents where data_source_id = d.id), 0)::integer as characters
      from data_sources d
      where d.sub_organization_id = ${sub_organization_id} and d.deleted_at is null
        and (d.name = any (${[...entries]}::text[]) or d.labels && ${[...entries]}::text[])
    )
    select entry, source.id, characters,
      source.is_empty or exists (
        select from data_source_chunks c where c.data_source_id = source.id and c.document_id is null) as is_cut
    from unnest(${[...entries]}::text[]) with ordinality as given (entry, position)
    join source on source.name = entry
      or (entry = any (source.labels) and not exists (select from source named where named.name = entry))
    order by position, source.id`.execute(db);
  return rows;
}

/** Texts as they stand, and behind each the parts of its documents, in order. */
async function wholeTexts(db: Db, ids: number[]): Promise<SearchResult[]> {
  const { rows } = await sql<FoundPart>`
    select d.name as data_source, part.text, part.document, part.title, part.page, part.heading
    from unnest(${ids}::bigint[]) with ordinality as asked (id, nth)
    join data_sources d on d.id = asked.id
    cross join lateral (
      select -1 as slot, 0 as position, d.text, null as document, null as title, null::integer as page, null as heading
      union all
      select o.slot, c.position, c.text, o.name, o.title, c.page, c.heading
      from data_source_documents o join data_source_chunks c on c.document_id = o.id
      where o.data_source_id = d.id
    ) as part
    where part.text <> ''
    order by asked.nth, part.slot, part.position`.execute(db);
  return rows.map((row) => resultOf(row, 1));
}

/** Index: the primary keys. */
async function withTexts(db: Db, ranked: RankedChunk[]): Promise<SearchResult[]> {
  const { rows } = await sql<FoundPart & { nth: number }>`
    select place.nth, d.name as data_source, c.text, o.name as document, o.title, c.page, c.heading
    from unnest(${ranked.map(({ data_source_id }) => data_source_id)}::bigint[],
      ${ranked.map(({ position }) => position)}::int[]) with ordinality as place (data_source_id, position, nth)
    join data_source_chunks c using (data_source_id, position)
    join data_sources d on d.id = c.data_source_id
    left join data_source_documents o on o.id = c.document_id
    order by place.nth`.execute(db);
  return rows.map((row) => resultOf(row, Math.round((ranked[row.nth - 1]?.score ?? 0) * 10_000) / 10_000));
}

type FoundPart = {
  data_source: string;
  text: string;
  document: string | null;
  title: string | null;
  page: number | null;
  heading: string | null;
};

function resultOf(part: FoundPart, score: number): SearchResult {
  const { data_source, text, document, title, page, heading } = part;
  if (document === null) return { data_source, text, score };
  // The document is named already; its title says the same again.
  const within = heading?.startsWith(`${title} › `) ? heading.slice(`${title} › `.length) : heading;
  const place = page === null ? within : `page ${page}`;
  return { data_source, source: place === null ? document : `${document}, ${place}`, text, score };
}
