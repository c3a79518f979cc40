import { type StatusChange, tellWebhooks } from "../../src/batches/status-change.ts";
import type { ChannelStatus } from "../../src/channels/channel-status.ts";
import { REQUEST_STATUS } from "../../src/channels/status-mapping.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { createDeliverer, type DelivererParts } from "../../src/webhooks/delivery-loop.ts";
import type { Answer, TestApp } from "./app.ts";
import { createOutbound, request } from "./batch.ts";
import type { Peer } from "./peer.ts";

const CAMPAIGNS = "/api/v1/outbound/campaigns";

/** The way out to receivers on loopback, each under a name of its own that is written as https. */
export function routesTo(peers: Record<string, Peer>): Egress {
  return createEgress({
    allow: { hosts: [], networks: [] },
    routes: Object.entries(peers).map(([host, { url }]) => ({
      host,
      connect: { host: "127.0.0.1", port: Number(new URL(url).port) },
      pathPrefix: "/",
      scheme: "https",
    })),
  });
}

/** 32 bytes. */
export const secretOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");

/** Campaigns with webhooks, people in them, and changes of their statuses as the dialer tells them. */
export async function createTelling(app: TestApp) {
  const outbound = await createOutbound(app);
  let people = 0;

  return {
    async createCampaign(webhooks: object[], more: object = {}) {
      const campaign = await outbound.createCampaign({
        webhooks: webhooks.map((webhook) => ({
          trigger_statuses: ["COMPLETED"],
          request_method: "POST",
          ...webhook,
        })),
        ...more,
      });
      return campaign as { id: number; webhooks: { id: number; url: string }[] } & Record<string, unknown>;
    },
    replaceWebhooks: (campaign: { id: number }, webhooks: object[]): Promise<Answer> =>
      app.send("PUT", `${CAMPAIGNS}/${campaign.id}`, { ...campaign, webhooks }),
    /** New people in a batch of their own. */
    async addPeople(campaign: { id: number }, count: number, variables: object = {}) {
      const { batch_id } = await outbound.createBatch({ campaign_id: campaign.id });
      const added = Array.from({ length: count }, () => {
        people++;
        return request(`person-${people}`, `+1512555${String(people).padStart(4, "0")}`, variables);
      });
      await outbound.add(batch_id, added);
      const rows = await app.db
        .selectFrom("requests as r")
        .innerJoin("batches as b", "b.key", "r.batch_key")
        .select(["r.id as request_id", "r.batch_key", "r.reference_id"])
        .where("b.batch_id", "=", batch_id)
        .orderBy("r.id")
        .execute();
      return rows.map((row) => ({ ...row, batch_id: batch_id as string, campaign_id: campaign.id }));
    },
    change: (
      person: { request_id: number; batch_key: number; campaign_id: number },
      status: ChannelStatus,
      more: Partial<StatusChange> = {},
    ): StatusChange => ({
      sub_organization_id: app.admin.sub_organization_id,
      campaign_id: person.campaign_id,
      batch_key: person.batch_key,
      request_id: person.request_id,
      attempt_count: 1,
      previous: "QUEUED",
      status,
      request_status: REQUEST_STATUS[status],
      at: app.clock.now(),
      provider_status: null,
      ...more,
    }),
    tell: (...changes: StatusChange[]) => app.db.transaction().execute((tx) => tellWebhooks(tx, changes)),
    deliverer: (egress: Egress, more: Partial<DelivererParts> = {}) =>
      createDeliverer({ ...app, egress, random: () => 0.5, ...more }),
  };
}
