import { sql } from "kysely";
import { z } from "zod";
import { providerSettings } from "../accounts/llm-provider.ts";
import type { ModelAllowance } from "../accounts/model-allowance.ts";
import { isOfOpenOrganization } from "../accounts/organization-deletion.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { createEmbedder, type Embedder, type EmbeddingChoice, MOST_TEXTS } from "../llm/embedder.ts";
import { estimateTokens } from "../llm/estimate-tokens.ts";
import { ModelError } from "../llm/model.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import { addEmbeddingUse } from "./embedding-usage.ts";
import { packVector } from "./source-vectors.ts";
import { indexVectors } from "./vector-index.ts";

/** The embedder of a sub-organization; null where none is configured or its provider has no key. */
export type EmbedderOf = (sub_organization_id: number) => Promise<Embedder | null>;

/**
 * With the key that models of the same provider are asked with. Only the operator's own address goes without the guard.
 * What it is asked is counted, and refused once the models' allowance of the day is used up.
 */
export function embedderOf(parts: {
  db: Db;
  clock: Clock;
  vault: Vault;
  egress: Egress;
  environment: ProviderSettings;
  allowance: ModelAllowance;
  choice: EmbeddingChoice | null;
}): EmbedderOf {
  const { choice, egress, environment } = parts;
  if (choice === null) return async () => null;
  return async (sub_organization_id) => {
    const access = (await providerSettings(parts, sub_organization_id))[choice.provider];
    if (!access) return null;
    const embedder = createEmbedder(choice, access, access === environment[choice.provider] ? null : egress);
    return counted(parts, embedder, sub_organization_id);
  };
}

const counted = (
  { db, clock, allowance }: { db: Db; clock: Clock; allowance: ModelAllowance },
  { model, embed }: Embedder,
  sub_organization_id: number,
): Embedder => ({
  model,
  async embed(texts, given) {
    await allowance.admit(sub_organization_id, model);
    const made = await embed(texts, given);
    const tokens = made.tokens ?? Math.ceil(texts.reduce((sum, text) => sum + estimateTokens(text), 0));
    allowance.count(sub_organization_id, { tokens, cost_usd: (tokens / 1e6) * millionUsd(model) });
    const { purpose } = given;
    const use = { sub_organization_id, model, purpose, texts: texts.length, tokens: made.tokens };
    await addEmbeddingUse(db, use, clock.now());
    return made;
  },
});

/** US dollars for a million tokens, list prices of 2026-04; by the beginning of the model's name. */
const MILLION_USD = {
  "openai/text-embedding-3-small": 0.02,
  "openai/text-embedding-3-large": 0.13,
  "google/gemini-embedding-001": 0.15,
};
const millionUsd = (model: string): number =>
  Object.entries(MILLION_USD).find(([name]) => model.startsWith(name))?.[1] ?? 0;

/** Nobody waits for it. */
const EMBED_MS = 60_000;

const embedSource: Job<{ data_source_id: number }> = {
  name: "embed-source",
  payload: z.object({ data_source_id: z.int() }),
  max_attempts: 6,
};

/** Sources that were saved while there was no model, another one or no answer; they are found by words until then. */
const embedRest: Job<Record<string, never>> = {
  name: "embed-sources",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "*/10 * * * *",
};

/** What gained or lost pgvector, or grew, has its index within ten minutes. It takes minutes to make, and nothing waits. */
const indexRest: Job<Record<string, never>> = {
  name: "index-vectors",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "*/10 * * * *",
};

/** As chunks name their model. */
const modelOf = ({ provider, model }: EmbeddingChoice): string => `${provider}/${model}`;

/** In the transaction that stores the source's parts. */
export const enqueueEmbedding = (tx: Tx, data_source_id: number): Promise<void> =>
  enqueue(
    tx,
    embedSource,
    { data_source_id },
    {
      key: `embed-source:${data_source_id}`,
      tenant: sql<number>`(select sub_organization_id from data_sources where id = ${data_source_id})`,
    },
  );

export const embeddingJobs = (parts: {
  db: Db;
  embedderOf: EmbedderOf;
  choice: EmbeddingChoice | null;
}): JobHandler[] => [
  handle(embedSource, ({ data_source_id }, { stopping, abortSignal }) =>
    embedChunks(parts, data_source_id, { stopping, signal: abortSignal }),
  ),
  handle(embedRest, () => enqueueRest(parts)),
  handle(indexRest, async () => {
    if (parts.choice !== null) await indexVectors(parts.db, modelOf(parts.choice));
  }),
];

type TextChunk = { position: number; text: string; heading: string | null };

/** What a part is about stands in its headings as often as in itself. */
const embeddedText = ({ heading, text }: TextChunk): string =>
  heading === null ? text : `${heading}\n${text}`;

/**
 * Gives vectors to the parts of a source that have none of this model, some at a time. A part that was changed while the
 * provider was asked keeps none: its text is compared, and the save that changed it left a job of its own.
 */
async function embedChunks(
  { db, embedderOf }: { db: Db; embedderOf: EmbedderOf },
  data_source_id: number,
  { stopping, signal }: { stopping: AbortSignal; signal: AbortSignal },
): Promise<void> {
  const source = await db
    .selectFrom("data_sources")
    .select("sub_organization_id")
    .where("id", "=", data_source_id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const embedder = source && (await embedderOf(source.sub_organization_id));
  if (!embedder) return;
  // Cut short, the rest is done by `embedRest`.
  while (!stopping.aborted) {
    const chunks = await chunksWithout(db, data_source_id, embedder.model);
    if (chunks.length === 0) return;
    const texts = chunks.map(embeddedText);
    const made = await embedder
      .embed(texts, { purpose: "passage", timeout_ms: EMBED_MS, signal })
      .catch((error: unknown) => {
        if (error instanceof ModelError && error.kind === "used-up") return null;
        throw error;
      });
    // The allowance of the day is used up: it is found by words, until `embedRest` has one again.
    if (made === null) return;
    const { vectors } = made;
    await storeVectors(db, { data_source_id, model: embedder.model, chunks, vectors });
  }
}

const chunksWithout = (db: Db, data_source_id: number, model: string): Promise<TextChunk[]> =>
  db
    .selectFrom("data_source_chunks")
    .select(["position", "text", "heading"])
    .where("data_source_id", "=", data_source_id)
    .where("embedding_model", "is distinct from", model)
    .orderBy("position")
    .limit(MOST_TEXTS)
    .execute();

async function storeVectors(
  db: Db,
  given: { data_source_id: number; model: string; chunks: TextChunk[]; vectors: number[][] },
): Promise<void> {
  const { data_source_id, model, chunks, vectors } = given;
  await sql`
    update data_source_chunks c set embedding = made.embedding, embedding_model = ${model}
    from unnest(${chunks.map(({ position }) => position)}::int[], ${chunks.map(({ text }) => text)}::text[],
      ${chunks.map(({ heading }) => heading)}::text[], ${vectors.map(packVector)}::bytea[])
      as made (position, text, heading, embedding)
    where c.data_source_id = ${data_source_id} and c.position = made.position and c.text = made.text
      and c.heading is not distinct from made.heading`.execute(db);
}

/**
 * Sources with parts that have no vector of this model: three ranges of an index, which can't answer `is distinct from`.
 * The model stands in the statement, so that its plan is made for it: nearly all parts have it.
 */
export const sourcesWithout = (model: string) => sql<{ id: number; sub_organization_id: number }>`
  select d.id, d.sub_organization_id from data_sources d
  join (
    select data_source_id from data_source_chunks where embedding_model is null
    union select data_source_id from data_source_chunks where embedding_model < ${sql.lit(model)}
    union select data_source_id from data_source_chunks where embedding_model > ${sql.lit(model)}
  ) as lacking on lacking.data_source_id = d.id
  where d.deleted_at is null and ${isOfOpenOrganization("d.sub_organization_id")}
  order by d.id`;

/** One job for each source that lacks vectors and whose sub-organization can have them. */
async function enqueueRest(parts: {
  db: Db;
  embedderOf: EmbedderOf;
  choice: EmbeddingChoice | null;
}): Promise<void> {
  const { db, choice } = parts;
  if (choice === null) return;
  const { rows } = await sourcesWithout(modelOf(choice)).execute(db);
  const bySubOrganization = Map.groupBy(rows, ({ sub_organization_id }) => sub_organization_id);
  for (const [sub_organization_id, sources] of bySubOrganization) {
    if (!(await parts.embedderOf(sub_organization_id))) continue;
    await db.transaction().execute(async (tx) => {
      for (const { id } of sources) await enqueueEmbedding(tx, id);
    });
  }
}
