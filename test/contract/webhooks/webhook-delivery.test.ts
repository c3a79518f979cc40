import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHANNEL_STATUSES } from "../../../src/channels/channel-status.ts";
import type { Egress } from "../../../src/egress/egress.ts";
import { claimDeliveries } from "../../../src/webhooks/delivery-claim.ts";
import { LEASE_ms } from "../../../src/webhooks/delivery-loop.ts";
import { RETRY_AFTER_s } from "../../../src/webhooks/delivery-verdict.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { upload } from "../../harness/batch.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createTelling, routesTo, secretOf } from "../../harness/webhooks.ts";

let app: TestApp;
let telling: Awaited<ReturnType<typeof createTelling>>;
let good: Peer;
let other: Peer;
let egress: Egress;
beforeAll(async () => {
  app = await createTestApp();
  telling = await createTelling(app);
  [good, other] = [await createPeer(), await createPeer()];
  egress = routesTo({ "good.example": good, "other.example": other });
  return () => egress.close();
});
beforeEach(async () => {
  app.clock.set(START);
  await app.db.deleteFrom("webhook_outbox").execute();
  for (const peer of [good, other]) {
    peer.requests.length = 0;
    peer.respond((_, response) => json(response, 200, {}));
  }
});

const GOOD = { url: "https://good.example/hook" };
const stored = (webhook_id: number) =>
  app.db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", webhook_id)
    .orderBy("key")
    .execute();

/** A webhook that was told one COMPLETED; the delivery of it. */
async function tellOne(webhook: object = GOOD) {
  const campaign = await telling.createCampaign([webhook]);
  const [person] = await telling.addPeople(campaign, 1);
  await telling.tell(telling.change(person!, "COMPLETED"));
  const [hook] = campaign.webhooks;
  return {
    campaign,
    person: person!,
    webhook_id: hook!.id,
    delivery: async () => (await stored(hook!.id))[0]!,
  };
}

async function moveTo(url: string, campaign: { id: number; webhooks: object[] }) {
  const answer = await telling.replaceWebhooks(campaign, [{ ...campaign.webhooks[0], url }]);
  expect(answer.body.webhooks).toMatchObject([{ url }]);
}

describe("a delivery", () => {
  test("is what the standardwebhooks library takes for genuine, with the campaign's Base64 secret as it is", async () => {
    app.clock.set(new Date());
    const secret = Buffer.from(Array.from({ length: 48 }, (_, i) => i * 5)).toString("base64");
    const { person, campaign } = await tellOne({ ...GOOD, auth_values: { hmac_secret: secret } });
    expect(await telling.deliverer(egress).drain()).toBe(1);

    const [arrived] = good.requests;
    const headers = arrived!.headers as Record<string, string>;
    const payload = new Webhook(secret).verify(arrived!.body, headers);
    expect(payload).toEqual({
      type: "outbound.request.status",
      id: headers["webhook-id"],
      timestamp: expect.any(String),
      data: {
        campaign_id: campaign.id,
        campaign_name: campaign.campaign_name,
        batch_id: person.batch_id,
        request_id: person.request_id,
        reference_id: person.reference_id,
        target: expect.stringMatching(/^\+1512555\d{4}$/),
        mode: "voice",
        request_status: "COMPLETED",
        channel_manager_status: "COMPLETED",
        previous_channel_manager_status: "QUEUED",
        provider_status: null,
        channel_manager_sid: null,
        attempt_count: 1,
        max_attempts: Number(campaign.retry_count) + 1,
        session_id: null,
        conversation_id: null,
        request_variables: {},
        sent_at: null,
        occurred_at: expect.any(String),
        sequence: expect.any(Number),
        is_test: false,
      },
    });
    expect(headers["content-type"]).toBe("application/json");
    expect(() => new Webhook(secretOf(9)).verify(arrived!.body, headers)).toThrow("No matching signature");
  });

  test.each([32, 64, 65, 512])(
    "signed with a secret of %i bytes is verified by the library",
    async (bytes) => {
      app.clock.set(new Date());
      const secret = Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31 + bytes) % 256)).toString(
        "base64",
      );
      await tellOne({ ...GOOD, auth_values: { hmac_secret: secret } });
      await telling.deliverer(egress).drain();
      const { body, headers } = good.requests[0]!;
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
    },
  );

  test("goes out by the webhook's method, unsigned when the webhook has no secret", async () => {
    await tellOne({ ...GOOD, request_method: "PATCH" });
    await telling.deliverer(egress).drain();
    expect(good.requests[0]).toMatchObject({ method: "PATCH", path: "/hook" });
    expect(good.requests[0]!.headers).not.toHaveProperty("webhook-signature");
    expect(good.requests[0]!.headers).toHaveProperty("webhook-id");
  });

  test("keeps the texts of the moment of the change, whatever changes before it is sent", async () => {
    const { campaign, person } = await tellOne();
    await app.send("PUT", `/api/v1/outbound/campaigns/${campaign.id}`, {
      ...campaign,
      campaign_name: "Renamed",
    });
    await app.db
      .updateTable("requests")
      .set({ channel_manager_sid: "CA-later" })
      .where("batch_key", "=", person.batch_key)
      .execute();
    await telling.deliverer(egress).drain();
    expect(JSON.parse(good.requests[0]!.body).data).toMatchObject({
      campaign_name: campaign.campaign_name,
      channel_manager_sid: null,
    });
  });
});

describe("requests that come in", () => {
  const BATCHES = "/api/v1/outbound/batches";
  const told = async () =>
    (await telling.deliverer(egress).drain()) &&
    good.requests
      .map(({ body }) => JSON.parse(body).data)
      .map(
        (data) =>
          `${data.reference_id} ${data.channel_manager_status} ${data.previous_channel_manager_status}`,
      )
      .toSorted();
  const batchOf = async (trigger_statuses: string[]) => {
    const { id } = await telling.createCampaign([{ ...GOOD, trigger_statuses }]);
    const batch_id = `incoming-${id}`;
    await app.send("POST", BATCHES, { batch_id, campaign_id: id });
    return batch_id;
  };
  const people = [
    { reference_id: "a", target: "+15125550001", request_variables: {} },
    { reference_id: "b", target: "+15125550001", request_variables: {} },
    { reference_id: "c", target: "no number", request_variables: {} },
  ];

  test("one by one are told to webhooks that want their first status, and to no others", async () => {
    const batch_id = await batchOf(["DUPLICATE", "INVALID"]);
    await app.send("POST", `${BATCHES}/${batch_id}/requests`, people);
    expect(await told()).toEqual(["b DUPLICATE null", "c INVALID null"]);
    good.requests.length = 0;
    await app.send("POST", `${BATCHES}/${batch_id}/requests`, { ...people[0], reference_id: "d" });
    expect(await told()).toEqual(["d DUPLICATE null"]);
  });

  test("in a file are, too", async () => {
    const batch_id = await batchOf(["PENDING", "DUPLICATE", "INVALID"]);
    const rows = people.map(({ reference_id, target }) => `${reference_id},${target}`);
    await upload(app, batch_id, `reference_id,target\r\n${rows.join("\r\n")}\r\n`);
    expect(await told()).toEqual(["a PENDING null", "b DUPLICATE null", "c INVALID null"]);
  });
});

describe("a delivery that fails", () => {
  test("is tried ten times over 75 hours, under one webhook id with a new timestamp each", async () => {
    const { delivery } = await tellOne();
    good.respond((_, response) => json(response, 500, { error: "down" }));
    const deliverer = telling.deliverer(egress);
    expect(await deliverer.drain()).toBe(1);
    for (const wait_s of RETRY_AFTER_s) {
      app.clock.advance(wait_s * 1000 - 1);
      expect(await deliverer.drain(), `before ${wait_s} s`).toBe(0);
      app.clock.advance(1);
      expect(await deliverer.drain(), `after ${wait_s} s`).toBe(1);
    }
    expect(new Set(good.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(good.requests.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10);
    expect(await delivery()).toMatchObject({
      state: "FAILED",
      tries: 10,
      reason: "The receiver answered 500.",
    });
    app.clock.advance(30 * 86_400_000);
    expect(await deliverer.drain()).toBe(0);
  });

  test("waits as long as Retry-After asks, where that is longer", async () => {
    await tellOne();
    good.respond((_, response) => {
      response.setHeader("retry-after", "120");
      json(response, 429, {});
    });
    const deliverer = telling.deliverer(egress);
    await deliverer.drain();
    good.respond((_, response) => json(response, 200, {}));
    app.clock.advance(119_000);
    expect(await deliverer.drain()).toBe(0);
    app.clock.advance(1_000);
    expect(await deliverer.drain()).toBe(1);
  });

  test("by a redirect is not followed", async () => {
    const { delivery } = await tellOne();
    good.respond((_, response) => {
      response.writeHead(302, { location: "https://other.example/" });
      response.end();
    });
    await telling.deliverer(egress).drain();
    expect(other.requests).toEqual([]);
    expect((await delivery()).reason).toContain("redirects are not followed");
  });

  test("by a receiver that hangs counts as a try after the timeout", async () => {
    const { delivery } = await tellOne();
    good.respond(() => {});
    await telling.deliverer(egress, { timeout_ms: 100 }).drain();
    expect(await delivery()).toMatchObject({
      state: "WAITING",
      tries: 1,
      reason: "The receiver had not answered after 0.1 s.",
    });
    const { key } = await delivery();
    const tries = await app.db
      .selectFrom("webhook_tries")
      .selectAll()
      .where("delivery_key", "=", key)
      .execute();
    expect(tries).toMatchObject([{ response_status: null, failure: expect.stringContaining("0.1 s") }]);
    expect(tries[0]!.duration_ms).toBeGreaterThanOrEqual(99);
  });
});

test("what was accepted while its webhook is being disabled counts as delivered", async () => {
  const campaign = await telling.createCampaign([GOOD]);
  const people = await telling.addPeople(campaign, 2);
  await telling.tell(...people.map((person) => telling.change(person, "COMPLETED")));
  const [hook] = campaign.webhooks;
  const second = telling.deliverer(egress);
  let asked = 0;
  good.respond(async (_, response) => {
    if (asked++ === 0) return json(response, 410, {});
    await expect.poll(async () => (await stored(hook!.id)).map(({ state }) => state)).toContain("FAILED");
    await second.drain();
    json(response, 200, {});
  });
  await telling.deliverer(egress).drain();
  expect((await stored(hook!.id)).map(({ state }) => state).toSorted()).toEqual(["DELIVERED", "FAILED"]);
});

test("410 disables the webhook with an event; later deliveries are held", async () => {
  const { campaign, webhook_id, delivery } = await tellOne();
  good.respond((_, response) => json(response, 410, {}));
  const deliverer = telling.deliverer(egress);
  await deliverer.drain();
  expect(await delivery()).toMatchObject({
    state: "FAILED",
    reason: "The receiver answered 410: it is gone.",
  });

  const [person] = await telling.addPeople(campaign, 1);
  await telling.tell(telling.change(person!, "COMPLETED"));
  expect(await deliverer.drain()).toBe(0);
  expect((await stored(webhook_id)).map(({ state }) => state)).toEqual(["FAILED", "HELD"]);

  const events = await app.send(
    "GET",
    "/api/v1/events/?search_fields=type&search_field_values=webhook-disabled",
  );
  const told = events.body.items.filter(
    (event: { attributes: { webhook_id: number } }) => event.attributes.webhook_id === webhook_id,
  );
  expect(told).toMatchObject([{ attributes: { campaign_id: campaign.id, url: GOOD.url } }]);
});

test("a 410 that comes after the webhook was given another URL says nothing about that one, which gets the message", async () => {
  const { campaign, webhook_id, delivery } = await tellOne();
  good.respond(async (_, response) => {
    await moveTo("https://other.example/hook", campaign);
    json(response, 410, {});
  });
  await telling.deliverer(egress).drain();
  expect([good.requests.length, other.requests.length]).toEqual([1, 1]);
  expect(await delivery()).toMatchObject({ state: "DELIVERED", tries: 2 });
  const row = await app.db
    .selectFrom("campaign_webhooks")
    .select(["disabled_at", "failing_since", "failed_tries"])
    .where("id", "=", webhook_id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ disabled_at: null, failing_since: null, failed_tries: 0 });
});

describe("a webhook is disabled", () => {
  /** A person a day for six days, `perDay` tries each, all refused but those of the given days. */
  async function fail(perDay: number, acceptedOn: number[] = [], movedOn?: number) {
    const campaign = await telling.createCampaign([GOOD]);
    const deliverer = telling.deliverer(egress);
    for (let day = 0; day < 6; day++) {
      good.respond((_, response) => json(response, acceptedOn.includes(day) ? 200 : 404, {}));
      if (day === movedOn) await moveTo(`${GOOD.url}/moved`, campaign);
      const people = await telling.addPeople(campaign, perDay);
      await telling.tell(...people.map((person) => telling.change(person, "COMPLETED")));
      await app.db
        .updateTable("webhook_outbox")
        .set({ due_at: "2999-01-01T00:00:00Z" })
        .where("tries", ">", 0)
        .execute();
      await deliverer.drain();
      app.clock.advance(86_400_000);
    }
    const [hook] = campaign.webhooks;
    const row = await app.db
      .selectFrom("campaign_webhooks")
      .select("disabled_reason")
      .where("id", "=", hook!.id)
      .executeTakeFirstOrThrow();
    return row.disabled_reason;
  }

  test("after five days and a hundred tries without one that was accepted", async () => {
    expect(await fail(20)).toBe("Nothing was accepted for five days.");
  });
  test("but not for fewer tries", async () => {
    expect(await fail(5)).toBeNull();
  });
  test("but not when one was accepted in between", async () => {
    expect(await fail(20, [3])).toBeNull();
  });
  test("but not when it was given another URL in between", async () => {
    expect(await fail(20, [], 3)).toBeNull();
  });
});

test("what waits for a webhook that a PUT leaves out is canceled", async () => {
  const { campaign, delivery } = await tellOne();
  await telling.replaceWebhooks(campaign, []);
  expect(await telling.deliverer(egress).drain()).toBe(0);
  expect(await delivery()).toMatchObject({
    state: "CANCELED",
    reason: "The webhook was removed from its campaign.",
  });
});

describe("a secret", () => {
  const rotating = async () => {
    app.clock.set(new Date());
    const campaign = await telling.createCampaign([{ ...GOOD, auth_values: { hmac_secret: secretOf(1) } }]);
    const put = (auth_values: object) =>
      telling.replaceWebhooks(campaign, [{ ...campaign.webhooks[0], auth_values }]);
    return { put, arrived: () => arrivedFor(campaign) };
  };
  const arrivedFor = async (campaign: { id: number }) => {
    const [person] = await telling.addPeople(campaign, 1);
    await telling.tell(telling.change(person!, "COMPLETED"));
    await telling.deliverer(egress).drain();
    return good.requests.at(-1)!;
  };
  const takes = (byte: number, { body, headers }: Awaited<ReturnType<typeof arrivedFor>>): boolean => {
    try {
      new Webhook(secretOf(byte)).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  test("that is replaced signs beside its successor for 24 hours, and then no more", async () => {
    const { put, arrived } = await rotating();
    await put({ hmac_secret: secretOf(2) });
    const first = await arrived();
    expect([takes(1, first), takes(2, first)]).toEqual([true, true]);
    app.clock.advance(24 * 3600_000);
    const later = await arrived();
    expect(String(later.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });

  test("that is given again, or kept by null, starts no second signature", async () => {
    const { put, arrived } = await rotating();
    await put({ hmac_secret: secretOf(1) });
    await put({ hmac_secret: null });
    const message = await arrived();
    expect(takes(1, message)).toBe(true);
    expect(String(message.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });

  test("that is removed signs nothing from then on", async () => {
    const { put, arrived } = await rotating();
    await put({ hmac_secret: secretOf(2) });
    await put({});
    expect((await arrived()).headers).not.toHaveProperty("webhook-signature");
  });

  test("stored under another key is told as the reason, and nothing unsigned leaves", async () => {
    const { delivery } = await tellOne({ ...GOOD, auth_values: { hmac_secret: secretOf(3) } });
    await app.db
      .updateTable("campaign_webhooks")
      .set({ sealed_hmac_secret: "v1.AA.AA.AA" })
      .where("url", "=", GOOD.url)
      .execute();
    await telling.deliverer(egress).drain();
    expect(good.requests).toEqual([]);
    expect((await delivery()).reason).toContain("stored under another SECRET_KEY");
  });
});

test.each([
  "https://127.0.0.1/hook",
  "https://127.1/hook",
  "https://0x7f000001/hook",
  "https://2130706433/hook",
  "https://[::1]/hook",
  "https://[::ffff:10.0.0.1]/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://[fd00::1]/hook",
  "https://[64:ff9b::7f00:1]/hook",
  "https://localhost./hook",
  "https://100.64.0.1/hook",
  "https://demo.parley.internal/demo/slots",
])("nothing is sent to %s", async (url) => {
  const { delivery } = await tellOne({ url });
  await telling.deliverer(egress).drain();
  expect((await delivery()).reason).toMatch(/^Nothing was sent: /);
});

describe("processes share the outbox", () => {
  test("a delivery whose process dies while sending is sent by another when its lease ends", async () => {
    const { delivery } = await tellOne();
    const now = app.clock.now();
    // What a process does before it is killed: it claims, and no more is heard of it.
    const claimed = await claimDeliveries(app.db, {
      owner: "killed",
      now,
      lease_until: new Date(now.getTime() + LEASE_ms),
      rooms: [],
      most: 10,
    });
    expect(claimed).toHaveLength(1);
    const survivor = telling.deliverer(egress);
    app.clock.advance(LEASE_ms - 1);
    expect(await survivor.drain()).toBe(0);
    app.clock.advance(1);
    expect(await survivor.drain()).toBe(1);
    expect(await delivery()).toMatchObject({ state: "DELIVERED", tries: 1 });
  });

  test("two of them send each delivery once", async () => {
    const campaign = await telling.createCampaign([GOOD, { url: "https://other.example/" }]);
    const people = await telling.addPeople(campaign, 60);
    await telling.tell(...people.map((person) => telling.change(person, "COMPLETED")));
    const [first, second] = [telling.deliverer(egress), telling.deliverer(egress)];
    const tries = await Promise.all([first.drain(), second.drain()]);
    expect(tries[0] + tries[1]).toBe(120);
    expect(
      new Set([...good.requests, ...other.requests].map(({ headers }) => headers["webhook-id"])).size,
    ).toBe(120);
  });

  test("a result that comes after its lease is logged, and moves nothing", async () => {
    const { delivery } = await tellOne();
    good.respond((_, response) => {
      // Meanwhile the lease runs out and somebody else delivers.
      app.clock.advance(LEASE_ms);
      good.respond((_, next) => json(next, 200, {}));
      void telling
        .deliverer(egress)
        .drain()
        .then(() => json(response, 500, {}));
    });
    await telling.deliverer(egress).drain();
    expect(await delivery()).toMatchObject({ state: "DELIVERED", tries: 2 });
  });
});

test("a running deliverer finds what is told, and its stop gives back what it can't finish", async () => {
  const { delivery } = await tellOne();
  const deliverer = telling.deliverer(egress);
  deliverer.start();
  await expect.poll(async () => (await delivery()).state).toBe("DELIVERED");

  good.respond(() => {});
  const hung = await tellOne();
  await expect.poll(() => good.requests.length).toBe(2);
  await deliverer.stop();
  const row = await app.db
    .selectFrom("webhook_outbox")
    .select(["lease_owner", "tries"])
    .where("webhook_id", "=", hung.webhook_id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ lease_owner: null, tries: 0 });
});

test("all 40 statuses can trigger, PENDING by coming in", async () => {
  const campaign = await telling.createCampaign([{ ...GOOD, trigger_statuses: [...CHANNEL_STATUSES] }]);
  const [person] = await telling.addPeople(campaign, 1);
  const later = CHANNEL_STATUSES.filter((status) => status !== "PENDING");
  await telling.tell(...later.map((status) => telling.change(person!, status)));
  await telling.deliverer(egress).drain();
  const told = good.requests.map(({ body }) => JSON.parse(body).data.channel_manager_status);
  expect(told.toSorted()).toEqual([...CHANNEL_STATUSES].toSorted());
});
