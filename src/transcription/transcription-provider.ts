import { providerSettings } from "../accounts/llm-provider.ts";
import { addProviderKeys, type KeyAccess, ownKeys } from "../accounts/provider-keys.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import { TRANSCRIBERS, type Transcriber } from "../insights/tool-arguments.ts";
import type { ProviderSettings } from "../llm/providers.ts";

export type TranscriptionSettings = Partial<Record<Transcriber, KeyAccess>>;

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  /** Keys from the environment, for transcription and for models. */
  environment: { transcription: TranscriptionSettings; llm: ProviderSettings };
};

export function transcriptionProviderRoutes(api: Api, deps: Deps): void {
  addProviderKeys(api, deps, {
    table: "transcription_providers",
    schema: "TranscriptionProvider",
    noun: "Transcription provider",
    one: "a service that transcribes",
    many: "services that transcribe",
    providers: TRANSCRIBERS,
    otherSources: ["environment", "llm_provider", "none"],
    sourceMeaning: "Whose key is used; llm_provider: the one that models of this provider use",
    async withoutOwn(from, caller, name) {
      const given = deps.environment.transcription[name];
      // Where the operator's own servers are is told to the operator.
      const shown = (base_url: string | undefined) =>
        caller.permissions.has("platform_admin") ? (base_url ?? null) : null;
      if (given) return { source: "environment", base_url: shown(given.base_url) };
      const llm = await llmAccess({ ...deps, db: from }, caller.sub_organization_id, name);
      const isOperators =
        llm !== undefined && llm === deps.environment.llm[name as keyof typeof deps.environment.llm];
      const base_url = isOperators ? shown(llm.base_url) : (llm?.base_url ?? null);
      return { source: llm ? "llm_provider" : "none", base_url };
    },
  });
}

/** The organization's own key, else the installation's, else the one that models of the same provider use. */
export const transcriptionAccessOf =
  (deps: Omit<Deps, "clock">) =>
  async (sub_organization_id: number, name: Transcriber): Promise<KeyAccess | null> => {
    const own = await ownKeys(deps, "transcription_providers", sub_organization_id, [name]);
    return (
      own[name] ?? deps.environment.transcription[name] ?? (await llmAccess(deps, sub_organization_id, name))
    );
  };

async function llmAccess(
  { db, vault, environment }: Omit<Deps, "clock">,
  sub_organization_id: number,
  name: Transcriber,
): Promise<KeyAccess | null> {
  if (name === "deepgram") return null;
  const settings = await providerSettings({ db, vault, environment: environment.llm }, sub_organization_id);
  return settings[name] ?? null;
}
