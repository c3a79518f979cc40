import type { Caller } from "../../api/caller.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { notFound } from "../../base/errors.ts";
import type { Db } from "../../db/database.ts";
import { requireRole } from "../user-store.ts";
import { endPasswordSignIns } from "./enforced.ts";
import { type IdentityClient, IdentityFault } from "./identity-client.ts";
import { requireMightiest } from "./require-mightiest.ts";
import { SingleSignOnRequest, SingleSignOnResponse, SingleSignOnTest } from "./single-sign-on-schema.ts";
import { findProvider, lockRecord, readRecord, refuseLockOut, writeRecord } from "./single-sign-on-store.ts";

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
