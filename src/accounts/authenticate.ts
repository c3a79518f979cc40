import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Bound, Caller } from "../api/caller.ts";
import { isOwnPage } from "../api/own-page.ts";
import { API_KEY_HEADER, type Authenticate } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { sha256, type Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { type AccessRules, signInEnd } from "./access-rules.ts";
import { requireWithin } from "./allowed-networks.ts";
import { earlier, permissionsAt, roleAt } from "./bound.ts";
import { isLocalToken, localTokenEnd } from "./local-token.ts";
import { ADMIN } from "./permission.ts";
import { SIGN_IN_COOKIE } from "./sign-in/begin-sign-in.ts";

/** `last_used_at` is for people looking for dead tokens; a write per call would cost more than the call. */
const LAST_USED_STEP_MS = 60_000;

type Grant = {
  organization_id: number;
  sub_organization_id: number;
  user_id: number;
  email: string;
  role_permissions: string[];
  granted_until: string | null;
  granted_by_token_id: number | null;
  audit_reads: boolean;
  access_rules: AccessRules | null;
};

type Deps = { db: Db; clock: Clock; vault: Vault; apiKeyHeaders: string[] };

type TokenRow = {
  api_token_id: number;
  permissions: string[] | null;
  expires_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
  allowed_networks: string[] | null;
};

/** The console says since when nobody has touched it: a page that looks for news by itself is no use of a sign-in. */
const IDLE_HEADER = "x-idle-seconds";
const IDLE_AFTER_S = 60;
/** Whom the page shows as signed in: in another tab somebody else may have signed in meanwhile (decision 0258). */
const PERSON_HEADER = "x-signed-in-as";
/** All that somebody may do who has to set up a second factor first: what each page needs, and one's own account. */
const OWN_ACCOUNT = ["permissions_read"];

/** Tells who sends a request: by API token in one of the key headers, or by the console's cookie. */
export function createAuthenticate({ db, clock, vault, apiKeyHeaders }: Deps): Authenticate {
  const headers = [API_KEY_HEADER, ...apiKeyHeaders].map((name) => name.toLowerCase());

  return async (request, { isUse } = { isUse: true }) => {
    const key = headers.map((name) => request.headers[name]).find((value) => value !== undefined);
    if (key !== undefined)
      return isLocalToken(String(key))
        ? byTerminal(request, String(key))
        : byToken(request, String(key), isUse);
    const cookie = request.cookies[SIGN_IN_COOKIE];
    return cookie === undefined ? null : bySignIn(request, cookie, isUse);
  };

  async function byToken(request: FastifyRequest, token: string, isUse: boolean): Promise<Caller> {
    const now = clock.now();
    // Every call of a program runs this: as a template it costs a tenth of what building it anew would.
    const { rows } = await sql<Grant & TokenRow>`
      select o.organization_id, u.sub_organization_id, u.id as user_id, u.email, u.granted_until, u.granted_by_token_id,
        g.audit_reads, g.access_rules,
        ${permissionsAt(now.toISOString())} as role_permissions,
        t.id as api_token_id, t.permissions, t.expires_at, t.revoked_at, t.last_used_at,
        t.allowed_networks
      from api_tokens t
      join users u on u.id = t.user_id and u.deleted_at is null
      join roles r on r.id = ${roleAt(now.toISOString())}
      join sub_organizations o on o.id = u.sub_organization_id
      join organizations g on g.id = o.organization_id and g.deleted_at is null
      where t.token_hash = ${sha256(token)}`.execute(db);
    const [found] = rows;
    if (!found || found.revoked_at !== null || new Date(found.expires_at) <= now) {
      throw new Fault("not-authenticated", "Invalid API key");
    }
    requireWithin(request.ip, found.access_rules?.allowed_networks ?? null, "Your organization");
    requireWithin(request.ip, found.allowed_networks, "This API token");
    if (isUse && isDue(found, now)) {
      await db
        .updateTable("api_tokens")
        .set({ last_used_at: now.toISOString() })
        .where("id", "=", found.api_token_id)
        .execute();
    }
    const own = {
      until: new Date(found.expires_at),
      token_id: found.api_token_id,
      permissions: found.permissions,
    };
    return { ...callerOf(request, found, own, found.api_token_id, now), networks: found.allowed_networks };
  }

  async function byTerminal(request: FastifyRequest, token: string): Promise<Caller> {
    const now = clock.now();
    const until = localTokenEnd(vault, now, token);
    if (until === null) throw new Fault("not-authenticated", "Invalid API key");
    // Of the first organization that still has one: its administrators operate the installation.
    const first = await grants(db, now)
      .where("r.name", "=", ADMIN)
      .orderBy("o.organization_id")
      .orderBy("u.id")
      .executeTakeFirst();
    if (!first) throw new Fault("not-authenticated", "Invalid API key");
    return callerOf(request, first, { until, token_id: null, permissions: null }, null, now);
  }

  async function bySignIn(request: FastifyRequest, cookie: string, isUse: boolean): Promise<Caller> {
    const now = clock.now();
    const found = await grants(db, now)
      .innerJoin("sign_ins as s", "s.user_id", "u.id")
      .where("s.token_hash", "=", sha256(cookie))
      .where("s.expires_at", ">", now.toISOString())
      .select([
        "s.id as sign_in_id",
        "s.created_at",
        "s.last_used_at",
        "s.bound_until",
        "s.bound_token_id",
        "s.bound_permissions",
        "s.by_identity_provider",
        sql<string[] | null>`(select t.allowed_networks from api_tokens t where t.id = s.bound_token_id)`.as(
          "allowed_networks",
        ),
        sql<boolean>`(exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
          or exists (select from passkeys p where p.user_id = u.id))`.as("has_second_factor"),
      ])
      .executeTakeFirst();
    const ends = found && signInEnd(found.access_rules, found);
    if (!found || (ends && ends <= now))
      throw new Fault("not-authenticated", "Your sign-in has ended. Sign in again.");
    const shown = request.headers[PERSON_HEADER];
    if (shown !== undefined && shown !== String(found.user_id))
      throw new Fault("not-authenticated", "Somebody else has signed in in this browser. Sign in again.");
    refuseForeignOrigin(request);
    requireWithin(request.ip, found.access_rules?.allowed_networks ?? null, "Your organization");
    requireWithin(request.ip, found.allowed_networks, "This sign-in");
    const own =
      found.bound_until === null
        ? null
        : {
            until: new Date(found.bound_until),
            token_id: found.bound_token_id,
            permissions: found.bound_permissions,
          };
    if (own && own.until <= now)
      throw new Fault("not-authenticated", "Your sign-in has ended. Sign in again.");
    const isIdle = Number(request.headers[IDLE_HEADER] ?? 0) >= IDLE_AFTER_S;
    if (isUse && !isIdle && isDue(found, now))
      await db
        .updateTable("sign_ins")
        .set({ last_used_at: now.toISOString(), address: request.ip })
        .where("id", "=", found.sign_in_id)
        .execute();
    const caller = { ...callerOf(request, found, own, null, now), networks: found.allowed_networks };
    // An identity provider asks for what it asks for.
    if (!found.access_rules?.require_second_factor || found.has_second_factor || found.by_identity_provider)
      return caller;
    const permissions = OWN_ACCOUNT.filter((name) => caller.permissions.has(name));
    return { ...caller, permissions: new Set(permissions), needs_second_factor: true };
  }
}

const isDue = ({ last_used_at }: { last_used_at: string | null }, now: Date): boolean =>
  !last_used_at || now.getTime() - new Date(last_used_at).getTime() > LAST_USED_STEP_MS;

const grants = (db: Db, now: Date) =>
  db
    .selectFrom("users as u")
    .innerJoin("roles as r", (join) => join.on("r.id", "=", roleAt(now.toISOString())))
    .innerJoin("sub_organizations as o", "o.id", "u.sub_organization_id")
    .innerJoin("organizations as g", "g.id", "o.organization_id")
    .where("u.deleted_at", "is", null)
    .where("g.deleted_at", "is", null)
    .select([
      "o.organization_id",
      "u.sub_organization_id",
      "u.id as user_id",
      "u.email",
      "u.granted_until",
      "u.granted_by_token_id",
      "g.audit_reads",
      "g.access_rules",
      permissionsAt(now.toISOString()).as("role_permissions"),
    ])
    .$narrowType<{ access_rules: AccessRules | null }>();

function callerOf(
  request: FastifyRequest,
  grant: Grant,
  own: Bound | null,
  api_token_id: number | null,
  now: Date,
): Caller {
  const { granted_until, granted_by_token_id } = grant;
  const scope = own?.permissions ?? null;
  const ofPlace =
    granted_until === null || new Date(granted_until) <= now
      ? null
      : { until: new Date(granted_until), token_id: granted_by_token_id, permissions: scope };
  // A token never does more than the role of the person who made it allows today.
  const permissions =
    scope === null ? grant.role_permissions : scope.filter((name) => grant.role_permissions.includes(name));
  return {
    organization_id: grant.organization_id,
    sub_organization_id: grant.sub_organization_id,
    user_id: grant.user_id,
    email: grant.email,
    permissions: new Set(permissions),
    api_token_id,
    bound: earlier(own, ofPlace),
    address: request.ip,
    request_id: request.id,
    audits_reads: grant.audit_reads,
  };
}

/** The cookie travels by itself, so a write that another site starts must not count (beside SameSite=Strict). */
function refuseForeignOrigin(request: FastifyRequest): void {
  if (request.method === "GET" || isOwnPage(request)) return;
  throw new Fault("forbidden", "This request comes from another site.");
}
