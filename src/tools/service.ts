import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates, refuseWhileHeld } from "../api/resource.ts";
import { name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { withoutQuery } from "./access-token.ts";
import { MAX_ALLOWED_HOSTS } from "./allowed-hosts.ts";
import { type KeptCredentials, NO_CREDENTIALS, savedCredentials } from "./saved-credentials.ts";
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
  const values = (caller: Caller, input: ServiceInput, stored: KeptCredentials) => {
    const { auth, allowed_hosts, mcp_url } = savedCredentials(input, stored);
    const keys = Object.keys(auth).toSorted();
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
          .values({
            ...values(caller, input, NO_CREDENTIALS),
            sub_organization_id: caller.sub_organization_id,
          })
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

function refuseSystemService(is_system: boolean): void {
  if (is_system) throw new Fault("refused", "This service is built in; it can't be changed or deleted.");
}
