import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { integer, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { isWithin, networkList } from "./allowed-networks.ts";
import { hasSecondFactor } from "./sign-in/second-factor.ts";

/** As they are stored in `organizations`. */
export type AccessRules = {
  require_second_factor: boolean;
  idle_minutes: number | null;
  longest_hours: number | null;
  allowed_networks: string[];
};

const AccessRulesRequest = z
  .strictObject({
    require_second_factor: z
      .boolean()
      .default(false)
      .describe("A person without a second factor can only set one up. API tokens are not affected."),
    idle_minutes: integer({ min: 5, max: 720 })
      .nullable()
      .default(null)
      .describe("Idle timeout of a sign-in; null: none."),
    longest_hours: integer({ min: 1, max: 12 })
      .nullable()
      .default(null)
      .describe("The longest a sign-in lasts, however it is used; null: 12 hours."),
    allowed_networks: networkList()
      .default([])
      .describe("Networks that people and API tokens of the organization come from; empty: from everywhere."),
  })
  .meta({ id: "AccessRulesRequest" });

const AccessRulesResponse = z
  .object({
    require_second_factor: z.boolean(),
    idle_minutes: z.int().nullable(),
    longest_hours: z.int().nullable(),
    allowed_networks: z.array(z.string()),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "AccessRulesResponse" });
type AccessRulesResponse = z.infer<typeof AccessRulesResponse>;

const NO_RULES: AccessRules = {
  require_second_factor: false,
  idle_minutes: null,
  longest_hours: null,
  allowed_networks: [],
};

async function readRules(db: Db, { organization_id }: Caller): Promise<AccessRulesResponse> {
  const { rows } = await sql<{
    rules: AccessRules | null;
    updated_at: string | null;
    updated_by: string | null;
  }>`
    select access_rules as rules, access_rules_updated_at as updated_at, access_rules_updated_by as updated_by
    from organizations where id = ${organization_id}`.execute(db);
  const { rules = null, updated_at = null, updated_by = null } = rows[0] ?? {};
  return { ...NO_RULES, ...rules, updated_at, updated_by };
}

/** How people sign in, and from where the organization is used. */
export function accessRulesRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/organizations/access_rules";
  const tag = "organizations";

  api.get(
    path,
    {
      summary: "Get your organization's access rules",
      tag,
      permission: "organizations_read",
      response: AccessRulesResponse,
    },
    ({ caller }) => readRules(db, caller),
  );

  api.put(
    path,
    {
      summary: "Replace your organization's access rules",
      description:
        "Applies at once, to sign-ins that exist too. Refused where it would shut out the caller: from an address outside of `allowed_networks`, or without a second factor of one's own.",
      tag,
      permission: "organizations_write",
      body: AccessRulesRequest,
      response: AccessRulesResponse,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        const { organization_id, address, user_id, api_token_id, email } = caller;
        if (body.allowed_networks.length > 0 && !isWithin(address, body.allowed_networks))
          throw new Fault(
            "refused",
            `Your own address, ${address ?? "unknown"}, is not in allowed_networks. Add it first.`,
          );
        if (body.require_second_factor && api_token_id === null) {
          const own = await hasSecondFactor(tx, user_id);
          if (!own) throw new Fault("refused", "Set up your own second factor first.");
        }
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = await readRules(tx, caller);
        await sql`
          update organizations set access_rules = ${JSON.stringify(body)}::json,
            access_rules_updated_at = ${clock.now().toISOString()}::timestamptz, access_rules_updated_by = ${email}
          where id = ${organization_id}`.execute(tx);
        const after = await readRules(tx, caller);
        await api.audit(tx, caller, {
          action: "update",
          resource: "access_rules",
          resource_id: organization_id,
          before,
          after,
        });
        return after;
      }),
  );
}

/** When a sign-in ends by the rules, however long it would live by itself; null: they say nothing. */
export function signInEnd(
  rules: AccessRules | null,
  { created_at, last_used_at }: { created_at: string; last_used_at: string | null },
): Date | null {
  const ends = [
    rules?.longest_hours ? Date.parse(created_at) + rules.longest_hours * 3_600_000 : null,
    rules?.idle_minutes ? Date.parse(last_used_at ?? created_at) + rules.idle_minutes * 60_000 : null,
  ].filter((end) => end !== null);
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}
