import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { silentLog } from "../src/base/log.ts";
import { type Db, openDatabase } from "../src/db/database.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { type ChunkPlace, comparedChunks } from "../src/knowledge/source-vectors.ts";
import { indexedChunks, indexVectors } from "../src/knowledge/vector-index.ts";
import { clusteredVectors, openPgvector, storeParts } from "../test/harness/pgvector.ts";
import { markdownTable, print } from "./platform.ts";

/**
 * Searches by meaning: pgvector's index against vectors compared one by one. Recall is how many of the true closest (all
 * compared, unrounded) are found. Vectors are made up, in clusters as texts of some subjects are. The comparison runs on the embedded
 * PostgreSQL, pgvector as WebAssembly in this process, which a server of yours beats.
 * Run: node bench/vectors.ts [vectors=20000] [dimensions=1536]
 */
const [count = 20_000, dimensions = 1_536] = process.argv.slice(2).map(Number);
const MODEL = "bench/model";
const ASKED = 50;
const LIMIT = 30;
const SUBJECTS = 200;
/** The third source has these subjects to itself; of the others the first has twice as much as the second. */
const OWN_SUBJECTS = 50;
const sourceOf = (at: number): number => {
  if (at % SUBJECTS < OWN_SUBJECTS) return 3;
  return Math.floor(at / SUBJECTS) % 3 === 0 ? 2 : 1;
};
type Asking = { what: string; ids: number[] };
/** No question is about the third source's subjects. */
const ASKING: Asking[] = [
  { what: "all", ids: [1, 2, 3] },
  { what: "one, of its subjects", ids: [2] },
  { what: "one, of other subjects", ids: [3] },
];

const vectors = clusteredVectors({ count, dimensions, subjects: SUBJECTS, seed: 1 });
const sources = new Map(
  [1, 2, 3].map((source) => [source, vectors.filter((_, at) => sourceOf(at) === source)]),
);
const questions = vectors.slice(OWN_SUBJECTS, OWN_SUBJECTS + ASKED).map((near, n) => {
  const noise = clusteredVectors({ count: 1, dimensions, subjects: 1, seed: n + 7 })[0] ?? [];
  return near.map((part, at) => part + (noise[at] ?? 0));
});

const length = (vector: number[]) => Math.sqrt(vector.reduce((sum, part) => sum + part * part, 0));
function truth(question: number[], asked: number[]): string[] {
  const close: { key: string; close: number }[] = [];
  for (const source of asked)
    for (const [at, vector] of (sources.get(source) ?? []).entries()) {
      let dot = 0;
      for (let i = 0; i < dimensions; i++) dot += (question[i] as number) * (vector[i] as number);
      close.push({ key: `${source}/${at + 1}`, close: dot / length(vector) });
    }
  return close
    .toSorted((a, b) => b.close - a.close)
    .slice(0, LIMIT)
    .map(({ key }) => key);
}

type Search = (db: Db, ids: number[], question: number[]) => Promise<ChunkPlace[] | null>;
const wanted = (vector: number[]) => ({ model: MODEL, vector, limit: LIMIT });
const compare: Search = (db, ids, question) => comparedChunks(db, ids, wanted(question));
const byIndex: Search = (db, ids, question) => indexedChunks(db, ids, wanted(question));

const truths = new Map(ASKING.map(({ ids }) => [ids, questions.map((question) => truth(question, ids))]));
const rows: string[][] = [];
async function measure(how: string, db: Db, { what, ids }: Asking, search: Search): Promise<void> {
  for (const question of questions.slice(0, 5)) await search(db, ids, question);
  const times: number[] = [];
  const hits = new Map([6, LIMIT].map((depth) => [depth, 0]));
  let short = 0;
  for (const [n, question] of questions.entries()) {
    const began = performance.now();
    const found = await search(db, ids, question);
    times.push(performance.now() - began);
    if (found === null) short++;
    const keys = (found ?? []).map(({ data_source_id, position }) => `${data_source_id}/${position}`);
    for (const depth of hits.keys()) {
      const best = new Set(truths.get(ids)?.[n]?.slice(0, depth));
      hits.set(depth, (hits.get(depth) ?? 0) + keys.slice(0, depth).filter((key) => best.has(key)).length);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] as number).toFixed(1);
  const parts = ids.reduce((sum, id) => sum + (sources.get(id)?.length ?? 0), 0);
  const recall = [...hits].map(([depth, hit]) => `${((100 * hit) / (depth * ASKED)).toFixed(1)} %`);
  rows.push([how, what, parts.toLocaleString("en-US"), ...recall, at(0.5), at(0.95), String(short)]);
}

const fill = async (db: Db) => {
  for (const [source, own] of sources) await storeParts(db, { source, model: MODEL, vectors: own });
};

const folder = mkdtempSync(path.join(tmpdir(), "parley-vectors-"));
const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, "postgres"), log: silentLog });
await migrate(postgres.connection);
// Sources stand for themselves here: what owns them is not looked at.
const database = openDatabase({ ...postgres.connection, options: "-c session_replication_role=replica" });
await fill(database.db);
for (const asked of ASKING) await measure("compared, the first 4,000", database.db, asked, compare);
await database.close();
await postgres.stop();
rmSync(folder, { recursive: true, force: true });

const { db, close } = await openPgvector();
await fill(db);
const began = performance.now();
const made = await indexVectors(db, MODEL);
if (!made) throw new Error("another run makes the index");
const seconds = Math.round((performance.now() - began) / 1000);
for (const asked of ASKING) await measure("pgvector", db, asked, byIndex);
await close();

print(
  `${count.toLocaleString("en-US")} vectors of ${dimensions} dimensions; ${made.by === "pgvector" ? `pgvector ${made.version}` : made.why}; the index took ${seconds} s`,
);
print(
  markdownTable(
    ["search", "sources asked", "parts", "recall@6", `recall@${LIMIT}`, "p50 ms", "p95 ms", "too few found"],
    rows,
  ),
);
