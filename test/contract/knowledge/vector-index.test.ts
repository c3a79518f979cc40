import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Db } from "../../../src/db/database.ts";
import { comparedChunks, MOST_COMPARED } from "../../../src/knowledge/source-vectors.ts";
import {
  closestChunks,
  INDEX_LOCK,
  indexedChunks,
  indexVectors,
  vectorSearchOf,
  vectorSearchText,
} from "../../../src/knowledge/vector-index.ts";
import { createTestApp } from "../../harness/app.ts";
import { clusteredVectors, openPgvector, storeParts } from "../../harness/pgvector.ts";

const MODEL = 'openai/it\'s a "model"';
const DIMENSIONS = 32;
const LARGE = 1;
const SMALL = 2;
const clustered = (count: number, seed: number) =>
  clusteredVectors({ count, dimensions: DIMENSIONS, subjects: 20, seed });
const VECTORS = clustered(MOST_COMPARED + 500, 1);
const QUESTIONS = clustered(20, 2);

let db: Db;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openPgvector());
  await storeParts(db, { source: LARGE, model: MODEL, vectors: VECTORS });
  await storeParts(db, { source: SMALL, model: MODEL, vectors: clustered(40, 3) });
});
afterAll(() => close());

const indexes = async () => {
  const { rows } = await sql<{ indexdef: string }>`
    select indexdef from pg_indexes where tablename = 'data_source_chunks' and indexdef like '%hnsw%'`.execute(
    db,
  );
  return rows.map(({ indexdef }) => indexdef);
};
const wanted = (vector: number[]) => ({ model: MODEL, vector, limit: 10 });
const exact = (vector: number[]): number[] => {
  const cosine = (a: number[], b: number[]) => {
    const dot = (x: number[], y: number[]) => x.reduce((sum, part, at) => sum + part * (y[at] as number), 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  };
  return VECTORS.map((other, at) => ({ position: at + 1, close: cosine(vector, other) }))
    .toSorted((a, b) => b.close - a.close)
    .slice(0, 10)
    .map(({ position }) => position);
};

test("a database without the extension is searched by the program, and the reason is told", async () => {
  const app = await createTestApp();
  const search = await vectorSearchOf(app.db);
  expect(vectorSearchText(search)).toBe(
    "Searches by meaning compare up to 4,000 parts in the program: the database server does not have pgvector.",
  );
  expect(await indexVectors(app.db, MODEL)).toMatchObject({ by: "program" });
  expect(await indexedChunks(app.db, [LARGE], wanted(QUESTIONS[0] as number[]))).toBeNull();
});

test("while one run makes an index, another leaves it alone, and does not drop it as one that was broken off", async () => {
  const app = await createTestApp();
  await app.db.connection().execute(async (other) => {
    await sql`select pg_advisory_lock(${INDEX_LOCK})`.execute(other);
    expect(await indexVectors(app.db, MODEL)).toBeNull();
    await sql`select pg_advisory_unlock(${INDEX_LOCK})`.execute(other);
  });
  expect(await indexVectors(app.db, MODEL)).not.toBeNull();
});

test("before there is an index, the search compares, as without the extension", async () => {
  const [question = []] = QUESTIONS;
  expect(await indexedChunks(db, [LARGE], wanted(question))).toBeNull();
  expect(await closestChunks(db, [LARGE], wanted(question))).toEqual(
    await comparedChunks(db, [LARGE], wanted(question)),
  );
});

test("a database that has it gets an index of the model's vectors, once", async () => {
  expect(await indexVectors(db, MODEL)).toMatchObject({
    by: "pgvector",
    version: expect.stringMatching(/^0\.[89]/),
  });
  const made = await indexes();
  expect(made).toHaveLength(1);
  await indexVectors(db, MODEL);
  expect(await indexes()).toEqual(made);
});

test("what is closest is found beyond the parts that can be compared: 95 % of the true ten, in order", async () => {
  let found = 0;
  let beyond = 0;
  for (const question of QUESTIONS) {
    const truth = new Set(exact(question));
    const places = await indexedChunks(db, [LARGE], wanted(question));
    expect(places).toHaveLength(10);
    for (const { position } of places ?? []) {
      if (truth.has(position)) found++;
      if (position > MOST_COMPARED) beyond++;
    }
    expect(places?.[0]?.position).toBe(exact(question)[0]);
  }
  expect(found).toBeGreaterThanOrEqual(0.95 * 10 * QUESTIONS.length);
  expect(beyond).toBeGreaterThan(0);
});

test("nothing of a source that was not asked is found", async () => {
  for (const vector of QUESTIONS) {
    const places = await closestChunks(db, [LARGE], wanted(vector));
    expect(new Set(places.map(({ data_source_id }) => data_source_id))).toEqual(new Set([LARGE]));
    const small = await closestChunks(db, [SMALL], wanted(vector));
    expect(new Set(small.map(({ data_source_id }) => data_source_id))).toEqual(new Set([SMALL]));
    expect(small).toEqual(await comparedChunks(db, [SMALL], wanted(vector)));
  }
});

test("a part that is stored or deleted later is found or not at once", async () => {
  const [question = []] = QUESTIONS;
  await sql`
    update data_source_chunks set position = 9000
    where data_source_id = ${LARGE} and position = ${exact(question)[0]}`.execute(db);
  expect((await indexedChunks(db, [LARGE], wanted(question)))?.[0]).toEqual({
    data_source_id: LARGE,
    position: 9000,
  });
  await sql`update data_source_chunks set position = -9000 where position = 9000`.execute(db);
  const positions = (await indexedChunks(db, [LARGE], wanted(question)))?.map(({ position }) => position);
  expect(positions?.[0]).toBe(exact(question)[1]);
  await sql`update data_source_chunks set position = ${exact(question)[0]} where position = -9000`.execute(
    db,
  );
});

test("the index of another model is dropped, and that of this one made when there is enough for it", async () => {
  await indexVectors(db, "another/model");
  expect(await indexes()).toEqual([]);
  expect(await closestChunks(db, [LARGE], wanted(QUESTIONS[0] as number[]))).toHaveLength(10);
});

test("without the extension that was there, the search compares again", async () => {
  await indexVectors(db, MODEL);
  expect(await indexes()).toHaveLength(1);
  await sql`drop extension vector cascade`.execute(db);
  expect(await indexes()).toEqual([]);
  const [question = []] = QUESTIONS;
  expect(await closestChunks(db, [LARGE], wanted(question))).toEqual(
    await comparedChunks(db, [LARGE], wanted(question)),
  );
});
