import type { LanguageModelV4 } from "@ai-sdk/provider";
import { unreachable } from "../base/errors.ts";
import {
  AZURE_API_VERSION,
  catalogueOf,
  findLlm,
  type LlmEntry,
  type Provider,
  SCRIPTED_MODEL,
} from "./catalogue.ts";
import { type LanguageModel, ModelError } from "./model.ts";
import { providerModel } from "./provider-stream.ts";
import { scriptedModel } from "./scripted/scripted.ts";
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
  return providerModel({
    provider: choice.provider,
    model: choice.model,
    api_key: access.api_key,
    entry: findLlm(catalogue, choice.provider, choice.model),
    connect: () => connect(choice, access, transport),
  });
}

/** The libraries are read by the first who asks such a provider: together they are a tenth of all the program could read. */
async function connect(
  choice: ModelChoice,
  access: ProviderAccess,
  transport: Transport,
): Promise<LanguageModelV4> {
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
      return (await openaiAt(access, transport)).chat(model);
    case "azure_openai":
      return (await azureAt(access, choice.api_version, transport)).chat(model);
    default:
      return unreachable(provider);
  }
}

/** `fetch` in place of the global one. */
export type Transport = { fetch?: typeof fetch };

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
