import type { Setting, SettingReader } from "./setting-reader.ts";

/** The language models that agents are offered. */
export type ModelConfig = {
  llm_base_urls: Partial<Record<LlmProvider, string>>;
  llm_models: { provider: LlmProvider; model: string }[];
  /** How long a person waits for a model, and which one is asked when it fails; null: the same again. */
  llm_first_token_s: number;
  llm_token_s: number;
  llm_fallback: { provider: LlmProvider; model: string } | null;
  /** What searches of data sources know meanings by; null: nothing. */
  embedding_model: { provider: Exclude<LlmProvider, "anthropic">; model: string } | null;
  /** Between two requests of a crawl to one site, unless it asks for more. */
  crawl_pause_ms: number;
};

export type ModelSecrets = { llm_api_keys: Partial<Record<LlmProvider, string>> };

export const MODEL_SETTINGS: Setting[] = [
  {
    name: "OPENAI_API_KEY",
    example: "",
    about: "Key for OpenAI, or for any server that speaks its API (set the URL then).",
  },
  { name: "OPENAI_BASE_URL", example: "https://api.openai.com/v1", about: "Where the OpenAI API is." },
  { name: "AZURE_OPENAI_API_KEY", example: "", about: "Key for Azure OpenAI." },
  {
    name: "AZURE_OPENAI_BASE_URL",
    example: "https://RESOURCE.openai.azure.com/openai",
    about: "Where the Azure OpenAI resource is.",
  },
  { name: "ANTHROPIC_API_KEY", example: "", about: "Key for Anthropic." },
  {
    name: "ANTHROPIC_BASE_URL",
    example: "https://api.anthropic.com/v1",
    about: "Where the Anthropic API is.",
  },
  { name: "GOOGLE_API_KEY", example: "", about: "Key for Google's Gemini API." },
  {
    name: "GOOGLE_BASE_URL",
    example: "https://generativelanguage.googleapis.com/v1beta",
    about: "Where the Gemini API is.",
  },
  {
    name: "LLM_MODELS",
    example: "",
    about:
      "Models beside the known ones that prompts may choose, comma-separated, each after its provider: openai/llama-3.3-70b, azure_openai/our-deployment",
  },
  {
    name: "LLM_FIRST_TOKEN_TIMEOUT_S",
    example: "10",
    about:
      "Seconds that a person waits for a model to begin its answer, before another try. Reasoning models may need more.",
  },
  {
    name: "LLM_TOKEN_TIMEOUT_S",
    example: "10",
    about: "Seconds that a model may fall silent in the middle of an answer, before another try.",
  },
  {
    name: "LLM_FALLBACK",
    example: "",
    about:
      "The model that is asked for the other try, after its provider: anthropic/claude-haiku-4-5. It needs that provider's key. Empty: the same model again.",
  },
  {
    name: "EMBEDDING_MODEL",
    example: "",
    about:
      "A model that finds parts of data sources by their meaning, after its provider: openai/text-embedding-3-small, google/gemini-embedding-001, azure_openai/our-deployment. Texts and questions are sent there, with the key that models of that provider use. Empty: searches go by words.",
  },
  {
    name: "CRAWL_PAUSE_MS",
    example: "1000",
    about:
      "Milliseconds between two requests to a web site that is read into a data source; a site that asks for more in robots.txt gets it, up to 30 seconds. Less only for sites of your own.",
  },
];

export type LlmProvider = "openai" | "azure_openai" | "anthropic" | "google";
const LLM_PROVIDERS: LlmProvider[] = ["openai", "azure_openai", "anthropic", "google"];
/** Anthropic has no embeddings. */
const EMBEDDING_PROVIDERS = ["openai", "azure_openai", "google"] as const;

export function readModels(read: SettingReader): ModelConfig {
  return {
    llm_base_urls: ofProviders((prefix) => read.url(`${prefix}_BASE_URL`, ["http:", "https:"])),
    llm_models: read.list("LLM_MODELS").flatMap((entry) => {
      const found = modelOf(read, "LLM_MODELS holds", entry, LLM_PROVIDERS);
      return found ? [found] : [];
    }),
    llm_first_token_s: read.wholeNumber("LLM_FIRST_TOKEN_TIMEOUT_S", 10, [1, 120]),
    llm_token_s: read.wholeNumber("LLM_TOKEN_TIMEOUT_S", 10, [1, 120]),
    llm_fallback: oneModel(read, "LLM_FALLBACK", LLM_PROVIDERS),
    embedding_model: oneModel(read, "EMBEDDING_MODEL", EMBEDDING_PROVIDERS),
    crawl_pause_ms: read.wholeNumber("CRAWL_PAUSE_MS", 1_000, [0, 60_000]),
  };
}

export function readModelSecrets({ given, faults }: SettingReader): ModelSecrets {
  if (given("AZURE_OPENAI_API_KEY") && !given("AZURE_OPENAI_BASE_URL")) {
    faults.push(
      "AZURE_OPENAI_API_KEY is set without AZURE_OPENAI_BASE_URL; each Azure resource has its own address.",
    );
  }
  return { llm_api_keys: ofProviders((prefix) => given(`${prefix}_API_KEY`)) };
}

/** By provider, those that have one; asked for by how the provider's settings begin. */
const ofProviders = (read: (prefix: string) => string | null): Partial<Record<LlmProvider, string>> =>
  Object.fromEntries(
    LLM_PROVIDERS.flatMap((provider) => {
      const value = read(provider.toUpperCase());
      return value === null ? [] : [[provider, value]];
    }),
  );

function oneModel<Provider extends LlmProvider>(
  read: SettingReader,
  name: string,
  providers: readonly Provider[],
): { provider: Provider; model: string } | null {
  const text = read.given(name);
  return text === null ? null : modelOf(read, `${name} is`, text, providers);
}

/** Written as a provider, a slash and the model, whose name may have slashes of its own. */
function modelOf<Provider extends LlmProvider>(
  { faults }: SettingReader,
  said: string,
  text: string,
  providers: readonly Provider[],
): { provider: Provider; model: string } | null {
  const [, name, model] = /^(\w+)\/(\S+)$/.exec(text) ?? [];
  const provider = providers.find((known) => known === name);
  if (provider && model) return { provider, model };
  faults.push(`${said} "${text}"; write a provider (${providers.join(", ")}), a slash and the model.`);
  return null;
}
