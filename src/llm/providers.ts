import type { LanguageModelV4 } from "@ai-sdk/provider";
import { BoundedCache } from "../base/bounded-cache.ts";
import { unreachable } from "../base/errors.ts";
import {
  AZURE_API_VERSION,
  catalogueOf,
  findLlm,
  type LlmEntry,
  type Provider,
  SCRIPTED_MODEL,
} from "./catalogue.ts";
import type { StreamingModel } from "./chat-completions.ts";
import { type LanguageModel, ModelError } from "./model.ts";
import { providerModel } from "./provider-stream.ts";
import { scriptedModel } from "./scripted/scripted.ts";
import type { ThinkingHabit } from "./thinking.ts";
import { keepingDigits } from "./whole-digits.ts";

export type ProviderSettings = Partial<Record<Provider, ProviderAccess>>;
export type ProviderAccess = {
  api_key: string;
  /** Any server that speaks the provider's API; Azure has no address of its own and needs one. */
  base_url?: string;
  /** Azure only, when the prompt names none. */
  api_version?: string;
};

type ModelChoice = { provider: Provider; model: string; api_version: string | null };

/*
 * Handed over explicitly, because the libraries otherwise read addresses from the environment, and configuration is read
 * in one place here.
 */
const BASE_URLS: Record<Exclude<Provider, "azure_openai">, string> = {
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  openai: "https://api.openai.com/v1",
};

/**
 * The model a prompt asks for. Without a key for its provider, or with the model name `scripted`, that is the offline
 * model, which says so of itself. Nothing is sent before `stream` is read.
 */
export function resolveModel(
  choice: ModelChoice,
  settings: ProviderSettings,
  catalogue: readonly LlmEntry[] = catalogueOf(),
  transport: Transport = {},
): LanguageModel {
  const access = settings[choice.provider];
  if (choice.model === SCRIPTED_MODEL || !access?.api_key) return scriptedModel(choice.provider);
  const entry = findLlm(catalogue, choice.provider, choice.model);
  return providerModel({
    provider: choice.provider,
    model: choice.model,
    api_key: access.api_key,
    entry,
    ...(choice.provider === "openai" &&
      entry === null &&
      access.base_url !== undefined && {
        own_server: { habit: habitOf(`${access.base_url} ${choice.model}`) },
      }),
    connect: () => connect(choice, access, transport),
  });
}

/** The libraries are read by the first who asks such a provider: together they are a tenth of all the program could read. */
async function connect(
  choice: ModelChoice,
  access: ProviderAccess,
  transport: Transport,
): Promise<StreamingModel> {
  const { provider, model } = choice;
  switch (provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({
        apiKey: access.api_key,
        baseURL: access.base_url ?? BASE_URLS.anthropic,
        ...transport,
      })(model);
    }
    case "google":
      return (await googleAt(access, { fetch: keepingDigits(transport.fetch ?? fetch) }))(model);
    // `.chat`: the default Responses API drops `seed`, and servers that imitate OpenAI speak chat completions.
    case "openai":
      return kept(choice, access, transport, async (more) => (await openaiAt(access, more)).chat(model));
    case "azure_openai":
      return kept(choice, access, transport, async (more) =>
        (await azureAt(access, choice.api_version, more)).chat(model),
      );
    default:
      return unreachable(provider);
  }
}

/** `fetch` in place of the global one. */
export type Transport = { fetch?: typeof fetch };

/** Few models are asked at a time; a key that was replaced is forgotten with the rest. */
const MOST_KEPT = 100;
const keptModels = new Map<string, Promise<StreamingModel>>();
const habits = new BoundedCache<ThinkingHabit>(MOST_KEPT);

/** What is known of how a model of the operator's own thinks; learned from its first answer after each start. */
const habitOf = (name: string): ThinkingHabit => habits.get(name, () => ({ opens_itself: null }));

/** One object for each key, address and model, so that a turn makes none. */
function kept(
  choice: ModelChoice,
  access: ProviderAccess,
  transport: Transport,
  make: (transport: Transport) => Promise<LanguageModelV4>,
): Promise<StreamingModel> {
  const build = async () => {
    const { chatCompletions } = await import("./chat-completions.ts");
    return chatCompletions((fetch_) => make(fetch_ ? { fetch: fetch_ } : transport), transport.fetch);
  };
  // The guard is one of an installation, which tests have several of.
  if (transport.fetch) return build();
  const name = JSON.stringify([choice, access]);
  const known = keptModels.get(name);
  if (known) return known;
  if (keptModels.size >= MOST_KEPT) keptModels.clear();
  const built = build();
  keptModels.set(name, built);
  built.catch(() => keptModels.delete(name));
  return built;
}

export async function googleAt(access: ProviderAccess, more: Transport = {}) {
  const { createGoogle } = await import("@ai-sdk/google");
  return createGoogle({ apiKey: access.api_key, baseURL: access.base_url ?? BASE_URLS.google, ...more });
}

export async function openaiAt(access: ProviderAccess, more: Transport = {}) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ apiKey: access.api_key, baseURL: access.base_url ?? BASE_URLS.openai, ...more });
}

/** Rejects with `ModelError` where the address is missing. */
export async function azureAt(access: ProviderAccess, api_version: string | null, more: Transport = {}) {
  if (!access.base_url) {
    throw new ModelError(
      "refused",
      "azure_openai",
      "Azure OpenAI has a key but no address; configure its base URL (https://RESOURCE.openai.azure.com/openai).",
    );
  }
  const { createAzure } = await import("@ai-sdk/azure");
  return createAzure({
    apiKey: access.api_key,
    baseURL: azureAddress(access.base_url),
    apiVersion: api_version ?? access.api_version ?? AZURE_API_VERSION,
    // Dated API versions exist only under `/deployments/<name>`.
    useDeploymentBasedUrls: true,
    ...more,
  });
}

/** The Azure portal shows the bare host; the API lives under `/openai`. */
function azureAddress(base_url: string): string {
  const url = new URL(base_url);
  if (url.pathname === "/") url.pathname = "/openai";
  return url.toString().replace(/\/$/, "");
}
