import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { takeTurn, write } from "../api/resource.ts";
import { Deleted, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { fixedStatement } from "../db/fixed-statement.ts";
import { headerProblem, NOT_CARRIED } from "../egress/outgoing-headers.ts";

const ProviderKeyInput = z.object({
  api_key: z
    .string()
    .min(1)
    .max(500)
    .refine((key) => headerProblem("authorization", key) === null, { error: NOT_CARRIED })
    .nullish()
    .describe("Write-only; omitted or null keeps the stored one, which a new base_url does not allow."),
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .nullish(),
});
type ProviderKeyInput = z.infer<typeof ProviderKeyInput>;

/** The tables of this shape; a table's name is also its path and its tag. */
type KeyTable = "llm_providers" | "speech_providers" | "transcription_providers";

/** An organization's own keys for a kind of provider, at most one each, and what answers where there is none. */
type ProviderKeys<Name extends string, Other extends string> = {
  table: KeyTable;
  /** In API documents: `LlmProvider` gives LlmProviderInput and LlmProviderResponse. */
  schema: string;
  noun: string;
  /** As the summaries say it: "Set this organization's key for a model provider". */
  one: string;
  many: string;
  providers: readonly Name[];
  /** Whose key is used when the organization has none of its own, and what the words mean. */
  otherSources: readonly Other[];
  sourceMeaning: string;
  withoutOwn(from: Db, caller: Caller, name: Name): Promise<{ source: Other; base_url: string | null }>;
  /** Throws where a provider needs more than a key. */
  check?(name: Name, input: ProviderKeyInput): void;
};

type Deps = { db: Db; clock: Clock; vault: Vault };

/** List, set and forget, each change in one transaction with its audit entry. */
export function addProviderKeys<Name extends string, Other extends string>(
  api: Api,
  { db, clock, vault }: Deps,
  keys: ProviderKeys<Name, Other>,
): void {
  const { table, noun, one, many } = keys;
  const path = `/api/v1/${table}`;
  const provider = z.enum(keys.providers);
  const params = z.object({ provider });
  const response = z
    .object({
      provider,
      source: z.enum(["organization", ...keys.otherSources]).describe(keys.sourceMeaning),
      base_url: z.string().nullish(),
      updated_at: timestamp().nullish(),
      last_updated_by: z.string().nullish(),
    })
    .meta({ id: `${keys.schema}Response` });

  const stored = (from: Db, caller: Caller, name: string) =>
    from.selectFrom(table).where("organization_id", "=", caller.organization_id).where("provider", "=", name);

  const show = async (from: Db, caller: Caller, name: Name) => {
    const own = await stored(from, caller, name)
      .select(["base_url", "updated_at", "last_updated_by"])
      .executeTakeFirst();
    if (own) return { provider: name, source: "organization" as const, ...own };
    return { provider: name, ...(await keys.withoutOwn(from, caller, name)) };
  };

  api.get(
    `${path}/`,
    {
      summary: `List ${many} and whose key each uses`,
      tag: table,
      permission: "integrations_read",
      response: z.array(response),
    },
    ({ caller }) => Promise.all(keys.providers.map((name) => show(db, caller, name))),
  );

  api.put(
    `${path}/:provider`,
    {
      summary: `Set this organization's key for ${one}`,
      tag: table,
      permission: "integrations_write",
      params,
      body: ProviderKeyInput.meta({ id: `${keys.schema}Input` }),
      response,
    },
    ({ caller, params, body }) =>
      write(db, noun, async (tx) => {
        const name = params.provider;
        await takeTurn(tx, table, `${caller.organization_id}/${name}`);
        const before = await show(tx, caller, name);
        const row = await stored(tx, caller, name).select(["sealed_api_key", "base_url"]).executeTakeFirst();
        const sealed_api_key = body.api_key ? vault.seal(body.api_key) : row?.sealed_api_key;
        if (!sealed_api_key) throw invalid(["body", "api_key"], "Field required", "missing");
        if (!body.api_key && row?.base_url !== (body.base_url ?? null)) {
          // Who may set a key may not read the stored one, so may not have it sent to a server of theirs either.
          const why = "Field required: a stored key is only sent to the base_url it was given with";
          throw invalid(["body", "api_key"], why, "missing");
        }
        keys.check?.(name, body);
        const values = {
          base_url: body.base_url ?? null,
          sealed_api_key,
          updated_at: clock.now().toISOString(),
          last_updated_by: caller.email,
        };
        await tx
          .insertInto(table)
          .values({ ...values, organization_id: caller.organization_id, provider: name })
          .onConflict((conflict) => conflict.columns(["organization_id", "provider"]).doUpdateSet(values))
          .execute();
        const after = await show(tx, caller, name);
        await api.audit(tx, caller, { action: "update", resource: table, resource_id: name, before, after });
        return after;
      }),
  );

  api.delete(
    `${path}/:provider`,
    {
      summary: `Delete this organization's key for ${one}`,
      tag: table,
      permission: "integrations_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, noun, async (tx) => {
        const name = params.provider;
        await takeTurn(tx, table, `${caller.organization_id}/${name}`);
        const before = await show(tx, caller, name);
        if (before.source !== "organization") {
          throw new Fault("not-found", `This organization has no key of its own for ${name}.`);
        }
        await tx
          .deleteFrom(table)
          .where("organization_id", "=", caller.organization_id)
          .where("provider", "=", name)
          .execute();
        await api.audit(tx, caller, { action: "delete", resource: table, resource_id: name, before });
        return { success: true };
      }),
  );
}

/** Where a provider is and how to prove who asks; `base_url`: any server that speaks the same. */
export type KeyAccess = { api_key: string; base_url?: string };

/** The keys that a sub-organization's organization has of its own for these providers, opened. */
export async function ownKeys(
  { db, vault }: Pick<Deps, "db" | "vault">,
  table: KeyTable,
  sub_organization_id: number,
  providers: readonly string[],
): Promise<Record<string, KeyAccess>> {
  const rows = await KEYS_OF[table](db, { sub_organization_id });
  return Object.fromEntries(
    rows
      .filter(({ provider }) => providers.includes(provider))
      .map((row) => [
        row.provider,
        { api_key: vault.open(row.sealed_api_key), ...(row.base_url && { base_url: row.base_url }) },
      ]),
  );
}

type StoredKey = { provider: string; base_url: string | null; sealed_api_key: string };

/** Every turn reads them. Index: primary key. */
const keysIn = (table: KeyTable) =>
  fixedStatement<{ sub_organization_id: number }, StoredKey>(
    ({ sub_organization_id }) => sql`
      select provider, base_url, sealed_api_key from ${sql.table(table)}
      where organization_id = (select s.organization_id from sub_organizations s where s.id = ${sub_organization_id})`,
  );

const KEYS_OF: Record<KeyTable, ReturnType<typeof keysIn>> = {
  llm_providers: keysIn("llm_providers"),
  speech_providers: keysIn("speech_providers"),
  transcription_providers: keysIn("transcription_providers"),
};
