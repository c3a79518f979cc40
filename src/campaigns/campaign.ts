import { z } from "zod";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { InvalidInput } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import type { EgressRules } from "../egress/egress-address.ts";
import { publish } from "../events/event.ts";
import { type CampaignInput, OutboundCampaign, OutboundCampaignInput } from "./campaign-schema.ts";
import {
  campaignList,
  findCampaign,
  insertCampaign,
  lockCampaign,
  removeCampaign,
  replaceCampaign,
  selectCampaigns,
  withFindings,
} from "./campaign-store.ts";
import { type Campaign, campaignFaults, checkCampaign } from "./check-campaign.ts";

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  /** Receivers of webhooks that may be named with http://. */
  egress_allow: EgressRules;
  /** Has the dialer look at the batches of a campaign that was changed, in its transaction. */
  wakeBatches(tx: Tx, campaign_id: number, at: Date): Promise<void>;
  /** The batches of a campaign that is deleted, in its transaction; refused while one of them has people to reach. */
  removeBatches(tx: Tx, caller: Caller, campaign_id: number): Promise<void>;
};

export function campaignRoutes(
  api: Api,
  { db, clock, vault, egress_allow, wakeBatches, removeBatches }: Deps,
): void {
  const path = "/api/v1/outbound/campaigns";
  const one = `${path}/:campaign_id`;
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  // Called with the lock held, so that updated_at never runs backwards.
  const stamped = (caller: Caller): Stamp => ({ caller, at: clock.now() });

  api.get(
    path,
    {
      summary: "List campaigns",
      tag,
      permission: "outbound_read",
      query: list.listQuery(campaignList),
      response: list.listOf(OutboundCampaign),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectCampaigns(db, caller), query, campaignList);
      const items = page.items.map(withFindings);
      return list.onlyFields({ ...page, items }, query.fields, OutboundCampaign);
    },
  );

  api.get(
    one,
    {
      summary: "Get a campaign",
      tag,
      permission: "outbound_read",
      params,
      response: OutboundCampaign,
    },
    ({ caller, params }) => findCampaign(db, caller, params.campaign_id),
  );

  const also_wrong = (given: unknown) => campaignFaults(given, egress_allow);

  api.post(
    path,
    {
      summary: "Create a campaign",
      tag,
      permission: "outbound_write",
      body: OutboundCampaignInput,
      also_wrong,
      response: OutboundCampaign,
    },
    ({ caller, body }) => {
      const campaign = accepted(body, egress_allow);
      return write(db, "Campaign", async (tx) => {
        const stamp = stamped(caller);
        const after = await insertCampaign(tx, vault, stamp, campaign);
        await record(tx, stamp, "create", { after });
        return after;
      });
    },
  );

  api.put(
    one,
    {
      summary: "Update a campaign",
      description:
        "Replaces the whole campaign: omitted fields become null or their default, omitted webhooks are removed.",
      tag,
      permission: "outbound_write",
      params,
      body: OutboundCampaignInput,
      also_wrong,
      response: OutboundCampaign,
    },
    ({ caller, params, body }) => {
      const campaign = accepted(body, egress_allow);
      return write(db, "Campaign", async (tx) => {
        const before = await lockCampaign(tx, caller, params.campaign_id);
        const stamp = stamped(caller);
        const after = await replaceCampaign(tx, vault, stamp, before.id, campaign);
        await wakeBatches(tx, before.id, stamp.at);
        await record(tx, stamp, "update", { before, after });
        return after;
      });
    },
  );

  api.delete(
    one,
    {
      summary: "Delete a campaign",
      description: "Deletes its batches, too. Refused while one of them is active and has people waiting.",
      tag,
      permission: "outbound_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, "Campaign", async (tx) => {
        const before = await lockCampaign(tx, caller, params.campaign_id);
        await removeBatches(tx, caller, before.id);
        const stamp = stamped(caller);
        await removeCampaign(tx, stamp, before.id);
        await record(tx, stamp, "delete", { before });
        return { success: true };
      }),
  );

  /** The audit entry and the event of a change, in its transaction. */
  async function record(
    tx: Tx,
    { caller, at }: Stamp,
    action: keyof typeof DONE,
    { before, after }: { before?: OutboundCampaign; after?: OutboundCampaign },
  ): Promise<void> {
    const { id, campaign_name } = (after ?? before) as OutboundCampaign;
    await api.audit(tx, caller, { action, resource: "campaigns", resource_id: id, before, after });
    await publish(tx, caller.sub_organization_id, [
      {
        at,
        source: "api",
        source_id: id,
        category: "outbound",
        type: `campaign-${DONE[action]}`,
        description: `Campaign "${campaign_name}" was ${DONE[action]} by ${caller.email}`,
        attributes: { campaign_id: id, campaign_name },
      },
    ]);
  }
}

const DONE = { create: "created", update: "updated", delete: "deleted" } as const;

function accepted(input: CampaignInput, egress_allow: EgressRules): Campaign {
  const checked = checkCampaign(input, egress_allow);
  if (checked.kind === "refused") throw new InvalidInput(checked.issues);
  return checked.campaign;
}
