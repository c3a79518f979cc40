import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { lockByKey, statusAfter, updateBatch } from "./batch-store.ts";
import { wakeBatch } from "./wake-batch.ts";

const HeldBatches = z
  .object({ batch_ids: z.array(z.string()).describe("Batches that this call changed.") })
  .meta({ id: "CampaignHeldBatches" });

const CAMPAIGN = "/api/v1/outbound/campaigns/:campaign_id";

/** A campaign is paused and started by all its batches at once. */
export function holdCampaignRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.post(
    `${CAMPAIGN}/pause`,
    {
      summary: "Pause all batches of a campaign",
      description:
        "Once this is answered, no attempt of the campaign starts. Attempts under way end by themselves. Batches that are paused or over stay as they are.",
      tag,
      permission: "outbound_write",
      params,
      response: HeldBatches,
    },
    ({ caller, params }) => hold(caller, params.campaign_id, true),
  );

  api.post(
    `${CAMPAIGN}/start`,
    {
      summary: "Start all paused batches of a campaign",
      description: "Also those that were paused one by one. Batches that are over stay as they are.",
      tag,
      permission: "outbound_write",
      params,
      response: HeldBatches,
    },
    ({ caller, params }) => hold(caller, params.campaign_id, false),
  );

  /** Locks the batches one after the other by key, as claims and settlements do; a running claim is waited for. */
  const hold = (caller: Caller, campaign_id: number, paused: boolean) =>
    db.transaction().execute(async (tx) => {
      const campaign = await findCampaign(tx, caller, campaign_id);
      const keys = await tx
        .selectFrom("batches")
        .select("key")
        .where("campaign_id", "=", campaign.id)
        .where("status", "not in", ["CANCELED", "EXPIRED"])
        .orderBy("key")
        .execute();
      const changed: { key: number; batch_id: string; at: Date }[] = [];
      for (const { key } of keys) {
        const locked = await lockByKey(tx, clock, key);
        if (!locked || (locked.batch.paused === true) === paused) continue;
        const { batch, at } = locked;
        if (batch.status === "CANCELED" || batch.status === "EXPIRED") continue;
        const expires_on = batch.expires_on == null ? null : new Date(batch.expires_on);
        const status = statusAfter(locked, { kind: "updated", paused, expires_on });
        await updateBatch(tx, locked, caller.email, { status, paused });
        changed.push({ key, batch_id: batch.batch_id, at });
      }
      for (const { key, at } of changed) await wakeBatch(tx, key, at);
      const done = paused ? "paused" : "started";
      await publish(
        tx,
        caller.sub_organization_id,
        changed.map(({ batch_id, at }) => ({
          at,
          source: "api",
          source_id: null,
          category: "outbound",
          type: "batch-updated",
          description: `Batch "${batch_id}" was ${done} with its campaign by ${caller.email}`,
          attributes: { batch_id, campaign_id: campaign.id },
        })),
      );
      const batch_ids = changed.map(({ batch_id }) => batch_id);
      await api.audit(tx, caller, {
        action: paused ? "pause" : "start",
        resource: "campaigns",
        resource_id: campaign.id,
        after: { batch_ids },
      });
      return { batch_ids };
    });
}
