import { z } from "zod";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { PROVIDERS } from "../llm/catalogue.ts";
import { keyCheck } from "../llm/key-check.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import { askAboutKey, KeyTested } from "./ask-about-key.ts";
import { addProviderKeys, ownKeys } from "./provider-keys.ts";

const provider = z.enum(PROVIDERS);

const LlmProviderTest = KeyTested.extend({ provider }).meta({ id: "LlmProviderTest" });

type Deps = { db: Db; clock: Clock; vault: Vault; egress: Egress; environment: ProviderSettings };

/** An organization's own key for a model provider; it wins over the installation's from the environment. */
export function llmProviderRoutes(api: Api, { db, clock, vault, egress, environment }: Deps): void {
  addProviderKeys(
    api,
    { db, clock, vault },
    {
      table: "llm_providers",
      schema: "LlmProvider",
      noun: "Model provider",
      one: "a model provider",
      many: "model providers",
      providers: PROVIDERS,
      otherSources: ["environment", "none"],
      sourceMeaning: "Owner of the key in use; none: the scripted model answers",
      withoutOwn: async (_from, caller, name) => ({
        source: environment[name] ? "environment" : "none",
        // Where the operator's own servers are is told to the operator.
        base_url: caller.permissions.has("platform_admin") ? (environment[name]?.base_url ?? null) : null,
      }),
      check(name, { base_url }) {
        if (name === "azure_openai" && !base_url) {
          throw invalid(
            ["body", "base_url"],
            "Field required: each Azure resource has its own address",
            "missing",
          );
        }
      },
    },
  );

  api.post(
    "/api/v1/llm_providers/:provider/test",
    {
      summary: "Test the key of a model provider",
      description: "A cheap call that costs nothing: the list of models. Nothing is stored.",
      tag: "llm_providers",
      permission: "integrations_write",
      params: z.object({ provider }),
      response: LlmProviderTest,
    },
    async ({ caller, params }) => {
      const access = await providerSettings({ db, vault, environment }, caller.sub_organization_id);
      const used = access[params.provider];
      if (!used)
        throw new Fault("refused", `There is no key for ${params.provider}: the scripted model answers.`);
      const isTrusted = used === environment[params.provider];
      const answer = await askAboutKey({ egress, caller, isTrusted }, keyCheck(params.provider, used));
      return { provider: params.provider, ...answer };
    },
  );
}

/** The keys that sessions of a sub-organization use: its organization's, else the installation's. */
export async function providerSettings(
  { db, vault, environment }: Pick<Deps, "db" | "vault" | "environment">,
  sub_organization_id: number,
): Promise<ProviderSettings> {
  const own = await ownKeys({ db, vault }, "llm_providers", sub_organization_id, PROVIDERS);
  return { ...environment, ...own };
}
