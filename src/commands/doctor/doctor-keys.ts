import { errorText } from "../../base/errors.ts";
import type { Config, LlmProvider, Secrets } from "../../config.ts";
import { KEY_CHECK_MS, keyCheck, keyVerdict } from "../../llm/key-check.ts";
import type { Finding } from "./finding.ts";

export async function checkKeys(config: Config, secrets: Secrets): Promise<Finding[]> {
  const keys = Object.entries(secrets.llm_api_keys) as [LlmProvider, string][];
  if (keys.length === 0) {
    const message = "no provider key is set: the scripted offline model answers";
    return [{ check: "models", status: "ok", message }];
  }
  return Promise.all(keys.map(([provider, key]) => checkKey(config, provider, key)));
}

async function checkKey(config: Config, provider: LlmProvider, key: string): Promise<Finding> {
  const base_url = config.llm_base_urls[provider];
  const check = keyCheck(provider, { api_key: key, ...(base_url && { base_url }) });
  const url = new URL(check.url);
  let status: number;
  try {
    // The operator names this address, so a private one is meant.
    const response = await fetch(url, { headers: check.headers, signal: AbortSignal.timeout(KEY_CHECK_MS) });
    await response.body?.cancel();
    status = response.status;
  } catch (error) {
    const why = errorText((error as Error).cause ?? error);
    return { check: provider, status: "problem", message: `${url.host} can't be reached: ${why}` };
  }
  const { verdict, message } = keyVerdict(url.host, status);
  if (verdict === "refused") {
    const name = `${provider.toUpperCase()}_API_KEY`;
    return {
      check: provider,
      status: "problem",
      message: `the key is refused (${status}). Set ${name} to a good one.`,
    };
  }
  return { check: provider, status: verdict === "good" ? "ok" : "warning", message };
}
