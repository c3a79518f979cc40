import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { Deleted, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { PROVIDERS } from "../llm/catalogue.ts";
import type { ProviderSettings } from "../llm/providers.ts";

/** An organization's own key for a model provider; it wins over the installation's from the environment. */
const provider = z.enum(PROVIDERS);

const LlmProviderInput = z
  .object({
    api_key: z
      .string()
      .min(1)
      .max(500)
      .nullish()
      .describe("Write-only; omitted or null keeps the stored one."),
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .nullish(),
  })
  .meta({ id: "LlmProviderInput" });

const LlmProviderResponse = z
  .object({
    provider,
    source: z
      .enum(["organization", "environment", "none"])
      .describe("Whose key is used; none: the scripted model"),
    base_url: z.string().nullish(),
    updated_at: timestamp().nullish(),
    last_updated_by: z.string().nullish(),
  })
  .meta({ id: "LlmProviderResponse" });

type Deps = { db: Db; clock: Clock; vault: Vault; environment: ProviderSettings };

export function llmProviderRoutes(api: Api, { db, clock, vault, environment }: Deps): void {
  const path = "/api/v1/llm_providers";
  const tag = "llm_providers";
  const params = z.object({ provider });

  const show = async (from: Db, caller: Caller, name: (typeof PROVIDERS)[number]) => {
    const row = await from
      .selectFrom("llm_providers")
      .select(["base_url", "updated_at", "last_updated_by"])
      .where("organization_id", "=", caller.organization_id)
      .where("provider", "=", name)
      .executeTakeFirst();
    if (row) return { provider: name, source: "organization" as const, ...row };
    const source = environment[name] ? ("environment" as const) : ("none" as const);
    return { provider: name, source, base_url: environment[name]?.base_url ?? null };
  };

  api.get(
    `${path}/`,
    {
      summary: "List model providers and whose key each uses",
      tag,
      permission: "integrations_read",
      response: z.array(LlmProviderResponse),
    },
    ({ caller }) => Promise.all(PROVIDERS.map((name) => show(db, caller, name))),
  );

  api.put(
    `${path}/:provider`,
    {
      summary: "Set this organization's key for a model provider",
      tag,
      permission: "integrations_write",
      params,
      body: LlmProviderInput,
      response: LlmProviderResponse,
    },
    ({ caller, params, body }) =>
      write(db, "Model provider", async (tx) => {
        const before = await show(tx, caller, params.provider);
        const stored = await tx
          .selectFrom("llm_providers")
          .select("sealed_api_key")
          .where("organization_id", "=", caller.organization_id)
          .where("provider", "=", params.provider)
          .forUpdate()
          .executeTakeFirst();
        const sealed_api_key = body.api_key ? vault.seal(body.api_key) : stored?.sealed_api_key;
        if (!sealed_api_key) throw invalid(["body", "api_key"], "Field required", "missing");
        if (params.provider === "azure_openai" && !body.base_url) {
          throw invalid(
            ["body", "base_url"],
            "Field required: each Azure resource has its own address",
            "missing",
          );
        }
        const values = {
          base_url: body.base_url ?? null,
          sealed_api_key,
          updated_at: clock.now().toISOString(),
          last_updated_by: caller.email,
        };
        await tx
          .insertInto("llm_providers")
          .values({ ...values, organization_id: caller.organization_id, provider: params.provider })
          .onConflict((conflict) => conflict.columns(["organization_id", "provider"]).doUpdateSet(values))
          .execute();
        const after = await show(tx, caller, params.provider);
        await api.audit(tx, caller, {
          action: "update",
          resource: tag,
          resource_id: params.provider,
          before,
          after,
        });
        return after;
      }),
  );

  api.delete(
    `${path}/:provider`,
    {
      summary: "Forget this organization's key for a model provider",
      tag,
      permission: "integrations_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, "Model provider", async (tx) => {
        const before = await show(tx, caller, params.provider);
        if (before.source !== "organization") {
          throw new Fault("not-found", `This organization has no key of its own for ${params.provider}.`);
        }
        await tx
          .deleteFrom("llm_providers")
          .where("organization_id", "=", caller.organization_id)
          .where("provider", "=", params.provider)
          .execute();
        await api.audit(tx, caller, {
          action: "delete",
          resource: tag,
          resource_id: params.provider,
          before,
        });
        return { success: true };
      }),
  );
}

/** The keys that sessions of a sub-organization use: its organization's, else the installation's. */
export async function providerSettings(
  { db, vault, environment }: Pick<Deps, "db" | "vault" | "environment">,
  sub_organization_id: number,
): Promise<ProviderSettings> {
  const rows = await db
    .selectFrom("llm_providers as p")
    .innerJoin("sub_organizations as s", "s.organization_id", "p.organization_id")
    .select(["p.provider", "p.base_url", "p.sealed_api_key"])
    .where("s.id", "=", sub_organization_id)
    .execute();
  const own = rows.map((row) => [
    row.provider,
    { api_key: vault.open(row.sealed_api_key), ...(row.base_url && { base_url: row.base_url }) },
  ]);
  return { ...environment, ...Object.fromEntries(own) };
}
