import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { Kysely, PGliteDialect, sql } from "kysely";
import type { Db } from "../../src/db/database.ts";
import { readMigrations } from "../../src/db/migrate.ts";
import type { DB } from "../../src/db/types.ts";
import { packVector } from "../../src/knowledge/source-vectors.ts";

/**
 * PostgreSQL with pgvector, as WebAssembly in this process: the real extension, where no server has it. It has one
 * connection, so the store's statements run on it and the program does not. Migrated and empty.
 */
export async function openPgvector(): Promise<{ db: Db; close(): Promise<void> }> {
  const postgres = await PGlite.create({ extensions: { vector } });
  for (const { sql: text } of readMigrations()) await postgres.exec(text);
  const db = new Kysely<DB>({ dialect: new PGliteDialect({ pglite: postgres }) });
  // Sources stand for themselves here: what owns them is not looked at.
  await sql`set session_replication_role = replica`.execute(db);
  return { db, close: () => db.destroy() };
}

/** Parts with these vectors, at the positions from 1 on. */
export async function storeParts(
  db: Db,
  { source, model, vectors }: { source: number; model: string; vectors: readonly (readonly number[])[] },
): Promise<void> {
  const SLICE = 500;
  for (let from = 0; from < vectors.length; from += SLICE)
    await sql`
      insert into data_source_chunks (data_source_id, position, text, embedding, embedding_model)
      select ${source}::bigint, ${from}::integer + n, 'part', embedding, ${model}
      from unnest(${vectors.slice(from, from + SLICE).map(packVector)}::bytea[]) with ordinality as part (embedding, n)`.execute(
      db,
    );
}

/** Texts of a few subjects, as embeddings have them: each vector lies around the centre of its subject. */
export function clusteredVectors(given: {
  count: number;
  dimensions: number;
  subjects: number;
  seed: number;
}): number[][] {
  let state = given.seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const vector = () => Array.from({ length: given.dimensions }, random);
  const centres = Array.from({ length: given.subjects }, vector);
  return Array.from({ length: given.count }, (_, n) => {
    const centre = centres[n % centres.length] as number[];
    return centre.map((part) => part + 1.2 * random());
  });
}
