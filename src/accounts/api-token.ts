import { sql } from "kysely";
import { z } from "zod";
import type { Bound, Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { boundedList, inputTimestamp, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { sha256 } from "../base/crypto.ts";
import { Fault, notFound } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Db, Tx } from "../db/database.ts";
import { networkList } from "./allowed-networks.ts";
import { endGrants, endTokens, notAfter, refuseRevoked } from "./bound.ts";
import { refuseUnknownPermissions } from "./permission.ts";
import { lockPeople } from "./user-record.ts";

/** The prefix lets secret scanners know a leaked token; 32 characters of base 62 carry 190 bits. */
const PREFIX = "parley_";
const DEFAULT_LIFE_DAYS = 365;
const MAX_LIFE_DAYS = 3650;
const DAY_MS = 86_400_000;

const ApiTokenResponse = z
  .object({
    id: z.int(),
    name: z.string(),
    last_four: z.string(),
    permissions: boundedList(z.string()).nullish(),
    created_at: timestamp(),
    created_by: z.string(),
    expires_at: timestamp(),
    last_used_at: timestamp().nullish(),
    allowed_networks: boundedList(z.string()).nullish().describe("Where it is used from; null: everywhere."),
    revoked_at: timestamp().nullish(),
    made_with: z.string().nullish().describe("The token it was created with; it ends together with that one"),
    granted_users: boundedList(z.string()).describe(
      "People whose role or access it gave: that ends with the token, until somebody who signed in with a password saves them.",
    ),
  })
  .meta({ id: "ApiTokenResponse" });

const ApiTokenCreated = ApiTokenResponse.extend({
  token: z.string().describe("The token itself: shown in this answer and never again."),
}).meta({ id: "ApiTokenCreated" });

/** Strict: a misspelt limit would be none. */
const ApiTokenCreateRequest = z
  .strictObject({
    name: name(),
    permissions: z
      .array(z.string())
      .max(1_000)
      .nullish()
      .describe(
        "What the token may do; null or omitted for all its creator may do at the time of each call.",
      ),
    expires_at: inputTimestamp()
      .nullish()
      .describe(
        "365 days from now when omitted. A token made with another one expires with that at the latest.",
      ),
    allowed_networks: networkList()
      .nullish()
      .describe(
        "The IPv4 and IPv6 networks (CIDR) it is used from; null or omitted for everywhere. A token made with another one is used from where that is.",
      ),
  })
  .meta({ id: "ApiTokenCreateRequest" });

const MAX_USERS_SHOWN = 100;

const tokenList: list.ListRules = {
  fields: {
    name: list.text("api_tokens.name"),
    created_by: list.text("api_tokens.created_by"),
    created_at: list.time("api_tokens.created_at"),
    expires_at: list.time("api_tokens.expires_at"),
  },
  time: "api_tokens.created_at",
  order: [{ column: "api_tokens.id", direction: "desc" }],
};

const selectTokens = (db: Db, caller: Caller) =>
  db
    .selectFrom("api_tokens")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "id",
      "name",
      "last_four",
      "permissions",
      "created_at",
      "created_by",
      "expires_at",
      "last_used_at",
      "allowed_networks",
      "revoked_at",
      sql<string | null>`(select m.name from api_tokens m where m.id = api_tokens.made_with_token_id)`.as(
        "made_with",
      ),
      sql<string[]>`array(
        select u.email from users u
        where u.sub_organization_id = api_tokens.sub_organization_id and u.granted_by_token_id = api_tokens.id
          and u.deleted_at is null
        order by u.email limit ${MAX_USERS_SHOWN}::bigint)`.as("granted_users"),
    ]);

export const newToken = (): string => PREFIX + randomBase62(32);

/** Stores a token's hash; the token itself is never written anywhere. */
export async function insertToken(
  tx: Tx,
  row: {
    sub_organization_id: number;
    user_id: number;
    name: string;
    permissions: string[] | null;
    created_by: string;
    created_at: Date;
    expires_at: Date;
    /** The token it was made with. */
    made_with_token_id?: number | null;
    allowed_networks?: string[] | null;
  },
  token: string,
): Promise<number> {
  const { id } = await tx
    .insertInto("api_tokens")
    .values({
      ...row,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      token_hash: sha256(token),
      last_four: token.slice(-4),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export const defaultExpiry = (now: Date): Date => new Date(now.getTime() + DEFAULT_LIFE_DAYS * DAY_MS);

export function apiTokenRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/api_tokens";
  const tag = "api_tokens";

  api.get(
    `${path}/`,
    {
      summary: "List API tokens",
      tag,
      permission: "api_token_read",
      query: list.listQuery(tokenList),
      response: list.listOf(ApiTokenResponse),
    },
    ({ caller, query }) => list.listPage(db, selectTokens(db, caller), query, tokenList),
  );

  api.post(
    `${path}/`,
    {
      summary: "Create an API token",
      tag,
      permission: "api_token_write",
      body: ApiTokenCreateRequest,
      response: ApiTokenCreated,
    },
    ({ caller, body }) =>
      write(db, "API token", async (tx) => {
        const now = clock.now();
        const { bound } = caller;
        const expires_at = body.expires_at ? new Date(body.expires_at) : notAfter(bound, defaultExpiry(now));
        refuseBadExpiry(now, expires_at);
        refuseOutliving(bound, expires_at);
        await refuseRevoked(tx, caller);
        refuseUnknownPermissions(body.permissions ?? []);
        const beyond = body.permissions?.find((permission) => !caller.permissions.has(permission));
        if (beyond) throw new Fault("forbidden", `A token can't have ${beyond}: you don't have it yourself.`);

        const allowed_networks = tokenNetworks(caller, body.allowed_networks ?? null);
        const token = newToken();
        const permissions = tokenScope(bound, body.permissions ?? null);
        const made_with_token_id = bound?.token_id ?? null;
        const row = {
          name: body.name,
          permissions,
          created_by: caller.email,
          created_at: now,
          expires_at,
          made_with_token_id,
          allowed_networks,
        };
        const { sub_organization_id, user_id } = caller;
        const id = await insertToken(tx, { ...row, sub_organization_id, user_id }, token);
        const created = await selectTokens(tx, caller).where("id", "=", id).executeTakeFirstOrThrow();
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: id, after: created });
        return { ...created, token };
      }),
  );

  api.delete(
    `${path}/:id`,
    {
      summary: "Revoke an API token",
      description: "Everything created with it ends, too: tokens, sign-in links, and roles given to people.",
      tag,
      permission: "api_token_delete",
      params: z.object({ id: recordId() }),
      response: ApiTokenResponse,
    },
    ({ caller, params }) =>
      write(db, "API token", async (tx) => {
        await lockPeople(tx, caller);
        const before = await selectTokens(tx, caller)
          .where("id", "=", params.id)
          .forUpdate()
          .executeTakeFirst();
        if (!before) throw notFound("API token", params.id);
        const now = clock.now().toISOString();
        await endTokens(tx, now, [params.id]);
        await endGrants(tx, now, [params.id]);
        const after = await selectTokens(tx, caller).where("id", "=", params.id).executeTakeFirstOrThrow();
        await api.audit(tx, caller, {
          action: "delete",
          resource: tag,
          resource_id: params.id,
          before,
          after,
        });
        return after;
      }),
  );
}

function refuseBadExpiry(now: Date, expires_at: Date): void {
  const days = (expires_at.getTime() - now.getTime()) / DAY_MS;
  if (days <= 0) throw new Fault("refused", "expires_at is in the past.");
  if (days > MAX_LIFE_DAYS) throw new Fault("refused", "expires_at is more than ten years ahead.");
}

function refuseOutliving(bound: Bound | null, expires_at: Date): void {
  if (bound === null || expires_at <= bound.until) return;
  throw new Fault(
    "forbidden",
    `A token can't make one that outlives it: expires_at may be ${bound.until.toISOString()} at the latest. For a longer life, make the token in the console, signed in with your password.`,
  );
}

/** A token made with a narrowed token stays as narrow; only a person's own "everything" means "as my role says". */
const tokenScope = (bound: Bound | null, asked: string[] | null): string[] | null =>
  asked === null ? (bound?.permissions ?? null) : [...new Set(asked)].toSorted();

/** What is made with a token that is used from some networks only is used from nowhere else. */
function tokenNetworks({ networks }: Caller, asked: string[] | null): string[] | null {
  const wanted = asked && asked.length > 0 ? [...new Set(asked)] : null;
  if (!networks || networks.length === 0) return wanted;
  if (wanted?.some((network) => !networks.includes(network)))
    throw new Fault("forbidden", `A token made with this one is used from ${networks.join(", ")} only.`);
  return wanted ?? networks;
}
