import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { OUTREACH_PURPOSES, type OutreachPurpose } from "../consent/consent.ts";
import type { Db, Tx } from "../db/database.ts";
import { findCampaign, lockCampaign } from "./campaign-store.ts";

/** What a campaign contacts people for. Beside the record of the specification, so that a PUT of that changes nothing here. */
export type ReachRules = {
  purpose: OutreachPurpose;
  /** The carrier is asked first whether a number was given to somebody else. Left out: false. */
  check_reassigned?: boolean;
};

/** Until somebody says otherwise. */
const NO_REACH_RULES: Required<ReachRules> = { purpose: "informational", check_reassigned: false };

const ReachRulesSchema = z
  .strictObject({
    purpose: z
      .enum(OUTREACH_PURPOSES)
      .describe(
        "`marketing` needs a consent on record for each person and channel; who has none is skipped. `informational` and `emergency` need none.",
      ),
    check_reassigned: z
      .boolean()
      .describe(
        "Before the campaign first reaches a number, the carrier is asked whether it was given to somebody else since the person's consent, or since the day in the request's column `last_verified`.",
      ),
  })
  .meta({ id: "CampaignReachRules" });

/** What is left out stays as it is. */
const ReachRulesChange = ReachRulesSchema.partial({ check_reassigned: true }).meta({
  id: "CampaignReachRulesChange",
});

export const purposeOf = (rules: ReachRules | null): OutreachPurpose => (rules ?? NO_REACH_RULES).purpose;

export async function readReachRules(db: Db, campaign_id: number): Promise<Required<ReachRules>> {
  const { rows } = await sql<{ rules: ReachRules | null }>`
    select reach_rules as rules from campaigns where id = ${campaign_id}`.execute(db);
  return { ...NO_REACH_RULES, ...rows[0]?.rules };
}

/** Under the lock of the campaign. */
export const saveReachRules = (tx: Tx, campaign_id: number, rules: ReachRules): Promise<unknown> =>
  sql`update campaigns set reach_rules = ${JSON.stringify(rules)}::json where id = ${campaign_id}`.execute(
    tx,
  );

type Deps = {
  db: Db;
  clock: Clock;
  /** Has the dialer look at the batches of the campaign, in the transaction of the change. */
  wakeBatches(tx: Tx, campaign_id: number, at: Date): Promise<void>;
};

const ONE = "/api/v1/outbound/campaigns/:campaign_id/reach-rules";

export function reachRulesRoutes(api: Api, { db, clock, wakeBatches }: Deps): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get the purpose of a campaign",
      description: "Until they are saved, the purpose is `informational`, and numbers are not checked.",
      tag,
      permission: "outbound_read",
      params,
      response: ReachRulesSchema,
    },
    async ({ caller, params }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      return readReachRules(db, id);
    },
  );

  api.put(
    ONE,
    {
      summary: "Set the purpose of a campaign",
      description: "Applies from the next attempt on. People who were skipped before stay skipped.",
      tag,
      permission: "outbound_write",
      params,
      body: ReachRulesChange,
      response: ReachRulesSchema,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replaceRules(tx, caller, params.campaign_id, body)),
  );

  async function replaceRules(
    tx: Tx,
    caller: Caller,
    id: number,
    rules: ReachRules,
  ): Promise<Required<ReachRules>> {
    await lockCampaign(tx, caller, id);
    const before = await readReachRules(tx, id);
    await saveReachRules(tx, id, { ...before, ...rules });
    await wakeBatches(tx, id, clock.now());
    const after = await readReachRules(tx, id);
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-reach-rules",
      resource_id: id,
      before,
      after,
    });
    return after;
  }
}
