import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { createDeliverer } from "../../../src/webhooks/delivery-loop.ts";
import { createTestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing } from "../../harness/dialing.ts";
import { createPeer } from "../../harness/peer.ts";
import { secretOf } from "../../harness/webhooks.ts";

test("a call of a campaign is told to an http:// receiver that EGRESS_ALLOW names, signed, from the save to the delivery", async () => {
  const receiver = await createPeer();
  const { host } = new URL(receiver.url);
  const app = await createTestApp({ EGRESS_ALLOW: host });
  app.clock.set(new Date());
  const dialing = await createDialing(app);
  const webhook = {
    url: `${receiver.url}/hook`,
    request_method: "POST",
    trigger_statuses: ["COMPLETED"],
    auth_values: { hmac_secret: secretOf(7) },
  };
  const { batch_id } = await dialing.filled(1, { hourly_rate: 3600, webhooks: [webhook] });
  const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] }));
  await dialer.pass(1, 10_000);
  expect(await createDeliverer({ ...app, random: () => 0.5 }).drain()).toBe(1);
  const [arrived] = receiver.requests;
  expect(arrived).toMatchObject({ method: "POST", path: "/hook" });
  expect(
    new Webhook(secretOf(7)).verify(arrived!.body, arrived!.headers as Record<string, string>),
  ).toMatchObject({
    data: { batch_id, request_status: "COMPLETED" },
  });
});

test("an http:// receiver that EGRESS_ALLOW does not name can't be saved, and the answer says what would allow it", async () => {
  const receiver = await createPeer();
  const app = await createTestApp({ EGRESS_ALLOW: "10.9.9.9" });
  const dialing = await createDialing(app);
  const webhook = { url: `${receiver.url}/hook`, request_method: "POST", trigger_statuses: ["COMPLETED"] };
  await expect(dialing.filled(0, { webhooks: [webhook] })).rejects.toThrow("EGRESS_ALLOW names");
});
