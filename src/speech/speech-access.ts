import { providerSettings } from "../accounts/llm-provider.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import type { SpeechAccess } from "./speech-service.ts";
import type { SpeechDeps } from "./voice-sample.ts";
import type { TtsProvider } from "./voices.ts";

export type SpeechSettings = Partial<Record<TtsProvider, Partial<SpeechAccess>>>;

/**
 * Whose key a voice is spoken with: the installation's for speech, else, at OpenAI and Google, the one that models of the
 * sub-organization use. OpenAI's speech is where its models are; Google's has an address of its own.
 */
export function speechAccessOf(parts: {
  db: Db;
  vault: Vault;
  /** Keys and addresses from the environment, for speech and for models. */
  environment: { speech: SpeechSettings; llm: ProviderSettings };
}): SpeechDeps["speechAccess"] {
  const { db, vault, environment } = parts;
  return async (sub_organization_id, provider) => {
    const own = environment.speech[provider] ?? {};
    const base = own.base_url === undefined ? {} : { base_url: own.base_url };
    if (own.api_key) return { api_key: own.api_key, ...base };
    if (provider !== "OpenAI" && provider !== "Google") return null;
    const models = await providerSettings({ db, vault, environment: environment.llm }, sub_organization_id);
    const known = provider === "OpenAI" ? models.openai : models.google;
    if (!known) return null;
    const modelBase = provider === "OpenAI" && known.base_url ? { base_url: known.base_url } : {};
    return { api_key: known.api_key, ...modelBase, ...base };
  };
}
