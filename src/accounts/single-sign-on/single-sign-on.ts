import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { Fault, invalid, notFound } from "../../base/errors.ts";
import { type Db, isUniqueViolation, json, type Tx } from "../../db/database.ts";
import { emailAddress } from "../user-record.ts";
import { requireRole } from "../user-store.ts";
import { endPasswordSignIns } from "./enforced.ts";
import { type IdentityClient, IdentityFault } from "./identity-client.ts";
import { requireMightiest } from "./require-mightiest.ts";
import type { GroupRole } from "./role-of-groups.ts";

export const CALLBACK = "/api/console/single-sign-on/callback";
export const START = "/api/console/single-sign-on/start";

const MOST_DOMAINS = 50;
const MOST_GROUPS = 200;
const domain = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .max(253)
    .regex(/^[^\s@/]+\.[^\s@/.]+$/, { error: "Input should be a domain, such as example.com" });

const issuer = () =>
  z
    .string()
    .trim()
    .max(1000)
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
      error: "Input should be an https address, such as https://login.example.com/realms/acme",
    });

const GroupRoleField = z
  .object({ group: z.string().min(1).max(500), role_id: recordId() })
  .meta({ id: "SingleSignOnRole" });

const SingleSignOnRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100).describe("What people know it as, such as “Okta”."),
    issuer: issuer().describe(
      "The provider's issuer identifier; `/.well-known/openid-configuration` follows it.",
    ),
    client_id: z.string().trim().min(1).max(500),
    client_secret: z
      .string()
      .min(1)
      .max(1000)
      .nullish()
      .describe(
        "Left out: it stays as it is. null: none, for a public client (PKCE is always used). Never shown.",
      ),
    domains: z
      .array(domain())
      .min(1)
      .max(MOST_DOMAINS)
      .describe("E-mail domains of the organization's people. A domain leads to one organization."),
    groups_claim: z.string().trim().min(1).max(200).default("groups"),
    roles: z
      .array(GroupRoleField)
      .max(MOST_GROUPS)
      .default([])
      .describe(
        "The first line whose group a person has gives the role, at each sign-in. Empty: roles are given here.",
      ),
    default_role_id: recordId()
      .nullish()
      .describe(
        "For people in none of these groups. null: they don't get in, and nobody new does without a line.",
      ),
    is_enforced: z.boolean().default(false).describe("Passwords and sign-in links are refused."),
    break_glass: z
      .array(emailAddress())
      .max(20)
      .default([])
      .describe("People who may still use a password while `is_enforced`, for a day without the provider."),
  })
  .meta({ id: "SingleSignOnRequest" });
type SingleSignOnRequest = z.infer<typeof SingleSignOnRequest>;

const SingleSignOnResponse = z
  .object({
    is_set: z.boolean(),
    name: z.string().nullable(),
    issuer: z.string().nullable(),
    client_id: z.string().nullable(),
    has_client_secret: z.boolean(),
    domains: z.array(z.string()),
    groups_claim: z.string(),
    roles: z.array(GroupRoleField),
    default_role_id: z.int().nullable(),
    is_enforced: z.boolean(),
    break_glass: z.array(z.string()),
    redirect_uri: z.string().describe("Register this address with the provider."),
    start_url: z
      .string()
      .nullable()
      .describe("Begins a sign-in; a tile of the provider's portal may lead here."),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "SingleSignOnResponse" });
type SingleSignOnResponse = z.infer<typeof SingleSignOnResponse>;

const SingleSignOnTest = z
  .object({
    ok: z.boolean(),
    problem: z.string().nullable().describe("Why its configuration can't be used."),
  })
  .meta({ id: "SingleSignOnTest" });

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string; identity: IdentityClient };

/** An organization's identity provider, by OpenID Connect (decision 0181). */
export function singleSignOnRoutes(api: Api, { db, clock, vault, publicUrl, identity }: Deps): void {
  const path = "/api/v1/organizations/single_sign_on";
  const tag = "organizations";
  const read = (from: Db, caller: Caller) => readRecord(from, publicUrl, caller.organization_id);

  api.get(
    path,
    {
      summary: "Get your organization's identity provider",
      tag,
      permission: "organizations_read",
      response: SingleSignOnResponse,
    },
    ({ caller }) => read(db, caller),
  );

  api.put(
    path,
    {
      summary: "Replace your organization's identity provider",
      description:
        "Needs every permission that anyone in the organization has, since a provider says who people are. New people get into the caller's sub-organization, with one of its roles that the caller may give. To enforce it, sign in by it once, or be one of `break_glass`.",
      tag,
      permission: "organizations_write",
      body: SingleSignOnRequest,
      response: SingleSignOnResponse,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        const { organization_id } = caller;
        await lockRecord(tx, organization_id);
        await requireMightiest(tx, caller);
        const before = await read(tx, caller);
        for (const role_id of new Set(rolesOf(body))) await requireRole(tx, caller, role_id);
        await writeRecord(tx, { clock, vault }, caller, body);
        if (body.is_enforced) {
          await refuseLockOut(tx, caller, body, clock);
          await endPasswordSignIns(tx, organization_id);
        }
        const after = await read(tx, caller);
        const told = { action: "update", resource: "single_sign_on", resource_id: organization_id } as const;
        await api.audit(tx, caller, { ...told, before, after });
        return after;
      }),
  );

  api.delete(
    path,
    {
      summary: "Remove your organization's identity provider",
      description: "People sign in with passwords and links again. Who they are at the provider stays known.",
      tag,
      permission: "organizations_write",
      response: SingleSignOnResponse,
    },
    ({ caller }) =>
      db.transaction().execute(async (tx) => {
        const { organization_id } = caller;
        await lockRecord(tx, organization_id);
        const before = await read(tx, caller);
        if (!before.is_set) throw notFound("Identity provider", organization_id);
        for (const table of ["single_sign_on_domains", "single_sign_on"] as const)
          await tx.deleteFrom(table).where("organization_id", "=", organization_id).execute();
        const told = { action: "delete", resource: "single_sign_on", resource_id: organization_id } as const;
        await api.audit(tx, caller, { ...told, before });
        return read(tx, caller);
      }),
  );

  api.post(
    `${path}/test`,
    {
      summary: "Test your organization's identity provider",
      description: "Says whether it answers as its issuer. Nothing is stored, and nobody is signed in.",
      tag,
      permission: "organizations_write",
      response: SingleSignOnTest,
    },
    async ({ caller }) => {
      const found = await findProvider(db, vault, caller.organization_id);
      if (!found) throw notFound("Identity provider", caller.organization_id);
      try {
        await identity.check(found);
        return { ok: true, problem: null };
      } catch (error) {
        if (error instanceof IdentityFault) return { ok: false, problem: error.message };
        throw error;
      }
    },
  );
}

const rolesOf = ({ roles, default_role_id }: SingleSignOnRequest): number[] => [
  ...roles.map(({ role_id }) => role_id),
  ...(default_role_id == null ? [] : [default_role_id]),
];

/** The organization's row, as there may be no record yet; then the record, which a sign-in takes before people and roles. */
async function lockRecord(tx: Tx, organization_id: number): Promise<void> {
  await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
  await sql`select from single_sign_on where organization_id = ${organization_id} for no key update`.execute(
    tx,
  );
}

async function readRecord(db: Db, publicUrl: string, organization_id: number): Promise<SingleSignOnResponse> {
  const found = await db
    .selectFrom("single_sign_on")
    .selectAll()
    .where("organization_id", "=", organization_id)
    .executeTakeFirst();
  const domains = await db
    .selectFrom("single_sign_on_domains")
    .select("domain")
    .where("organization_id", "=", organization_id)
    .orderBy("domain")
    .execute();
  return {
    is_set: found !== undefined,
    name: found?.name ?? null,
    issuer: found?.issuer ?? null,
    client_id: found?.client_id ?? null,
    has_client_secret: found?.sealed_secret != null,
    domains: domains.map((row) => row.domain),
    groups_claim: found?.groups_claim ?? "groups",
    roles: (found?.roles ?? []) as GroupRole[],
    default_role_id: found?.default_role_id ?? null,
    is_enforced: found?.is_enforced ?? false,
    break_glass: found?.break_glass ?? [],
    redirect_uri: `${publicUrl}${CALLBACK}`,
    start_url: found ? `${publicUrl}${START}?organization_id=${organization_id}` : null,
    updated_at: found?.updated_at ?? null,
    updated_by: found?.updated_by ?? null,
  };
}

async function writeRecord(
  tx: Tx,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: Caller,
  body: SingleSignOnRequest,
): Promise<void> {
  const { organization_id, sub_organization_id } = caller;
  const { client_secret, domains, roles, default_role_id, ...rest } = body;
  const row = {
    ...rest,
    sub_organization_id,
    roles: json(roles),
    default_role_id: default_role_id ?? null,
    updated_at: clock.now().toISOString(),
    updated_by: caller.email,
    ...(client_secret !== undefined && { sealed_secret: client_secret && vault.seal(client_secret) }),
  };
  await tx
    .insertInto("single_sign_on")
    .values({ organization_id, ...row })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(row))
    .execute();
  await tx.deleteFrom("single_sign_on_domains").where("organization_id", "=", organization_id).execute();
  for (const [n, one] of [...new Set(domains)].entries()) {
    try {
      await tx.insertInto("single_sign_on_domains").values({ domain: one, organization_id }).execute();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw invalid(["body", "domains", n], `${one} belongs to another organization`, "value_error");
    }
  }
}

/** Enforcing shuts out nobody for good: a password stays good for somebody, and the caller has got in by it once. */
async function refuseLockOut(tx: Tx, caller: Caller, body: SingleSignOnRequest, clock: Clock): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    select u.email from users u join sub_organizations s on s.id = u.sub_organization_id
    where s.organization_id = ${caller.organization_id} and u.deleted_at is null and u.password_hash is not null
      and lower(u.email) = any(${body.break_glass}) limit 1`.execute(tx);
  if (rows.length === 0)
    throw new Fault(
      "refused",
      "Name somebody in break_glass who has a password, for a day on which the identity provider is down.",
    );
  if (caller.api_token_id !== null || body.break_glass.includes(caller.email.toLowerCase())) return;
  const own = await tx
    .selectFrom("sign_ins")
    .select("user_id")
    .where("user_id", "=", caller.user_id)
    .where("by_identity_provider", "=", true)
    .where("expires_at", ">", clock.now().toISOString())
    .executeTakeFirst();
  if (!own)
    throw new Fault(
      "refused",
      `This would sign you out. Sign in with ${body.name} first, or add yourself to break_glass.`,
    );
}

/** With the secret opened, as a sign-in needs it. */
export async function findProvider(db: Db, vault: Vault, organization_id: number) {
  const found = await db
    .selectFrom("single_sign_on as o")
    .innerJoin("organizations as g", "g.id", "o.organization_id")
    .selectAll("o")
    .where("o.organization_id", "=", organization_id)
    .where("g.deleted_at", "is", null)
    .executeTakeFirst();
  if (!found) return null;
  const { sealed_secret, roles, ...rest } = found;
  return {
    ...rest,
    roles: roles as GroupRole[],
    secret: sealed_secret === null ? null : vault.open(sealed_secret),
  };
}

export type FoundProvider = NonNullable<Awaited<ReturnType<typeof findProvider>>>;
