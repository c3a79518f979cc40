import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import type { Egress } from "../egress/egress.ts";
import { PROVIDER_NAMES, type Provider } from "./catalogue.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { ModelError } from "./model.ts";
import { providerError } from "./provider-error.ts";
import { azureAt, googleAt, openaiAt, type ProviderAccess } from "./providers.ts";
import { countOf } from "./token-count.ts";

/** The providers that turn texts into vectors. */
const EMBEDDING_PROVIDERS = ["azure_openai", "google", "openai"] as const;
export type EmbeddingChoice = { provider: (typeof EMBEDDING_PROVIDERS)[number]; model: string };

/** Turns texts into vectors that lie the closer the more alike the texts' meanings are. */
export type Embedder = {
  /** `openai/text-embedding-3-small`; vectors of different models can't be compared. */
  model: string;
  /**
   * A vector for each text, in order, all of one length. At most `MOST_TEXTS` at a time, none blank. Throws `ModelError`
   * and nothing else.
   */
  embed(
    texts: string[],
    given: { purpose: EmbeddingPurpose; timeout_ms: number; signal: AbortSignal },
  ): Promise<Embeddings>;
};

export type EmbeddingPurpose = "question" | "passage";
/** `tokens`: what the provider counted; null where it doesn't (Google). */
export type Embeddings = { vectors: number[][]; tokens: number | null };

/** Google's limit is 100, OpenAI's 2,048 and 300,000 tokens; an answer of so many is 3 MB. */
export const MOST_TEXTS = 48;
const MAX_RESPONSE_BYTES = 16 * 2 ** 20;
/** More than any model gives; an answer beyond it is none. */
const MOST_DIMENSIONS = 16_384;

/** `egress`: for an address that is not the operator's own; null asks without the guard. */
export function createEmbedder(
  choice: EmbeddingChoice,
  access: ProviderAccess,
  egress: Egress | null,
): Embedder {
  const { provider, model } = choice;
  return {
    model: `${provider}/${model}`,
    async embed(texts, { purpose, timeout_ms, signal }) {
      const late = AbortSignal.timeout(timeout_ms);
      const limits = { timeout_ms, max_response_bytes: MAX_RESPONSE_BYTES };
      try {
        const library = await connect(choice, access, {
          ...(egress && { fetch: guardedFetch(egress, provider, limits) }),
        });
        const { embeddings, usage } = await library.doEmbed({
          values: texts,
          abortSignal: AbortSignal.any([signal, late]),
          // Google's models give a question another vector than a text that answers it; the others don't read this.
          providerOptions: {
            google: { taskType: purpose === "question" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT" },
          },
        });
        return { vectors: checked(provider, embeddings, texts.length), tokens: countOf(usage?.tokens) };
      } catch (error) {
        if (late.aborted && !signal.aborted) {
          throw new ModelError(
            "timeout",
            provider,
            `${PROVIDER_NAMES[provider]} gave no embeddings within ${timeout_ms / 1000} s.`,
            { cause: error },
          );
        }
        throw providerError(error, { provider, model, api_key: access.api_key, signal });
      }
    },
  };
}

async function connect(
  { provider, model }: EmbeddingChoice,
  access: ProviderAccess,
  more: { fetch?: typeof fetch },
): Promise<EmbeddingModelV4> {
  switch (provider) {
    case "openai":
      return (await openaiAt(access, more)).embedding(model);
    case "azure_openai":
      return (await azureAt(access, null, more)).embedding(model);
    case "google":
      return (await googleAt(access, more)).embedding(model);
  }
}

/** One that lacks a vector, or has others than numbers in it, would be compared as nonsense for as long as it is stored. */
function checked(provider: Provider, vectors: number[][], count: number): number[][] {
  const dimensions = vectors[0]?.length ?? 0;
  const isSound = (vector: number[]) =>
    vector.length === dimensions && vector.every(Number.isFinite) && vector.some((part) => part !== 0);
  if (vectors.length === count && dimensions > 0 && dimensions <= MOST_DIMENSIONS && vectors.every(isSound)) {
    return vectors;
  }
  throw new ModelError(
    "broken-answer",
    provider,
    `${PROVIDER_NAMES[provider]} gave no usable embeddings (${vectors.length} for ${count} texts).`,
  );
}
