import type { Clock } from "../base/clock.ts";
import { catalogueOf, modelToday, type Provider } from "./catalogue.ts";
import type { LanguageModel } from "./model.ts";
import { type ProviderSettings, resolveModel, type Transport } from "./providers.ts";
import { withRetry } from "./retry.ts";
import { withTimeouts } from "./timeouts.ts";

type ModelChoice = { provider: Provider; model: string; api_version?: string | null };

/** How long a person waits for a model, and what is asked when it fails; of the installation. */
export type ModelPolicy = {
  first_token_ms: number;
  between_tokens_ms: number;
  /** Asked instead of the same model again. */
  fallback: { provider: Provider; model: string } | null;
};

export const MODEL_POLICY: ModelPolicy = {
  first_token_ms: 10_000,
  between_tokens_ms: 10_000,
  fallback: null,
};

/** A long answer may take its time once it has begun. */
const TOTAL_MS = 120_000;

/** The model a prompt asks for, or the one that took over since, tried twice and never waited for without end. */
export function modelFor(
  llm: ModelChoice,
  settings: ProviderSettings,
  clock: Clock,
  options: { policy?: ModelPolicy; transportOf?: (provider: Provider) => Transport } = {},
): LanguageModel {
  const { policy = MODEL_POLICY, transportOf = () => ({}) } = options;
  const { first_token_ms, between_tokens_ms, fallback } = policy;
  const timed = (choice: ModelChoice): LanguageModel => {
    const { provider, api_version = null } = choice;
    const model = modelToday(catalogueOf(), provider, choice.model, clock.now().toISOString().slice(0, 10));
    const transport = transportOf(provider);
    const chosen = resolveModel({ provider, model, api_version }, settings, catalogueOf(), transport);
    // The offline model answers from memory, and nothing would be gained by a second one.
    return chosen.scripted
      ? chosen
      : withTimeouts(chosen, { first_token_ms, between_tokens_ms, total_ms: TOTAL_MS }, clock);
  };
  const model = timed(llm);
  if (model.scripted) return model;
  const other = fallback && timed(fallback);
  const isOther =
    other && !other.scripted && `${other.provider}/${other.model}` !== `${model.provider}/${model.model}`;
  return withRetry(model, { elsewhere: isOther ? other : null });
}
