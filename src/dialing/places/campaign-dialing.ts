import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { write } from "../../api/resource.ts";
import { integer, recordId } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import { findCampaign, lockCampaign } from "../../campaigns/campaign-store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { HIGHEST_PRIORITY, LOWEST_PRIORITY, NORMAL_PRIORITY } from "../../planning/places/place-order.ts";

/** As many as a number may have at once in any installation. */
export const MOST_CONCURRENT = 10_000;

const CampaignDialing = z
  .strictObject({
    max_concurrent: integer({ min: 1, max: MOST_CONCURRENT })
      .nullable()
      .describe("Attempts of the campaign under way at once, those of all its steps; null: no own limit."),
    priority: integer({ min: LOWEST_PRIORITY, max: HIGHEST_PRIORITY })
      .default(NORMAL_PRIORITY)
      .meta({ default: NORMAL_PRIORITY })
      .describe(
        "Decides whose attempts start first while lines are short. Each priority weighs twice as much as the one below; nobody waits forever.",
      ),
  })
  .meta({ id: "CampaignDialingSettings" });
type CampaignDialing = z.output<typeof CampaignDialing>;

const CampaignDialingState = CampaignDialing.extend({
  under_way: z.int().describe("Attempts of the campaign under way now."),
}).meta({ id: "CampaignDialingState" });
type CampaignDialingState = z.output<typeof CampaignDialingState>;

const ONE = "/api/v1/outbound/campaigns/:campaign_id/dialing-settings";

export function campaignDialingRoutes(api: Api, { db }: { db: Db }): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get how many attempts a campaign may have at once, and its priority",
      tag,
      permission: "outbound_read",
      params,
      response: CampaignDialingState,
    },
    async ({ caller, params }) => readState(db, (await findCampaign(db, caller, params.campaign_id)).id),
  );

  api.put(
    ONE,
    {
      summary: "Set how many attempts a campaign may have at once, and its priority",
      description: "Both hold from the next attempt on, in every process. Attempts under way go on.",
      tag,
      permission: "outbound_write",
      params,
      body: CampaignDialing,
      response: CampaignDialingState,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replaceSettings(tx, caller, params.campaign_id, body)),
  );

  /** Wakes nobody: a batch that waits for a place looks again within a second. */
  async function replaceSettings(
    tx: Tx,
    caller: Caller,
    campaign_id: number,
    { max_concurrent, priority }: CampaignDialing,
  ): Promise<CampaignDialingState> {
    const { id } = await lockCampaign(tx, caller, campaign_id);
    const before = await readState(tx, id);
    await sql`
      update campaigns set max_concurrent = ${max_concurrent}::integer, priority = ${priority}::smallint
      where id = ${id}`.execute(tx);
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-dialing-settings",
      resource_id: id,
      before: { max_concurrent: before.max_concurrent, priority: before.priority },
      after: { max_concurrent, priority },
    });
    return { ...before, max_concurrent, priority };
  }
}

/** Index: `attempts_live_reference`. */
async function readState(db: Db, campaign_id: number): Promise<CampaignDialingState> {
  const { rows } = await sql<CampaignDialingState>`
    select max_concurrent, priority, (
      select count(*) from attempts a where a.campaign_id = c.id and a.state <> 'ENDED' and a.holds_slot
    ) as under_way
    from campaigns c where c.id = ${campaign_id}`.execute(db);
  return rows[0] as CampaignDialingState;
}
