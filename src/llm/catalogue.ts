/**
 * The language models this program knows, as data. What a provider offers changes every month, so an installation adds
 * and overrides rows by configuration (`catalogueOf`) and never waits for us.
 */
export const PROVIDERS = ["anthropic", "azure_openai", "google", "openai"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const DEFAULT_PROVIDER: Provider = "azure_openai";
export const DEFAULT_MODEL = "gpt-4o";
/** The model name that gives the offline model, whatever the provider. */
export const SCRIPTED_MODEL = "scripted";

export const PROVIDER_NAMES: Record<Provider, string> = {
  anthropic: "Anthropic",
  azure_openai: "Azure OpenAI",
  google: "Google",
  openai: "OpenAI",
};

export type LlmEntry = {
  provider: Provider;
  model: string;
  display_name: string;
  /** For providers that date their API; null takes the installation's. */
  api_version: string | null;
  supports_temperature: boolean;
  supports_seed: boolean;
  /** The first day it no longer answers, ISO; known before means a warning, from then on it can't be saved. */
  sunset_date: string | null;
  /** Retired by us, whatever the date says. */
  removed: boolean;
  /** The model of the same provider that takes over after retirement. */
  fallback: string | null;
  /** In tokens, input and output together; null where the provider doesn't say. */
  context_window: number | null;
  price: LlmPrice | null;
};

/** US dollars for a million tokens, list price, short prompts, no batch discount. An estimate, not a bill. */
export type LlmPrice = {
  input_usd: number;
  output_usd: number;
  cached_input_usd: number | null;
  source: string;
  /** The month the page said so. */
  as_of: string;
};

type LlmLifecycle = "active" | "deprecated" | "retired";

/** `today` is an ISO date; ISO dates sort as text. */
export function lifecycle(entry: LlmEntry, today: string): LlmLifecycle {
  if (entry.removed) return "retired";
  if (entry.sunset_date === null) return "active";
  return today < entry.sunset_date ? "deprecated" : "retired";
}

/** Our rows with the installation's laid over them: the same provider and model replaces, anything else is added. */
export function catalogueOf(extra: readonly LlmEntry[] = []): readonly LlmEntry[] {
  // Each turn asks for it.
  if (extra.length === 0) return LLMS;
  const rows = new Map<string, LlmEntry>();
  for (const entry of [...LLMS, ...extra]) rows.set(`${entry.provider}/${entry.model}`, entry);
  return [...rows.values()];
}

export const findLlm = (catalogue: readonly LlmEntry[], provider: string, model: string): LlmEntry | null =>
  catalogue.find((entry) => entry.provider === provider && entry.model === model) ?? null;

/** What may be chosen today: everything but the retired, and a retired one when it is what is chosen already. */
export const choosableLlms = (
  catalogue: readonly LlmEntry[],
  today: string,
  selected_model: string | null,
): LlmEntry[] =>
  catalogue.filter((entry) => lifecycle(entry, today) !== "retired" || entry.model === selected_model);

/** The model to call today for one that was saved earlier: itself, or along its fallbacks to one that still answers. */
export function modelToday(
  catalogue: readonly LlmEntry[],
  provider: string,
  model: string,
  today: string,
): string {
  const seen = new Set<string>();
  let name = model;
  while (!seen.has(name)) {
    seen.add(name);
    const entry = findLlm(catalogue, provider, name);
    if (!entry || lifecycle(entry, today) !== "retired" || entry.fallback === null) return name;
    name = entry.fallback;
  }
  return model;
}

/*
 * Sources, as far as public in November 2026. Dates: developers.openai.com/api/docs/deprecations,
 * platform.claude.com/docs/en/about-claude/model-deprecations, ai.google.dev/gemini-api/docs/deprecations. Prices and
 * context windows: the pricing and model pages of the same providers.
 *
 * Azure rows have no sunset date on purpose. The name there is the operator's own deployment, which Azure upgrades in place
 * when the model behind it retires (gpt-4o: from 2026-10-01, to gpt-5.1), so the name goes on answering. Azure's prices
 * differ by contract and region.
 */
const OPENAI_PRICES = "developers.openai.com/api/docs/pricing";
const CLAUDE_PRICES = "platform.claude.com/docs/en/about-claude/pricing";
const GEMINI_PRICES = "ai.google.dev/gemini-api/docs/pricing";

const price = (
  source: string,
  as_of: string,
  input_usd: number,
  output_usd: number,
  cached_input_usd: number | null,
): LlmPrice => ({ input_usd, output_usd, cached_input_usd, source, as_of });

const row = (
  provider: Provider,
  model: string,
  display_name: string,
  more: Partial<LlmEntry> = {},
): LlmEntry => ({
  provider,
  model,
  display_name,
  api_version: null,
  supports_temperature: true,
  supports_seed: true,
  sunset_date: null,
  removed: false,
  fallback: null,
  context_window: null,
  price: null,
  ...more,
});

/** The last dated API version of Azure's chat completions that is generally available; it takes `seed`. */
export const AZURE_API_VERSION = "2024-10-21";
const azure = { api_version: AZURE_API_VERSION };
/** Reasoning models take no temperature: GPT-5 and later answer a number with a 400. */
const reasoning = { supports_temperature: false };
/** Anthropic's API has no seed. From Opus 4.7 and Sonnet 5 on it takes no temperature either. */
const claude = { supports_seed: false };
const claude5 = { supports_seed: false, supports_temperature: false, context_window: 1_000_000 };

/** A model that only the operator knows: it is offered every setting, and its server decides. */
export const operatorLlm = ({ provider, model }: Pick<LlmEntry, "provider" | "model">): LlmEntry =>
  row(provider, model, model);

const LLMS: readonly LlmEntry[] = [
  row("azure_openai", "gpt-4o", "GPT-4o", { ...azure, context_window: 128_000 }),
  row("azure_openai", "gpt-4o-mini", "GPT-4o mini", { ...azure, context_window: 128_000 }),
  row("azure_openai", "gpt-4.1", "GPT-4.1", { ...azure, context_window: 1_047_576 }),
  row("azure_openai", "gpt-4.1-mini", "GPT-4.1 mini", { ...azure, context_window: 1_047_576 }),
  row("azure_openai", "gpt-5.1", "GPT-5.1", { ...azure, ...reasoning, context_window: 400_000 }),

  row("openai", "gpt-4o", "GPT-4o", {
    sunset_date: "2027-01-14",
    fallback: "gpt-6-luna",
    context_window: 128_000,
    price: price(OPENAI_PRICES, "2026-11", 2.5, 10, 1.25),
  }),
  row("openai", "gpt-4o-mini", "GPT-4o mini", {
    sunset_date: "2027-01-14",
    fallback: "gpt-6-luna",
    context_window: 128_000,
    price: price(OPENAI_PRICES, "2026-11", 0.15, 0.6, 0.075),
  }),
  row("openai", "gpt-4.1", "GPT-4.1", {
    sunset_date: "2027-01-14",
    fallback: "gpt-6-luna",
    context_window: 1_047_576,
    price: price(OPENAI_PRICES, "2026-11", 2, 8, 0.5),
  }),
  row("openai", "gpt-4.1-mini", "GPT-4.1 mini", {
    sunset_date: "2027-01-14",
    fallback: "gpt-6-luna",
    context_window: 1_047_576,
    price: price(OPENAI_PRICES, "2026-11", 0.4, 1.6, 0.1),
  }),
  row("openai", "gpt-5.1", "GPT-5.1", {
    ...reasoning,
    sunset_date: "2027-04-01",
    fallback: "gpt-6-luna",
    context_window: 400_000,
    price: price(OPENAI_PRICES, "2026-11", 1.25, 10, 0.125),
  }),
  row("openai", "gpt-6-luna", "GPT-6 Luna", {
    ...reasoning,
    context_window: 1_050_000,
    price: price(OPENAI_PRICES, "2026-09", 0.1, 0.5, 0.01),
  }),
  row("openai", "gpt-6-sol", "GPT-6 Sol", {
    ...reasoning,
    context_window: 1_050_000,
    price: price(OPENAI_PRICES, "2026-09", 2, 10, 0.2),
  }),
  row("openai", "gpt-6.1-terra", "GPT-6.1 Terra", {
    ...reasoning,
    price: price(OPENAI_PRICES, "2026-10", 1, 5, 0.05),
  }),

  row("anthropic", "claude-opus-5-5", "Claude Opus 5.5", {
    ...claude5,
    price: price(CLAUDE_PRICES, "2026-09", 4, 20, 0.2),
  }),
  row("anthropic", "claude-sonnet-5-5", "Claude Sonnet 5.5", {
    ...claude5,
    price: price(CLAUDE_PRICES, "2026-09", 2, 10, 0.2),
  }),
  // Priced in steps ("from $0.10 / $0.50"), which one number can't tell.
  row("anthropic", "claude-haiku-5-5", "Claude Haiku 5.5", claude5),
  row("anthropic", "claude-sonnet-4-6", "Claude Sonnet 4.6", {
    ...claude,
    context_window: 1_000_000,
    price: price(CLAUDE_PRICES, "2026-04", 3, 15, 0.3),
  }),
  row("anthropic", "claude-haiku-4-5", "Claude Haiku 4.5", {
    ...claude,
    context_window: 200_000,
    price: price(CLAUDE_PRICES, "2026-04", 1, 5, 0.1),
  }),
  row("anthropic", "claude-sonnet-4-5", "Claude Sonnet 4.5", {
    ...claude,
    sunset_date: "2026-11-30",
    fallback: "claude-sonnet-5-5",
    context_window: 200_000,
    price: price(CLAUDE_PRICES, "2026-11", 3, 15, 0.3),
  }),

  row("google", "gemini-3.8-flash", "Gemini 3.8 Flash", {
    context_window: 1_048_576,
    // Doubles on 2027-01-01.
    price: price(GEMINI_PRICES, "2026-09", 0.75, 3.75, null),
  }),
  row("google", "gemini-3.5-flash", "Gemini 3.5 Flash", {
    context_window: 1_048_576,
    price: price(GEMINI_PRICES, "2026-09", 1.5, 9, null),
  }),
  row("google", "gemini-3.5-flash-lite", "Gemini 3.5 Flash-Lite", { context_window: 1_048_576 }),
  row("google", "gemini-2.5-pro", "Gemini 2.5 Pro", {
    sunset_date: "2026-12-01",
    fallback: "gemini-3.8-flash",
    context_window: 1_048_576,
  }),
  row("google", "gemini-2.5-flash", "Gemini 2.5 Flash", {
    sunset_date: "2026-12-01",
    fallback: "gemini-3.5-flash-lite",
    context_window: 1_048_576,
    price: price(GEMINI_PRICES, "2026-09", 0.3, 2.5, null),
  }),
  row("google", "gemini-2.0-flash", "Gemini 2.0 Flash", {
    sunset_date: "2026-06-01",
    fallback: "gemini-3.5-flash",
    context_window: 1_048_576,
    price: price(GEMINI_PRICES, "2026-05", 0.1, 0.4, 0.025),
  }),

  ...PROVIDERS.map((provider) => row(provider, SCRIPTED_MODEL, "Scripted (offline)")),
];
