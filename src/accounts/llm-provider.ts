import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid, unreachable } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { failureWords } from "../egress/egress-failure.ts";
import { PROVIDERS } from "../llm/catalogue.ts";
import { KEY_CHECK_MS, type KeyVerdict, keyCheck, keyVerdict } from "../llm/key-check.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import { addProviderKeys, ownKeys } from "./provider-keys.ts";

const provider = z.enum(PROVIDERS);

const LlmProviderTest = z
  .object({
    provider,
    verdict: z.enum(["good", "refused", "unclear", "unreachable"]),
    message: z.string(),
    duration_ms: z.number(),
  })
  .meta({ id: "LlmProviderTest" });

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
      sourceMeaning: "Whose key is used; none: the scripted model",
      withoutOwn: async (_from, caller, name) => ({
        source: environment[name] ? "environment" : "none",
        // Where the operator's own servers are is told to the operator.
        base_url: isOperator(caller) ? (environment[name]?.base_url ?? null) : null,
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
      summary: "Ask a model provider whether the key in use is good",
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
      const begun = performance.now();
      // The installation's own address may be private; one that an organization names goes through the guard.
      const trusted = used === environment[params.provider];
      const question = keyCheck(params.provider, used);
      const shown = trusted && !isOperator(caller) ? "The installation's server" : new URL(question.url).host;
      const answer = await (trusted ? askDirectly : askGuarded(egress))(question, shown);
      return { provider: params.provider, ...answer, duration_ms: performance.now() - begun };
    },
  );
}

type Asked = KeyVerdict | { verdict: "unreachable"; message: string };
type Question = ReturnType<typeof keyCheck>;

const isOperator = (caller: Caller): boolean => caller.permissions.has("platform_admin");

/** `host`: as the answer names it. */
async function askDirectly({ url, headers }: Question, host: string): Promise<Asked> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(KEY_CHECK_MS) });
    await response.body?.cancel();
    return keyVerdict(host, response.status);
  } catch (error) {
    // The cause names an address.
    const why = host === new URL(url).host ? `: ${failureWords((error as Error).cause ?? error, host)}` : "";
    return { verdict: "unreachable", message: `${host} can't be reached${why}.` };
  }
}

const askGuarded =
  (egress: Egress) =>
  async ({ url, headers }: Question, host: string): Promise<Asked> => {
    const answer = await egress.send({
      url,
      method: "GET",
      headers,
      timeout_ms: KEY_CHECK_MS,
      max_response_bytes: 1_000_000,
    });
    switch (answer.kind) {
      case "response":
      case "redirect":
        return keyVerdict(host, answer.status);
      case "timeout":
        return { verdict: "unreachable", message: `${host} did not answer within ${KEY_CHECK_MS / 1000} s.` };
      case "refused":
      case "failed":
        return { verdict: "unreachable", message: `${host} can't be reached: ${answer.reason}.` };
      default:
        return unreachable(answer);
    }
  };

/** The keys that sessions of a sub-organization use: its organization's, else the installation's. */
export async function providerSettings(
  { db, vault, environment }: Pick<Deps, "db" | "vault" | "environment">,
  sub_organization_id: number,
): Promise<ProviderSettings> {
  const own = await ownKeys({ db, vault }, "llm_providers", sub_organization_id, PROVIDERS);
  return { ...environment, ...own };
}
