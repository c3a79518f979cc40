import { errorText } from "../base/errors.ts";
import type { Config, LlmProvider, Secrets } from "../config.ts";
import type { Finding } from "./finding.ts";

/** A cheap call of each provider that answers 200 to a good key: the list of models. */
const KEY_CHECKS: Record<
  LlmProvider,
  { base: string; path: string; headers(key: string): Record<string, string> }
> = {
  openai: {
    base: "https://api.openai.com/v1",
    path: "/models",
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  azure_openai: { base: "", path: "/models?api-version=2024-10-21", headers: (key) => ({ "api-key": key }) },
  anthropic: {
    base: "https://api.anthropic.com/v1",
    path: "/models",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  google: {
    base: "https://generativelanguage.googleapis.com/v1beta",
    path: "/models",
    headers: (key) => ({ "x-goog-api-key": key }),
  },
};
const ANSWER_MS = 10_000;

export async function checkKeys(config: Config, secrets: Secrets): Promise<Finding[]> {
  const keys = Object.entries(secrets.llm_api_keys) as [LlmProvider, string][];
  if (keys.length === 0) {
    const message = "no provider key is set: the scripted offline model answers";
    return [{ check: "models", status: "ok", message }];
  }
  return Promise.all(keys.map(([provider, key]) => checkKey(config, provider, key)));
}

async function checkKey(config: Config, provider: LlmProvider, key: string): Promise<Finding> {
  const { base, path, headers } = KEY_CHECKS[provider];
  const url = new URL(`${config.llm_base_urls[provider] ?? base}${path}`);
  let status: number;
  try {
    // The operator names this address, so a private one is meant.
    const response = await fetch(url, { headers: headers(key), signal: AbortSignal.timeout(ANSWER_MS) });
    await response.body?.cancel();
    status = response.status;
  } catch (error) {
    const why = errorText((error as Error).cause ?? error);
    return { check: provider, status: "problem", message: `${url.host} can't be reached: ${why}` };
  }
  if (status === 401 || status === 403) {
    const name = `${provider.toUpperCase()}_API_KEY`;
    return {
      check: provider,
      status: "problem",
      message: `the key is refused (${status}). Set ${name} to a good one.`,
    };
  }
  const message = `${url.host} answered ${status}`;
  return { check: provider, status: status < 300 ? "ok" : "warning", message };
}
