import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { findCampaign, lockCampaign } from "./campaign-store.ts";

const MOST_USD = 10_000_000;

const SpendCap = z
  .strictObject({
    cap_usd: z
      .number()
      .positive()
      .max(MOST_USD)
      .nullable()
      .describe("Nobody is contacted any more once the campaign has spent so much; null: there is no cap."),
  })
  .meta({ id: "CampaignSpendCap" });

const Spending = SpendCap.extend({
  spent_usd: z
    .number()
    .describe(
      "What conversations that are over have cost: models, hearing and speaking, at list prices or the operator's own; with `carrier_usd`.",
    ),
  carrier_usd: z
    .number()
    .describe(
      "Of it, carriers' fees as estimated by the operator's prices (CARRIER_PRICES): started minutes of calls out, SMS segments, WhatsApp messages and mails. 0 where no price is stated.",
    ),
}).meta({ id: "CampaignSpending" });
type Spending = z.output<typeof Spending>;

async function readSpending(db: Db, campaign_id: number): Promise<Spending> {
  const { rows } = await sql<Spending>`
    select c.spend_cap_usd as cap_usd, coalesce(m.cost_usd, 0) as spent_usd,
      coalesce(m.carrier_usd, 0) as carrier_usd
    from campaigns c left join campaign_spending m on m.campaign_id = c.id where c.id = ${campaign_id}`.execute(
    db,
  );
  return rows[0] as Spending;
}

/** `carrier_usd`: what of the cost is a carrier's fee. */
type Spent = {
  sub_organization_id: number;
  campaign_id: number;
  cost_usd: number;
  carrier_usd: number;
  at: Date;
};

/** Runs in the transaction that stores what was paid for. The amount that reaches the cap writes an event, once. */
export async function addSpending(tx: Tx, spent: Spent): Promise<void> {
  const { sub_organization_id, campaign_id, cost_usd, carrier_usd, at } = spent;
  const { rows } = await sql<{ cap_usd: number | null; spent_usd: number; campaign_name: string }>`
    with added as (
      insert into campaign_spending (campaign_id, cost_usd, carrier_usd)
      values (${campaign_id}, ${cost_usd}::double precision, ${carrier_usd}::double precision)
      on conflict (campaign_id) do update set cost_usd = campaign_spending.cost_usd + excluded.cost_usd,
        carrier_usd = campaign_spending.carrier_usd + excluded.carrier_usd
      returning campaign_id, cost_usd
    )
    select c.spend_cap_usd as cap_usd, added.cost_usd as spent_usd, c.campaign_name
    from added join campaigns c on c.id = added.campaign_id`.execute(tx);
  const [found] = rows;
  if (!found || found.cap_usd === null) return;
  const isReachedNow = found.spent_usd >= found.cap_usd && found.spent_usd - cost_usd < found.cap_usd;
  if (!isReachedNow) return;
  await publish(tx, sub_organization_id, [
    {
      at,
      source: "outbound",
      source_id: campaign_id,
      category: "outbound",
      type: "campaign-spend-cap",
      description: `Campaign ${found.campaign_name} has reached its spend cap of $${found.cap_usd.toFixed(2)}`,
    },
  ]);
}

type Deps = {
  db: Db;
  clock: Clock;
  /** Has the dialer look at the batches of the campaign, in the transaction of the change. */
  wakeBatches(tx: Tx, campaign_id: number, at: Date): Promise<void>;
};

const ONE = "/api/v1/outbound/campaigns/:campaign_id/spending";

export function spendingRoutes(api: Api, { db, clock, wakeBatches }: Deps): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get what a campaign has spent, and its cap",
      tag,
      permission: "outbound_read",
      params,
      response: Spending,
    },
    async ({ caller, params }) => readSpending(db, (await findCampaign(db, caller, params.campaign_id)).id),
  );

  api.put(
    ONE,
    {
      summary: "Set the spend cap of a campaign",
      description:
        "Checked before every attempt. Conversations under way go on, and their cost is known when they are over, so a campaign with many lines may end somewhat above its cap. It goes on by itself when the cap is raised or removed.",
      tag,
      permission: "outbound_write",
      params,
      body: SpendCap,
      response: Spending,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replaceCap(tx, caller, params.campaign_id, body)),
  );

  async function replaceCap(
    tx: Tx,
    caller: Caller,
    campaign_id: number,
    { cap_usd }: z.output<typeof SpendCap>,
  ): Promise<Spending> {
    const { id } = await lockCampaign(tx, caller, campaign_id);
    const before = await readSpending(tx, id);
    await sql`update campaigns set spend_cap_usd = ${cap_usd}::double precision where id = ${id}`.execute(tx);
    await wakeBatches(tx, id, clock.now());
    const after = await readSpending(tx, id);
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-spend-cap",
      resource_id: id,
      before: { cap_usd: before.cap_usd },
      after: { cap_usd: after.cap_usd },
    });
    return after;
  }
}
