import { sql } from "kysely";
import { z } from "zod";
import { periodOf } from "../accounts/allowance.ts";
import { OwnLimits, type OwnLimitsReader } from "../accounts/own-limits.ts";
import { storedOf } from "../accounts/storage.ts";
import type { Caller } from "../api/caller.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { InvalidInput } from "../base/errors.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";

const LimitState = z
  .object({
    own: z.int().nullable().describe("The organization's own limit; null: none."),
    installation: z.int().describe("The operator's. An own limit may not be higher."),
    used: z
      .number()
      .describe("Now, or in the day or minute that runs. Of numbers: the one with most attempts."),
  })
  .meta({ id: "LimitState" });

const OrganizationLimits = z
  .object({
    calls_at_once: LimitState,
    attempts_per_number: LimitState,
    model_usd_per_day: LimitState,
    model_tokens_per_day: LimitState,
    visitors_per_minute: LimitState,
    token_calls_per_minute: LimitState,
    stored_gb: LimitState,
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "OrganizationLimits" });
type OrganizationLimits = z.output<typeof OrganizationLimits>;

type LimitName = keyof OwnLimits;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type Deps = {
  db: Db;
  clock: Clock;
  config: Pick<Config, "lines" | "model_limits" | "visitors_per_minute" | "call_limits" | "storage_gb">;
  ownLimits: OwnLimitsReader;
};

const PATH = "/api/v1/organizations/limits";

/** What an organization allows itself, below what the operator of the installation allows it. */
export function organizationLimitRoutes(api: Api, { db, clock, config, ownLimits }: Deps): void {
  const tag = "organizations";
  const installation: Record<LimitName, number> = {
    calls_at_once: config.lines.per_organization,
    attempts_per_number: config.lines.per_source,
    model_usd_per_day: config.model_limits.usd_per_day,
    model_tokens_per_day: config.model_limits.tokens_per_day,
    visitors_per_minute: config.visitors_per_minute,
    token_calls_per_minute: config.call_limits.per_tenant,
    stored_gb: config.storage_gb,
  };

  api.get(
    PATH,
    {
      summary: "Get your organization's limits",
      description:
        "Models, web chats, calls with tokens and storage are counted for each sub-organization, calls by each process.",
      tag,
      permission: "organizations_read",
      response: OrganizationLimits,
    },
    ({ caller }) => readLimits(db, caller),
  );

  api.put(
    PATH,
    {
      summary: "Replace your organization's own limits",
      description:
        "They hold in every process within about a second, and end nothing that runs. Refused where one is higher than the installation's.",
      tag,
      permission: "organizations_write",
      body: OwnLimits,
      response: OrganizationLimits,
    },
    async ({ caller, body }) => {
      requireWithin(body);
      const after = await db.transaction().execute(async (tx) => {
        const { organization_id, email } = caller;
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = ownOf(await readLimits(tx, caller));
        await sql`
          update organizations set own_limits = ${JSON.stringify(body)}::json,
            own_limits_updated_at = ${clock.now().toISOString()}::timestamptz, own_limits_updated_by = ${email}
          where id = ${organization_id}`.execute(tx);
        await api.audit(tx, caller, {
          action: "update",
          resource: "organization-limits",
          resource_id: organization_id,
          before,
          after: body,
        });
        return readLimits(tx, caller);
      });
      ownLimits.forget();
      return after;
    },
  );

  function requireWithin(body: OwnLimits): void {
    const faults = (Object.keys(installation) as LimitName[]).flatMap((name) =>
      (body[name] ?? 0) > installation[name]
        ? [
            {
              loc: ["body", name],
              msg: `This installation allows ${installation[name].toLocaleString("en")} at most`,
              type: "value_error",
            },
          ]
        : [],
    );
    if (faults.length > 0) throw new InvalidInput(faults);
  }

  async function readLimits(from: Db, caller: Caller): Promise<OrganizationLimits> {
    const { rows } = await sql<{
      own: OwnLimits | null;
      updated_at: string | null;
      updated_by: string | null;
    }>`
      select own_limits as own, own_limits_updated_at as updated_at, own_limits_updated_by as updated_by
      from organizations where id = ${caller.organization_id}`.execute(from);
    const { own = null, updated_at = null, updated_by = null } = rows[0] ?? {};
    const used = {
      ...(await readUse(from, caller, clock.now())),
      token_calls_per_minute: api.tokenCalls(caller.sub_organization_id),
      stored_gb: (await storedOf(from, caller.sub_organization_id)).used_bytes / 1e9,
    };
    const stateOf = (name: LimitName) => ({
      own: own?.[name] ?? null,
      installation: installation[name],
      used: used[name],
    });
    return {
      calls_at_once: stateOf("calls_at_once"),
      attempts_per_number: stateOf("attempts_per_number"),
      model_usd_per_day: stateOf("model_usd_per_day"),
      model_tokens_per_day: stateOf("model_tokens_per_day"),
      visitors_per_minute: stateOf("visitors_per_minute"),
      token_calls_per_minute: stateOf("token_calls_per_minute"),
      stored_gb: stateOf("stored_gb"),
      updated_at,
      updated_by,
    };
  }
}

const ownOf = (limits: OrganizationLimits): OwnLimits => ({
  calls_at_once: limits.calls_at_once.own,
  attempts_per_number: limits.attempts_per_number.own,
  model_usd_per_day: limits.model_usd_per_day.own,
  model_tokens_per_day: limits.model_tokens_per_day.own,
  visitors_per_minute: limits.visitors_per_minute.own,
  token_calls_per_minute: limits.token_calls_per_minute.own,
  stored_gb: limits.stored_gb.own,
});

/** Indexes: `attempts_slots`, `sessions_open`, primary key of allowances. */
async function readUse(
  db: Db,
  caller: Caller,
  now: Date,
): Promise<Record<Exclude<LimitName, "token_calls_per_minute" | "stored_gb">, number>> {
  const { organization_id, sub_organization_id } = caller;
  const { rows } = await sql<{ calls: number; per_number: number }>`
    select (
      select count(*) from attempts
      where holds_slot and organization_id = ${organization_id} and mode = 'voice'
    ) + (
      select count(*) from sessions s join sub_organizations o on o.id = s.sub_organization_id
      where s.ended_at is null and s.channel = 'voice' and not s.is_outbound and o.organization_id = ${organization_id}
    ) as calls,
    coalesce((
      select count(*) from attempts where holds_slot and organization_id = ${organization_id}
      group by source order by 1 desc limit 1
    ), 0) as per_number`.execute(db);
  const counted = await sql<{ name: string; used: number; began_at: string }>`
    select name, used, began_at from allowances where sub_organization_id = ${sub_organization_id}`.execute(
    db,
  );
  const usedOf = (name: string, period_ms: number): number => {
    const found = counted.rows.find((row) => row.name === name);
    return found && Date.parse(found.began_at) >= periodOf(now, period_ms).getTime() ? found.used : 0;
  };
  return {
    calls_at_once: rows[0]?.calls ?? 0,
    attempts_per_number: rows[0]?.per_number ?? 0,
    model_usd_per_day: usedOf("model-cost", DAY_MS) / 1e6,
    model_tokens_per_day: usedOf("model-tokens", DAY_MS),
    visitors_per_minute: usedOf("visitors", MINUTE_MS),
  };
}
