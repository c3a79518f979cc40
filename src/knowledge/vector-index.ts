import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { alone } from "../db/alone.ts";
import { type Db, isDatabaseError } from "../db/database.ts";
import {
  type ChunkPlace,
  type ClosestWanted,
  comparedChunks,
  MOST_COMPARED,
  packVector,
} from "./source-vectors.ts";

/*
 * Where the database has pgvector, an HNSW index finds what is close in meaning among more parts than can be compared one by
 * one. The index is of the packed vectors themselves, by a function that unpacks them: there is no second copy to keep in
 * step, no table or column that a database without the extension would lack, and dropping the extension drops both. Whether
 * there is an index is asked at each search, so it may come and go while programs run. Decision 0217.
 */

/** Since 0.8.0 a scan goes on until enough of what it finds belongs to the sources asked. */
const LEAST_VERSION = [0, 8];
/** pgvector indexes no more of them at half precision. */
const MOST_DIMENSIONS = 4_000;
const PREFIX = "data_source_chunks_near_";
const UNPACK = "parley_unpack_vector";

/** What vectors are searched by; `why`: what keeps pgvector from it. */
export type VectorSearch =
  | { by: "pgvector"; version: string; schema: string }
  | { by: "program"; why: string };

/** For the log of a start. */
export const vectorSearchText = (search: VectorSearch): string =>
  search.by === "pgvector"
    ? `Searches by meaning use pgvector ${search.version}.`
    : `Searches by meaning compare up to ${MOST_COMPARED.toLocaleString("en-US")} parts in the program: ${search.why}.`;

/** Makes the extension where the server has it and this user may. Never rejects for what the database refuses. */
export async function vectorSearchOf(db: Db): Promise<VectorSearch> {
  const found = await installedVersion(db);
  if (found) return found;
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(db);
  if (rows.length === 0) return { by: "program", why: "the database server does not have pgvector" };
  try {
    await sql`create extension if not exists vector`.execute(db);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    return {
      by: "program",
      why: `pgvector is there, but this user may not create it (${(error as Error).message}): run "create extension vector" as an administrator`,
    };
  }
  return (await installedVersion(db)) ?? { by: "program", why: "pgvector was not created" };
}

async function installedVersion(db: Db): Promise<VectorSearch | null> {
  const { rows } = await sql<{ version: string; schema: string }>`
    select e.extversion as version, n.nspname as schema
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'vector'`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const [major = 0, minor = 0] = row.version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_VERSION;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? { by: "pgvector", ...row }
    : {
        by: "program",
        why: `pgvector is ${row.version}; update the extension to ${LEAST_VERSION.join(".")} or later`,
      };
}

/** Names the lock that one run holds; PostgreSQL gives it back when the process dies. */
export const INDEX_LOCK = 7_315_520_217n;

/**
 * Makes the index of this model's vectors once there are more than one search compares, and drops those of other models. Not
 * in a transaction: an index that is made while others write can't be. One that was broken off is made anew; null where
 * another run is at work, whose index is no such one, though it is not valid yet.
 */
export const indexVectors = (db: Db, model: string): Promise<VectorSearch | null> =>
  alone(db, sql`${INDEX_LOCK}`, (connection) => indexAlone(connection, model));

async function indexAlone(db: Db, model: string): Promise<VectorSearch> {
  const search = await vectorSearchOf(db);
  if (search.by === "program") return search;
  const dimensions = await dimensionsToIndex(db, model);
  const wanted = dimensions === null ? null : indexName(model, dimensions);
  const { rows } = await sql<{ name: string; is_valid: boolean }>`
    select c.relname as name, i.indisvalid as is_valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'data_source_chunks'::regclass and starts_with(c.relname, ${PREFIX})`.execute(db);
  for (const { name, is_valid } of rows)
    if (name !== wanted || !is_valid)
      await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db);
  const isThere = rows.some(({ name, is_valid }) => name === wanted && is_valid);
  if (wanted !== null && dimensions !== null && !isThere)
    await createIndex(db, { search, model, dimensions });
  return search;
}

/** null: too few vectors to need an index, or too many dimensions to have one. Index: data_source_chunks_model. */
async function dimensionsToIndex(db: Db, model: string): Promise<number | null> {
  const { rows } = await sql<{ dimensions: number }>`
    select octet_length(embedding) as dimensions, count(*) as parts
    from (
      select embedding from data_source_chunks where embedding_model = ${model} limit ${MOST_COMPARED + 1}::integer
    ) as counted
    group by 1 having count(*) > ${MOST_COMPARED}::integer`.execute(db);
  const dimensions = rows[0]?.dimensions ?? null;
  return dimensions !== null && dimensions <= MOST_DIMENSIONS ? dimensions : null;
}

const indexName = (model: string, dimensions: number): string =>
  PREFIX + createHash("sha256").update(`${model} ${dimensions}`).digest("hex").slice(0, 12);

async function createIndex(
  db: Db,
  given: { search: { schema: string }; model: string; dimensions: number },
): Promise<void> {
  const { search, model, dimensions } = given;
  const halfvec = sql.id(search.schema, "halfvec");
  // The schema is named, since PostgreSQL makes an index with no search path.
  await sql`
    create or replace function ${sql.id(UNPACK)}(packed bytea) returns ${halfvec}
    language sql immutable strict parallel safe as $$
      select array(
        select (get_byte(packed, at) + 128) % 256 - 128 from generate_series(0, octet_length(packed) - 1) as at
      )::${halfvec}
    $$`.execute(db);
  await sql`
    create index concurrently ${sql.id(indexName(model, dimensions))} on data_source_chunks
    using hnsw ((${unpacked(search.schema, dimensions)}) ${sql.id(search.schema, "halfvec_cosine_ops")})
    where ${ofModel(model, dimensions)}`.execute(db);
}

/** As the index has it, letter for letter: a statement that says it otherwise does not use the index. */
const unpacked = (schema: string, dimensions: number): RawBuilder<unknown> =>
  sql`${sql.id(UNPACK)}(embedding)::${sql.id(schema, "halfvec")}(${sql.lit(dimensions)})`;

/** With values in the text: a plan that is made for any value can't use an index of one. Parts being replaced are below 0. */
const ofModel = (model: string, dimensions: number): RawBuilder<boolean> =>
  sql`embedding_model = ${sql.lit(model)} and octet_length(embedding) = ${sql.lit(dimensions)} and position > 0`;

/** The parts of these sources whose vectors are closest to one of the same model, closest first. */
export async function closestChunks(db: Db, ids: number[], wanted: ClosestWanted): Promise<ChunkPlace[]> {
  return (await indexedChunks(db, ids, wanted)) ?? (await comparedChunks(db, ids, wanted));
}

/**
 * By the index; null where there is none, where all can be compared, and where it found fewer than are wanted, as of a source
 * that is small beside all others.
 */
export async function indexedChunks(
  db: Db,
  ids: number[],
  { model, vector, limit }: ClosestWanted,
): Promise<ChunkPlace[] | null> {
  const schema = await schemaOfIndex(db, ids, { model, dimensions: vector.length });
  if (schema === null) return null;
  const packed = packVector(vector);
  const asked = `[${new Int8Array(packed.buffer, packed.byteOffset, packed.length).join(",")}]`;
  const dimensions = vector.length;
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`
        select set_config(name, value, true)
        from unnest(${Object.keys(SCAN)}::text[], ${Object.values(SCAN)}::text[]) as setting (name, value)`.execute(
        tx,
      );
      const distance = sql`${unpacked(schema, dimensions)} operator(${sql.id(schema)}.<=>)
        ${asked}::${sql.id(schema, "halfvec")}(${sql.lit(dimensions)})`;
      const { rows } = await sql<ChunkPlace>`
        with closest as materialized (
          select data_source_id, position, ${distance} as distance
          from data_source_chunks
          where data_source_id = any (${ids}::bigint[]) and ${ofModel(model, dimensions)}
          order by ${distance}
          limit ${limit}::integer
        )
        select data_source_id, position from closest order by distance`.execute(tx);
      return rows.length < limit ? null : rows;
    });
  } catch (error) {
    // The extension may have been dropped a moment ago.
    if (isDatabaseError(error)) return null;
    throw error;
  }
}

/**
 * `iterative_scan`: goes on until enough are of the sources asked, through `max_scan_tuples` vectors at the most; "relaxed"
 * keeps what a later round finds closer than an earlier one did, and is sorted afterwards. Sorting is discouraged because the
 * planner takes unpacking for cheap and would rather unpack all and sort.
 */
const SCAN = {
  "hnsw.iterative_scan": "relaxed_order",
  "hnsw.ef_search": "200",
  "hnsw.max_scan_tuples": "40000",
  enable_sort: "off",
};

/** Of pgvector, where the index stands and there are more parts than can be compared. Index: data_source_chunks_model. */
async function schemaOfIndex(
  db: Db,
  ids: number[],
  { model, dimensions }: { model: string; dimensions: number },
): Promise<string | null> {
  const { rows } = await sql<{ schema: string }>`
    select n.nspname as schema
    from pg_index i
    cross join pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where i.indexrelid = to_regclass(${indexName(model, dimensions)}) and i.indisvalid and e.extname = 'vector'
      and (
        select count(*) from (
          select from data_source_chunks
          where data_source_id = any (${ids}::bigint[]) and embedding_model = ${model}
          limit ${MOST_COMPARED + 1}::integer
        ) as counted
      ) > ${MOST_COMPARED}::integer`.execute(db);
  return rows[0]?.schema ?? null;
}
