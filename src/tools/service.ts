import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates, refuseWhileHeld } from "../api/resource.ts";
import { name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { withoutQuery } from "./access-token.ts";
import { MAX_ALLOWED_HOSTS, readAllowedHosts } from "./allowed-hosts.ts";
import { refuseUnusableAuth, refuseWrongAuthKeys } from "./auth-values.ts";
import { hostForMcp, readMcpUrl } from "./mcp/mcp-address.ts";
import { type CalledUrls, hostsOfTools } from "./service-hosts.ts";

const ToolAuthType = z.enum(["basic", "bearer", "custom_headers", "oauth2"]).meta({ id: "ToolAuthType" });

export const ServiceCreateRequest = z
  .object({
    name: name(),
    description: z.string(),
    auth_type: ToolAuthType.nullish(),
    auth_values: z
      .record(z.string(), z.string().nullable())
      .nullish()
      .describe("Write-only. On update a null value keeps the stored one, an omitted key removes it."),
    allowed_hosts: z
      .array(z.string().min(1).max(255))
      .max(MAX_ALLOWED_HOSTS)
      .nullish()
      .describe(
        "Where the credentials may be sent: host names, with a port where it is not 443. Omitted: kept on update; where a secret is set, the hosts of the service's tools, or of the first tool. A new host needs the secret again.",
      ),
    mcp_url: z
      .string()
      .max(2_048)
      .nullish()
      .describe(
        "The address of an MCP server (streamable HTTP), whose tools can be added as tools. Omitted: kept on update.",
      ),
  })
  .meta({ id: "ServiceCreateRequest" });
const ServiceUpdateRequest = ServiceCreateRequest.extend({
  id: recordId(),
  last_updated_comments: z.string().nullish(),
}).meta({ id: "ServiceUpdateRequest" });
type ServiceInput = z.infer<typeof ServiceCreateRequest>;

const ServiceResponse = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    auth_type: ToolAuthType.nullish(),
    auth_value_keys: z.array(z.string()).nullish(),
    allowed_hosts: z.array(z.string()).nullish(),
    auth_url: z
      .string()
      .nullish()
      .describe("Where an OAuth2 service signs in, without its query; not in lists."),
    mcp_url: z.string().nullish(),
    last_updated_comments: z.string().nullish(),
    last_updated: timestamp(),
    last_updated_by: z.string(),
    tools: z.array(z.string()),
  })
  .meta({ id: "ServiceResponse" });
type ServiceResponse = z.infer<typeof ServiceResponse>;

const serviceList: list.ListRules = {
  fields: {
    id: list.integer("s.id"),
    name: list.text("s.name"),
    description: list.text("s.description"),
    last_updated: list.time("s.last_updated"),
    last_updated_by: list.text("s.last_updated_by"),
  },
  time: "s.last_updated",
  order: [{ column: "s.id", direction: "asc" }],
};

const selectServices = (db: Db, caller: Caller) =>
  db
    .selectFrom("services as s")
    .where("s.sub_organization_id", "=", caller.sub_organization_id)
    .where("s.deleted_at", "is", null)
    .select([
      "s.id",
      "s.name",
      "s.description",
      "s.auth_type",
      "s.auth_value_keys",
      "s.allowed_hosts",
      "s.mcp_url",
      "s.last_updated_comments",
      "s.last_updated",
      "s.last_updated_by",
      sql<string[]>`array(
        select t.name from tools t where t.service_id = s.id and t.deleted_at is null order by t.name
      )`.as("tools"),
    ])
    .$castTo<ServiceResponse>();

/** What else calls a service, beside the tools there are: the rooms that have it say so. */
type ServiceHolders = (tx: Tx, service_id: number) => Promise<{ kind: string; name: string }[]>;

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  insightToolUrls: CalledUrls;
  serviceHolders: ServiceHolders;
};

export type CreatesService = Creates<ServiceInput, ServiceResponse>;

export function serviceRoutes(
  api: Api,
  { db, clock, vault, insightToolUrls, serviceHolders }: Deps,
): { create: CreatesService } {
  const values = (caller: Caller, input: ServiceInput, stored: StoredCredentials) => {
    // Another kind of credentials takes nothing over: a header may have the name of what is secret elsewhere.
    const kept = (input.auth_type ?? null) === stored.auth_type ? stored.values : {};
    const auth = mergeAuthValues(input, kept);
    refuseMovedSecret(input, kept, auth);
    refuseWrongAuthKeys(input.auth_type ?? null, auth);
    refuseUnusableAuth(input.auth_type ?? null, input.auth_values ?? {});
    const keys = Object.keys(auth).toSorted();
    const mcp_url = input.mcp_url === undefined ? stored.mcp_url : readMcpUrl(input.mcp_url);
    const hosts = input.allowed_hosts == null ? stored.hosts : readAllowedHosts(input.allowed_hosts);
    const allowed_hosts = mcp_url !== null && keys.length > 0 ? hostForMcp(mcp_url, hosts) : hosts;
    refuseMovedHosts(input, stored.hosts, allowed_hosts, auth);
    return {
      name: input.name,
      description: input.description,
      auth_type: input.auth_type ?? null,
      auth_value_keys: keys.length > 0 ? keys : null,
      allowed_hosts,
      mcp_url,
      sealed_auth_values: keys.length > 0 ? vault.seal(JSON.stringify(auth)) : null,
      last_updated: clock.now().toISOString(),
      last_updated_by: caller.email,
    };
  };

  const find = async (from: Db, caller: Caller, id: number): Promise<ServiceResponse | undefined> => {
    const found = await selectServices(from, caller)
      .where("s.id", "=", id)
      .select("s.sealed_auth_values")
      .executeTakeFirst();
    if (!found) return undefined;
    const { sealed_auth_values: sealed, ...row } = found;
    return row.auth_type === "oauth2" && sealed
      ? { ...row, auth_url: withoutQuery(JSON.parse(vault.open(sealed)).auth_url) }
      : row;
  };

  return addResource(api, db, {
    path: "/api/v1/services",
    noun: "Service",
    id_name: "service_id",
    tag: "services",
    permission: "services",
    record: ServiceResponse,
    create: ServiceCreateRequest,
    update: ServiceUpdateRequest,
    list: serviceList,
    audited(row, input) {
      const secrets_set = Object.keys(input?.auth_values ?? {}).filter(
        (key) => input?.auth_values?.[key] != null,
      );
      return secrets_set.length > 0 ? { ...row, secrets_set } : row;
    },
    store: {
      page: (caller, query) => list.listPage(db, selectServices(db, caller), query, serviceList),
      find,
      async insert(tx, caller, input) {
        const { id } = await tx
          .insertInto("services")
          .values({ ...values(caller, input, NOTHING), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input) {
        const row = await tx
          .selectFrom("services")
          .select(["is_system", "auth_type", "sealed_auth_values", "allowed_hosts", "mcp_url"])
          .where("id", "=", input.id)
          .forUpdate()
          .executeTakeFirstOrThrow();
        refuseSystemService(row.is_system);
        const stored = {
          auth_type: row.auth_type,
          mcp_url: row.mcp_url,
          values: row.sealed_auth_values ? JSON.parse(vault.open(row.sealed_auth_values)) : {},
          hosts:
            row.sealed_auth_values || input.auth_type == null
              ? row.allowed_hosts
              : (row.allowed_hosts ?? (await hostsOfTools(tx, input.id, insightToolUrls))),
        };
        await tx
          .updateTable("services")
          .set({
            ...values(caller, input, stored),
            last_updated_comments: input.last_updated_comments ?? null,
          })
          .where("id", "=", input.id)
          .execute();
      },
      async remove(tx, _caller, id, { reason }, before) {
        const row = await tx
          .selectFrom("services")
          .select("is_system")
          .where("id", "=", id)
          .forUpdate()
          .executeTakeFirstOrThrow();
        refuseSystemService(row.is_system);
        // Read after the lock: a tool that was being added to the service is there now, or will find it gone.
        const tools = await tx
          .selectFrom("tools")
          .select("name")
          .where("service_id", "=", id)
          .where("deleted_at", "is", null)
          .orderBy("name")
          .execute();
        refuseWhileHeld(`service "${before.name}"`, [
          ...tools.map(({ name }) => ({ kind: "tool", name })),
          ...(await serviceHolders(tx, id)),
        ]);
        await tx
          .updateTable("services")
          .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
          .where("id", "=", id)
          .execute();
      },
    },
  });
}

type AuthValues = Record<string, string>;
type StoredCredentials = {
  auth_type: string | null;
  values: AuthValues;
  hosts: string[] | null;
  mcp_url: string | null;
};
const NOTHING: StoredCredentials = { auth_type: null, values: {}, hosts: null, mcp_url: null };

/**
 * The specification's rule for write-only maps: a null value keeps what is stored, an omitted key removes it, and an
 * omitted map keeps everything (decision: a client that knows nothing of the secrets must not delete them).
 */
function mergeSecrets(
  given: Record<string, string | null> | null | undefined,
  stored: AuthValues,
): AuthValues {
  if (given == null) return stored;
  const merged: AuthValues = {};
  for (const [key, value] of Object.entries(given)) {
    const kept = value ?? stored[key];
    if (kept !== undefined) merged[key] = kept;
  }
  return merged;
}

const mergeAuthValues = (input: ServiceInput, stored: AuthValues): AuthValues =>
  input.auth_type == null ? {} : mergeSecrets(input.auth_values, stored);

/** A secret goes to the sign-in server it was given for; for another one it is given again. */
function refuseMovedSecret(
  { auth_type, auth_values }: ServiceInput,
  stored: AuthValues,
  auth: AuthValues,
): void {
  if (auth_type !== "oauth2" || stored.auth_url === undefined || auth.auth_url === stored.auth_url) return;
  if (auth_values?.client_secret) return;
  throw invalid(
    ["body", "auth_values", "client_secret"],
    "auth_url has changed: give the client_secret again",
  );
}

/** Names and addresses: what a secret belongs to. */
const NO_SECRETS = new Set(["username", "client_id", "auth_url"]);

/** A secret goes to the hosts it was given for; for one more it is given again, whoever asks. */
function refuseMovedHosts(
  { auth_type, auth_values }: ServiceInput,
  stored: string[] | null,
  hosts: string[] | null,
  auth: AuthValues,
): void {
  const added = (hosts ?? []).find((host) => !stored?.includes(host));
  if (added === undefined) return;
  const isSecret = (key: string) => auth_type === "custom_headers" || !NO_SECRETS.has(key);
  const missing = Object.keys(auth).find((key) => isSecret(key) && auth_values?.[key] == null);
  if (missing === undefined) return;
  throw invalid(
    ["body", "auth_values", missing],
    `The credentials may now be sent to ${added} as well: give ${missing} again`,
  );
}

function refuseSystemService(is_system: boolean): void {
  if (is_system) throw new Fault("refused", "This service is built in; it can't be changed or deleted.");
}
