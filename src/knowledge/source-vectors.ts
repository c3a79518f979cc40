import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** A part of a data source by its place. */
export type ChunkPlace = { data_source_id: number; position: number };

/**
 * Parts whose vectors one search compares: 4,000 of 1,536 dimensions are 6 MB and 15 ms. Of larger sources, what lies
 * beyond is found by an index where the database has one (vector-index.ts), else by its words only.
 */
export const MOST_COMPARED = 4_000;
const SLICE = 250;

/**
 * A vector as it is stored: a signed byte for each dimension, relative to the largest. A cosine doesn't ask how long a
 * vector is, and rounding moves it by less than texts of like meaning differ; as `real` it would be four times as large.
 */
export function packVector(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, part) => Math.max(most, Math.abs(part)), 0);
  return Buffer.from(Int8Array.from(vector, (part) => Math.round((part / largest) * 127)).buffer);
}

/**
 * The cosine of the angle between two packed vectors of one length: 1 alike, 0 unrelated, -1 opposite. In whole numbers,
 * which hold 16,384 dimensions and take half the time: 4 µs for 1,536.
 */
export function closeness(a: Buffer, b: Buffer): number {
  const left = bytesOf(a);
  const right = bytesOf(b);
  let product = 0;
  let leftSquare = 0;
  let rightSquare = 0;
  for (let at = 0; at < left.length; at++) {
    const x = left[at] as number;
    const y = right[at] as number;
    product = (product + Math.imul(x, y)) | 0;
    leftSquare = (leftSquare + Math.imul(x, x)) | 0;
    rightSquare = (rightSquare + Math.imul(y, y)) | 0;
  }
  return product / Math.sqrt(leftSquare * rightSquare);
}

const bytesOf = (packed: Buffer) => new Int8Array(packed.buffer, packed.byteOffset, packed.length);

/** `limit`: how many are wanted at the most. */
export type ClosestWanted = { model: string; vector: readonly number[]; limit: number };

/** The parts of these sources whose vectors are closest to one of the same model, closest first; each is compared. */
export async function comparedChunks(
  db: Db,
  ids: number[],
  { model, vector, limit }: ClosestWanted,
): Promise<ChunkPlace[]> {
  const asked = packVector(vector);
  const { rows } = await sql<ChunkPlace & { embedding: Buffer }>`
    select data_source_id, position, embedding
    from data_source_chunks
    where data_source_id = any (${ids}::bigint[]) and embedding_model = ${model}
      and octet_length(embedding) = ${asked.length}::integer
    order by data_source_id, position
    limit ${MOST_COMPARED}::integer`.execute(db);
  const compared: { place: ChunkPlace; close: number }[] = [];
  for (const [index, { embedding, ...place }] of rows.entries()) {
    compared.push({ place, close: closeness(asked, embedding) });
    // Calls are spoken by this process too: nobody waits for more than a slice.
    if (index % SLICE === SLICE - 1) await setImmediate();
  }
  return compared
    .toSorted((a, b) => b.close - a.close)
    .slice(0, limit)
    .map(({ place }) => place);
}
