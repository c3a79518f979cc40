import { catalogueOf, modelToday, type Provider } from "./catalogue.ts";
import type { LanguageModel } from "./model.ts";
import { type ProviderSettings, resolveModel, type Transport } from "./providers.ts";
import { withRetry } from "./retry.ts";
import { withTimeouts } from "./timeouts.ts";

/** A person waits for the first word; a long answer may take its time once it has begun. */
const FIRST_PART_MS = 20_000;
const TOTAL_MS = 120_000;

/** The model a prompt asks for, or the one that took over since, tried twice and never waited for without end. */
export function modelFor(
  llm: { provider: Provider; model: string; api_version?: string | null },
  settings: ProviderSettings,
  now: Date,
  transport: Transport = {},
): LanguageModel {
  const model = modelToday(catalogueOf(), llm.provider, llm.model, now.toISOString().slice(0, 10));
  const chosen = resolveModel(
    { provider: llm.provider, model, api_version: llm.api_version ?? null },
    settings,
    catalogueOf(),
    transport,
  );
  return withRetry(withTimeouts(chosen, { first_part_ms: FIRST_PART_MS, total_ms: TOTAL_MS }));
}
