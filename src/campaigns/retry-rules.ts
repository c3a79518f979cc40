import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { integer, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db, Tx } from "../db/database.ts";
import { type OutcomeRule, RULED_OUTCOMES } from "../planning/retries/outcome-rules.ts";
import { RETRY_INTERVAL } from "../planning/retry-interval.ts";
import { findCampaign, lockCampaign } from "./campaign-store.ts";

const RetryRule = z
  .strictObject({
    outcome: z.enum(RULED_OUTCOMES).describe("MACHINE: a machine answered and no message was left."),
    wait: z
      .string()
      .regex(RETRY_INTERVAL, { error: "Write a number and a unit, such as 10m, 4h or 1d" })
      .nullable()
      .default(null)
      .describe("From the end of the attempt, such as 10m or 1d; null: the campaign's retry_interval."),
    max_retries: integer({ min: 0, max: 20 }).describe("Retries of one person after this outcome; 0: none."),
    another_hour: z
      .boolean()
      .default(false)
      .describe(
        "Moves the retry, within the campaign's hours, to a time of the day at which the person was not tried yet.",
      ),
  })
  .meta({ id: "RetryRule" });

const RetryRulesSetting = z
  .strictObject({
    rules: z
      .array(RetryRule)
      .max(RULED_OUTCOMES.length)
      .refine((rules) => new Set(rules.map(({ outcome }) => outcome)).size === rules.length, {
        error: "Name each outcome once",
      }),
  })
  .meta({ id: "CampaignRetryRules" });

/** Null where the two fields of the campaign alone decide. */
export async function readRetryRules(db: Db, campaign_id: number): Promise<OutcomeRule[] | null> {
  const { rows } = await sql<{ rules: OutcomeRule[] | null }>`
    select retry_rules as rules from campaigns where id = ${campaign_id}`.execute(db);
  return rows[0]?.rules ?? null;
}

const ONE = "/api/v1/outbound/campaigns/:campaign_id/retry-rules";

/** When and how often a campaign tries again after each outcome; beside the record of the specification, as its purpose is. */
export function retryRulesRoutes(api: Api, { db }: { db: Db }): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get the retry rules of a campaign",
      description: "Without rules, `retry_count` and `retry_interval` decide after every outcome.",
      tag,
      permission: "outbound_read",
      params,
      response: RetryRulesSetting,
    },
    async ({ caller, params }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      return { rules: (await readRetryRules(db, id)) ?? [] };
    },
  );

  api.put(
    ONE,
    {
      summary: "Set the retry rules of a campaign",
      description:
        "They apply from the next attempt that ends. After an outcome with a rule, the rule says when and how often a person is tried again; after others `retry_count` and `retry_interval` do, and attempts with a rule are not counted there. Retries that are planned already keep their time.",
      tag,
      permission: "outbound_write",
      params,
      body: RetryRulesSetting,
      response: RetryRulesSetting,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replace(tx, caller, params.campaign_id, body.rules)),
  );

  async function replace(tx: Tx, caller: Caller, id: number, rules: OutcomeRule[]) {
    await lockCampaign(tx, caller, id);
    const before = { rules: (await readRetryRules(tx, id)) ?? [] };
    const stored = rules.length === 0 ? null : JSON.stringify(rules);
    await sql`update campaigns set retry_rules = ${stored}::json where id = ${id}`.execute(tx);
    const after = { rules };
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-retry-rules",
      resource_id: id,
      before,
      after,
    });
    return after;
  }
}
