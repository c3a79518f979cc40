import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db, Tx } from "../db/database.ts";
import { findCampaign, lockCampaign } from "./campaign-store.ts";

const CampaignGoalSchema = z
  .strictObject({
    insight_key: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe("The key under which an insight stores its result."),
    value: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe("The result that counts, as text; null: any result but an empty one, `false` and 0."),
  })
  .meta({ id: "CampaignGoal" });
/** What the conversations of a campaign are for: the result of an insight. */
export type CampaignGoal = z.output<typeof CampaignGoalSchema>;

const GoalSetting = z
  .strictObject({ goal: CampaignGoalSchema.nullable() })
  .meta({ id: "CampaignGoalSetting" });

export async function readGoal(db: Db, campaign_id: number): Promise<CampaignGoal | null> {
  const { rows } = await sql<{ goal: CampaignGoal | null }>`
    select goal from campaigns where id = ${campaign_id}`.execute(db);
  return rows[0]?.goal ?? null;
}

/** `entries`: of a list; null of anything else. */
export type FoundInsight = { value: string | number; entries: readonly string[] | null };

/** Whether a conversation with these results reached the goal, which may be an entry of a list. Pure. */
export function reachesGoal(
  goal: CampaignGoal | null,
  found: Readonly<Record<string, FoundInsight>> | null,
): boolean {
  const result =
    goal !== null && found !== null && Object.hasOwn(found, goal.insight_key) && found[goal.insight_key];
  if (!result) return false;
  const value = String(result.value);
  if (goal.value === null) return !NOTHING_FOUND.includes(value);
  return value === goal.value || result.entries?.includes(goal.value) === true;
}
const NOTHING_FOUND = ["", "false", "0", "[]", "{}"];

type Deps = {
  db: Db;
  /** Counts the campaign's conversations again, in the transaction of the change. */
  recount(tx: Tx, campaign_id: number): Promise<void>;
};

const ONE = "/api/v1/outbound/campaigns/:campaign_id/goal";

export function campaignGoalRoutes(api: Api, { db, recount }: Deps): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get the goal of a campaign",
      tag,
      permission: "outbound_read",
      params,
      response: GoalSetting,
    },
    async ({ caller, params }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      return { goal: await readGoal(db, id) };
    },
  );

  api.put(
    ONE,
    {
      summary: "Set the goal of a campaign",
      description:
        "The board counts conversations in which the insight found this result. Conversations that are over are counted again in the background.",
      tag,
      permission: "outbound_write",
      params,
      body: GoalSetting,
      response: GoalSetting,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replaceGoal(tx, caller, params.campaign_id, body.goal)),
  );

  async function replaceGoal(tx: Tx, caller: Caller, id: number, goal: CampaignGoal | null) {
    await lockCampaign(tx, caller, id);
    const before = { goal: await readGoal(tx, id) };
    await sql`
      update campaigns set goal = ${goal === null ? null : JSON.stringify(goal)}::json where id = ${id}`.execute(
      tx,
    );
    const after = { goal: await readGoal(tx, id) };
    // The same one is not counted again: what was found in conversations that were deleted meanwhile would be lost.
    if (!isDeepStrictEqual(before.goal, after.goal)) await recount(tx, id);
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-goals",
      resource_id: id,
      before,
      after,
    });
    return after;
  }
}
