import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import type { JobContext } from "../src/jobs/define-job.ts";
import { searchDataSources } from "../src/knowledge/data-source-search.ts";
import { closestChunks } from "../src/knowledge/vector-index.ts";
import type { Embedder } from "../src/llm/embedder.ts";
import { multipart } from "../test/harness/form.ts";
import { type LabelledQuestion, QUESTIONS } from "./knowledge/questions.ts";
import { markdownTable, print, startPlatform } from "./platform.ts";

/**
 * How often a search finds the part that answers a question: recall at 1, 3 and 5 over the questions of bench/knowledge, whose
 * documents are uploaded to one data source over real HTTP. By words; and with EMBEDDING_MODEL, OPENAI_API_KEY and,
 * for a server of your own, OPENAI_BASE_URL in the environment, by meaning and by both. Without them, as after a first start, there is nothing to search meanings by.
 * Run: node bench/knowledge.ts [--missed]
 */
const FOLDER = path.join(import.meta.dirname, "knowledge");
const DEPTHS = [1, 3, 5];

const { EMBEDDING_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
const openai = OPENAI_API_KEY && {
  api_key: OPENAI_API_KEY,
  ...(OPENAI_BASE_URL && { base_url: OPENAI_BASE_URL }),
};
const platform = await startPlatform(
  openai ? { llmProviders: { openai } } : {},
  EMBEDDING_MODEL ? { EMBEDDING_MODEL } : {},
);
const { api, engine, jobs, database, token, caller } = platform;
const { db } = database;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });
const headers = { "service-api-key": token };

const made = await fetch(`${url}/api/v1/data_sources/`, {
  method: "POST",
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify({ name: "bench", chunk: false, text: "" }),
});
const { id } = (await made.json()) as { id: number };
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));
for (const filename of files) {
  const form = multipart({ file: { filename, content: readFileSync(path.join(FOLDER, filename)) } });
  const answer = await fetch(`${url}/api/v1/data_sources/${id}/documents/`, {
    method: "POST",
    headers: { ...headers, ...form.headers },
    body: form.body,
  });
  if (!answer.ok) throw new Error(`${filename}: ${await answer.text()}`);
}

const embedder = await engine.embedderOf(caller.sub_organization_id);
if (embedder) {
  const signal = new AbortController().signal;
  const job = jobs.find((one) => one.job.name === "embed-source");
  await job?.run({ data_source_id: id }, { stopping: signal, abortSignal: signal } as unknown as JobContext);
}

type Way = "words" | "meaning" | "both";
type Found = { source?: string; text: string };

async function resultsOf(question: string, way: Way): Promise<Found[]> {
  if (way === "meaning") return embedder ? byMeaning(question, embedder) : [];
  const asked = { entries: ["bench"], question, embedder: way === "both" ? embedder : null };
  return (await searchDataSources(db, caller.sub_organization_id, asked)).results;
}

/** No search goes by meaning alone; what it would find is read here. */
async function byMeaning(question: string, { embed, model }: Embedder): Promise<Found[]> {
  const signal = new AbortController().signal;
  const { vectors } = await embed([question], { purpose: "question", timeout_ms: 30_000, signal });
  const places = await closestChunks(db, [id], { model, vector: vectors[0] ?? [], limit: 6 });
  const { rows } = await sql<Found & { position: number }>`
    select c.position, c.text, o.name as source from data_source_chunks c join data_source_documents o on o.id = c.document_id
    where c.data_source_id = ${id}`.execute(db);
  return places.flatMap(({ position }) => rows.find((row) => row.position === position) ?? []);
}

/** At which place the part stands that answers; null: not among those that come back. */
async function placeOf({ question, document, answer }: LabelledQuestion, way: Way): Promise<number | null> {
  const results = await resultsOf(question, way);
  const place = results.findIndex(
    ({ source, text }) => source?.startsWith(document) && text.replace(/\s+/g, " ").includes(answer),
  );
  return place < 0 ? null : place + 1;
}

const ways = embedder ? (["words", "meaning", "both"] as const) : (["words"] as const);
const rows: string[][] = [];
for (const by of ways) {
  const found: (LabelledQuestion & { place: number | null })[] = [];
  for (const question of QUESTIONS) found.push({ ...question, place: await placeOf(question, by) });
  const recall = (of: typeof found) =>
    DEPTHS.map(
      (depth) =>
        `${Math.round((100 * of.filter(({ place }) => place !== null && place <= depth).length) / of.length)} %`,
    );
  const row = (what: string, of: typeof found) => rows.push([by, what, String(of.length), ...recall(of)]);
  row("all", found);
  for (const how of ["same words", "other words", "misspelt"] as const)
    row(
      how,
      found.filter((one) => one.how === how),
    );
  for (const language of ["en", "de", "es", "fr"] as const)
    row(
      language,
      found.filter((one) => one.language === language),
    );
  if (process.argv.includes("--missed"))
    for (const { question, document, place } of found)
      if (place !== 1) print(`${by}: ${place ?? "–"} ${document} ${question}`);
}
print(
  `${QUESTIONS.length} questions over ${files.length} documents; embeddings: ${embedder?.model ?? "none configured, so meanings are not measured"}`,
);
print(markdownTable(["by", "questions", "n", ...DEPTHS.map((depth) => `recall@${depth}`)], rows));
await platform.stop();
