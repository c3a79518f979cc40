import type { Provider } from "./catalogue.ts";
import type { ProviderAccess } from "./providers.ts";

/** A cheap call of each provider that answers 200 to a good key: its list of models. */
const CHECKS: Record<Provider, { base: string; path: string; headers(key: string): Record<string, string> }> =
  {
    openai: {
      base: "https://api.openai.com/v1",
      path: "/models",
      headers: (key) => ({ authorization: `Bearer ${key}` }),
    },
    // Each resource has an address of its own.
    azure_openai: {
      base: "",
      path: "/models?api-version=2024-10-21",
      headers: (key) => ({ "api-key": key }),
    },
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

export const KEY_CHECK_MS = 10_000;

export function keyCheck(
  provider: Provider,
  { api_key, base_url }: ProviderAccess,
): { url: string; headers: Record<string, string> } {
  const { base, path, headers } = CHECKS[provider];
  return { url: `${base_url ?? base}${path}`, headers: headers(api_key) };
}

/** What an answer says of the key. */
export type KeyVerdict = { verdict: "good" | "refused" | "unclear"; message: string };

export function keyVerdict(host: string, status: number): KeyVerdict {
  if (status === 401 || status === 403) {
    return { verdict: "refused", message: `${host} refuses the key (${status}).` };
  }
  return { verdict: status < 300 ? "good" : "unclear", message: `${host} answered ${status}.` };
}
