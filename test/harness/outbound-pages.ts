import { createEgress } from "../../src/egress/egress.ts";
import { createDeliverer } from "../../src/webhooks/delivery-loop.ts";
import { inboxRoute } from "../../src/webhooks/webhook-inbox-receive.ts";
import type { TestApp } from "./app.ts";
import { createOutbound, request } from "./batch.ts";
import { createTestDialer } from "./dialer.ts";
import { createNumbers } from "./number-group.ts";
import { secretOf } from "./webhooks.ts";

/** Of the one delivery that `createOutboundPages` leaves behind. */
export const A_DELIVERY = "msg_00000000000000000000000000000001";

/** Sends what is in the outbox, also to the inboxes of the app that listens at this address. */
export async function deliver(app: TestApp, address: string): Promise<number> {
  const { hostname, port } = new URL(address);
  const egress = createEgress({
    allow: { hosts: [], networks: [] },
    routes: [inboxRoute({ host: hostname, port: Number(port) })],
  });
  const tries = await createDeliverer({ ...app, egress, random: () => 0.5 }).drain();
  await egress.close();
  return tries;
}

/** Something on every page of the console that is about reaching people; the campaign's id. */
export async function createOutboundPages(app: TestApp, address: string): Promise<number> {
  const outbound = await createOutbound(app);
  const make = async (path: string, body?: object) => {
    const answer = await app.send("POST", path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const auth_values = { hmac_secret: secretOf(7) };
  const inbox = await make("/api/v1/outbound/webhook_inboxes", { name: "first", auth_values, fail_next: 1 });
  const hook = { request_method: "POST", trigger_statuses: ["COMPLETED", "NO-ANSWER"] };
  const { id, webhooks } = await outbound.createCampaign({
    campaign_name: "Recall <b>winter</b>",
    labels: ["recall"],
    daily_start_time: "06:00",
    daily_end_time: "17:30",
    hourly_rate: 600,
    max_daily_calls: 200,
    retry_count: 2,
    retry_interval: "4h",
    active_days: ["mon", "tue", "wed", "thu", "fri"],
    outreach_override_rules: {
      days: { sat: { active: true, daily_start_time: "20:00", daily_end_time: "02:00" } },
      dates: { "2026-12-25": { active: false } },
    },
    target_filters: {
      match: "all",
      on_unknown: "include",
      rules: [{ field: "line_type", op: "in", values: ["mobile"] }],
    },
    voicemail_detection: { mode: "v2" },
    webhooks: [
      { ...hook, url: inbox.url, auth_values },
      { ...hook, url: "https://hooks.example.com/parley" },
    ],
  });
  await make(`/api/v1/outbound/webhooks/${webhooks[1].id}/disable`);
  await make("/api/v1/outbound/number-groups/", {
    name: "Texas <b>local</b>",
    daily_cap: 50,
    timezone: "America/Chicago",
    channel_target_ids: await createNumbers(app, ["+15125550170", "+12145550171"]),
  });
  await outbound.createBatch({ campaign_id: id, batch_id: "20261118.1" });
  const people = Array.from({ length: 12 }, (_, index) =>
    request(`patient-${index + 1}`, `+1512555${1000 + index}`, { first_name: "<i>Ada</i>" }),
  );
  await outbound.add("20261118.1", [...people, request("patient-unknown", "no number")]);
  await outbound.createBatch({ campaign_id: id, batch_id: "20261119.1", paused: true });
  const ends = [["IN-PROGRESS", "COMPLETED"], ["NO-ANSWER"], ["IN-PROGRESS"]] as const;
  let tries = 0;
  const dialer = createTestDialer(app, () => ({ tells: [...(ends[tries++ % ends.length] ?? [])] }));
  await dialer.pass(1, 10_000);
  await deliver(app, address);
  await app.db
    .updateTable("webhook_deliveries")
    .set({ id: A_DELIVERY })
    .where("key", "=", (query) =>
      query
        .selectFrom("webhook_deliveries")
        .select((min) => min.fn.min("key").as("first"))
        .where("webhook_id", "=", webhooks[0].id),
    )
    .execute();
  await make("/api/v1/suppressions/", {
    address: "+15125557777",
    scope: "voice",
    comment: "<b>by letter</b>",
  });
  return id;
}
