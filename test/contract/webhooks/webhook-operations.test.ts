import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tellWebhooks } from "../../../src/batches/status-change.ts";
import { CHANNEL_STATUSES } from "../../../src/channels/channel-status.ts";
import { createEgress, type Egress } from "../../../src/egress/egress.ts";
import { deleteDeliveries } from "../../../src/webhooks/delete-deliveries.ts";
import { setAside } from "../../../src/webhooks/delivery-claim.ts";
import { purgeDeliveriesJob } from "../../../src/webhooks/delivery-purge.ts";
import { inboxRoute } from "../../../src/webhooks/webhook-inbox-receive.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createTelling, routesTo, secretOf } from "../../harness/webhooks.ts";

const DELIVERIES = "/api/v1/outbound/webhook_deliveries";
const WEBHOOKS = "/api/v1/outbound/webhooks";
const INBOXES = "/api/v1/outbound/webhook_inboxes";

let app: TestApp;
let telling: Awaited<ReturnType<typeof createTelling>>;
let peer: Peer;
let egress: Egress;
let neighbour: Awaited<ReturnType<TestApp["createNeighbour"]>>;
beforeAll(async () => {
  app = await createTestApp();
  telling = await createTelling(app);
  peer = await createPeer();
  egress = routesTo({ "good.example": peer });
  neighbour = await app.createNeighbour();
  return () => egress.close();
});
beforeEach(async () => {
  app.clock.set(START);
  await app.db.deleteFrom("webhook_outbox").execute();
  peer.requests.length = 0;
  peer.respond((_, response) => json(response, 200, { thanks: true }));
});

const purge = () => {
  const { signal } = new AbortController();
  return purgeDeliveriesJob(app).run({}, { stopping: signal } as never);
};
const drain = () => telling.deliverer(egress).drain();
const HOOK = { url: "https://good.example/hook" };

async function tell(count: number, webhook: object = HOOK) {
  const campaign = await telling.createCampaign([webhook]);
  const people = await telling.addPeople(campaign, count);
  await telling.tell(...people.map((person) => telling.change(person, "COMPLETED")));
  return { campaign, people, webhook_id: campaign.webhooks[0]!.id };
}
const listed = async (query: string) => (await app.send("GET", `${DELIVERIES}?${query}`)).body.items;
const of = (webhook_id: number) => `search_fields=webhook_id&search_field_values=${webhook_id}`;

describe("the delivery log", () => {
  test("says when a delivery is tried next, and not while it is being sent", async () => {
    const { webhook_id } = await tell(1);
    let answer = () => {};
    const asked = new Promise<void>((arrived) => {
      peer.respond((_request, response) => {
        answer = () => json(response, 500, {});
        arrived();
      });
    });
    expect(await listed(of(webhook_id))).toMatchObject([{ next_try_at: "2026-11-18T12:00:00+00:00" }]);
    const drained = drain();
    await asked;
    expect(await listed(of(webhook_id))).toMatchObject([{ state: "WAITING", next_try_at: null }]);
    answer();
    await drained;
    expect(await listed(of(webhook_id))).toMatchObject([{ next_try_at: "2026-11-18T12:00:05+00:00" }]);
  });

  test("lists deliveries by campaign, webhook, status, state, request and time, newest first", async () => {
    const { campaign, people, webhook_id } = await tell(3);
    peer.respond((request, response) =>
      json(response, request.body.includes(people[1]!.reference_id) ? 500 : 200, {}),
    );
    await drain();
    const [third, second, first] = await listed(of(webhook_id));
    expect([first, second, third].map((d) => d.reference_id)).toEqual(people.map((p) => p.reference_id));
    expect(second).toMatchObject({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      campaign_id: campaign.id,
      state: "WAITING",
      reason: "The receiver answered 500.",
      tries: 1,
      next_try_at: "2026-11-18T12:00:05+00:00",
      batch_id: people[1]!.batch_id,
    });
    expect(third).toMatchObject({ state: "DELIVERED", next_try_at: null, reason: null });
    const found = async (field: string, value: string | number) =>
      (await listed(`${of(webhook_id)}&search_fields=${field}&search_field_values=${value}`)).length;
    expect(await found("campaign_id", campaign.id)).toBe(3);
    expect(await found("state", "WAITING")).toBe(1);
    expect(await found("channel_manager_status", "COMPLETED")).toBe(3);
    expect(await found("request_id", people[0]!.request_id)).toBe(1);
    expect(await found("reference_id", people[2]!.reference_id)).toBe(1);
    expect(await listed(`${of(webhook_id)}&start_datetime=2026-11-19`)).toEqual([]);
  });

  test("keeps of each try what was sent and what came back", async () => {
    const { webhook_id } = await tell(1, { ...HOOK, auth_values: { hmac_secret: secretOf(1) } });
    peer.respond((_, response) => {
      response.setHeader("x-trace", "abc");
      json(response, 503, { sorry: `\0${"x".repeat(10_000)}` });
    });
    await drain();
    peer.respond((_, response) => json(response, 200, { thanks: true }));
    app.clock.advance(5_000);
    await drain();
    const [{ id }] = await listed(of(webhook_id));
    const { body } = await app.send("GET", `${DELIVERIES}/${id}`);
    expect(body.body).toBe(peer.requests[0]!.body);
    expect(body.attempts).toHaveLength(2);
    expect(body.attempts[0]).toMatchObject({
      request: { method: "POST", url: HOOK.url, headers: { "webhook-id": id } },
      response: { status: 503, headers: { "x-trace": "abc" } },
      failure: "The receiver answered 503.",
      duration_ms: expect.any(Number),
    });
    expect(body.attempts[0].response.body.length).toBeLessThan(4_200);
    expect(body.attempts[1]).toMatchObject({ response: { body: '{"thanks":true}' }, failure: null });
    expect(JSON.stringify(body)).not.toContain(secretOf(1));
  });

  test("is purged after 30 days, tries and all", async () => {
    const { webhook_id } = await tell(2);
    await drain();
    app.clock.advance(30 * 86_400_000);
    await purge();
    expect(await listed(of(webhook_id))).toHaveLength(2);
    app.clock.advance(1);
    await purge();
    expect(await listed(of(webhook_id))).toEqual([]);
    const tries = await app.db.selectFrom("webhook_tries").selectAll().execute();
    expect(tries).toEqual([]);
  });

  test("keeps no try of a delivery that was deleted while it was sent, as when its person was erased", async () => {
    const { webhook_id } = await tell(1);
    const kept = await tell(1);
    peer.respond(async (_, response) => {
      await app.db
        .transaction()
        .execute((tx) => deleteDeliveries(tx, sql`webhook_id = ${webhook_id}::bigint`));
      json(response, 200, { thanks: true });
    });
    await drain();
    expect(peer.requests).toHaveLength(2);
    const tries = await app.db
      .selectFrom("webhook_tries as t")
      .leftJoin("webhook_deliveries as d", "d.key", "t.delivery_key")
      .select("d.webhook_id")
      .execute();
    expect(tries.filter((row) => row.webhook_id === null)).toEqual([]);
    expect(tries.filter((row) => row.webhook_id === kept.webhook_id)).toHaveLength(1);
  });

  test("is left as it is once the program stops", async () => {
    const { webhook_id } = await tell(1);
    app.clock.advance(31 * 86_400_000);
    await purgeDeliveriesJob(app).run({}, { stopping: AbortSignal.abort() } as never);
    expect(await listed(of(webhook_id))).toHaveLength(1);
  });

  test("is the organization's own: a neighbour's delivery and webhook answer 404", async () => {
    const { webhook_id } = await tell(1);
    const [{ id }] = await listed(of(webhook_id));
    for (const [method, path, body] of [
      ["GET", `${DELIVERIES}/${id}`],
      ["GET", `${DELIVERIES}/${id}/curl`],
      ["POST", `${DELIVERIES}/replay`, { ids: [id] }],
      ["POST", `${WEBHOOKS}/${webhook_id}/enable`, {}],
      ["POST", `${WEBHOOKS}/${webhook_id}/disable`],
      ["POST", `${WEBHOOKS}/${webhook_id}/test`, { status: "HUMAN" }],
    ] as [string, string, object?][]) {
      expect((await neighbour.send(method, path, body)).status, path).toBe(404);
    }
    expect((await neighbour.send("GET", DELIVERIES)).body.items).toEqual([]);
    expect((await neighbour.send("POST", `${DELIVERIES}/replay`, { webhook_id })).body.replayed).toBe(0);
  });
});

test("a delivery as a curl command is taken for genuine by the standardwebhooks library", async () => {
  app.clock.set(new Date());
  const campaign = await telling.createCampaign([{ ...HOOK, auth_values: { hmac_secret: secretOf(5) } }]);
  const [person] = await telling.addPeople(campaign, 1, { name: "Miles O'Brien $(id) `id`" });
  await telling.tell(telling.change(person!, "COMPLETED"));
  const [{ id }] = await listed(of(campaign.webhooks[0]!.id));
  const { body } = await app.send("GET", `${DELIVERIES}/${id}/curl`);
  // What a shell makes of it, curl replaced by a program that prints its arguments.
  const printed = execFileSync("sh", [
    "-c",
    `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; }\n${body.command}`,
  ]);
  const args = printed.toString("utf8").split("\0");
  const headers = Object.fromEntries(
    args.flatMap((arg, n) => (args[n - 1] === "-H" ? [arg.split(/: (.*)/s).slice(0, 2)] : [])),
  );
  const data = args[args.indexOf("--data-raw") + 1]!;
  expect(new Webhook(secretOf(5)).verify(data, headers)).toMatchObject({
    data: { request_variables: { name: "Miles O'Brien $(id) `id`" } },
  });
  expect(headers["x-parley-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect(args.slice(0, 3)).toEqual(["-X", "POST", HOOK.url]);
});

describe("a replay", () => {
  const failing = async (count: number) => {
    peer.respond((_, response) => json(response, 410, {}));
    const told = await tell(count);
    await drain();
    await drain();
    peer.respond((_, response) => json(response, 200, {}));
    peer.requests.length = 0;
    return told;
  };

  test("by ids sends each again at once, under its own webhook-id", async () => {
    const { webhook_id } = await tell(2);
    await drain();
    const [{ id }] = await listed(of(webhook_id));
    peer.requests.length = 0;
    expect((await app.send("POST", `${DELIVERIES}/replay`, { ids: [id] })).body).toEqual({
      replayed: 1,
      more: false,
    });
    expect(await drain()).toBe(1);
    expect(peer.requests[0]!.headers["webhook-id"]).toBe(id);
    expect((await listed(`search_fields=id&search_field_values=${id}`))[0]).toMatchObject({
      state: "DELIVERED",
      tries: 2,
    });
  });

  test("hastens a delivery that waits", async () => {
    peer.respond((_, response) => json(response, 500, {}));
    const { webhook_id } = await tell(1);
    await drain();
    const [{ id }] = await listed(of(webhook_id));
    expect((await app.send("POST", `${DELIVERIES}/replay`, { ids: [id] })).body.replayed).toBe(1);
    expect(await drain()).toBe(1);
  });

  test("of what waits takes 10,000 a call, and says that there are more", async () => {
    const { webhook_id, campaign } = await tell(1);
    await sql`
      with copies as (
        insert into webhook_deliveries (id, sub_organization_id, campaign_id, webhook_id, attempt_count,
          channel_manager_status, is_test, state, body, created_at)
        select 'copy_' || n, ${app.admin.sub_organization_id}, ${campaign.id}, ${webhook_id}, 1, 'COMPLETED', true,
          'WAITING', '{}', ${START}::timestamptz from generate_series(1, 10500) n returning key
      )
      insert into webhook_outbox (delivery_key, webhook_id, due_at, tries)
      select key, ${webhook_id}, ${START}::timestamptz + interval '1 day', 3 from copies
    `.execute(app.db);
    const replay = async () =>
      (await app.send("POST", `${DELIVERIES}/replay`, { webhook_id, states: ["WAITING"] })).body;
    expect(await replay()).toEqual({ replayed: 10_000, more: true });
    expect(await replay()).toEqual({ replayed: 500, more: false });
    expect(await replay()).toEqual({ replayed: 0, more: false });
    const { rows } = await app.database.pool.query(
      "select count(*)::int as n from webhook_outbox where tries > 0 or due_at > $1",
      [START],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("by webhook takes what failed and what was held, once the webhook is enabled", async () => {
    const { webhook_id } = await failing(6);
    const states = (await listed(of(webhook_id))).map((d: { state: string }) => d.state);
    expect(new Set(states)).toEqual(new Set(["FAILED", "HELD"]));
    expect((await app.send("POST", `${DELIVERIES}/replay`, { webhook_id })).body.replayed).toBe(0);
    const [{ id }] = await listed(of(webhook_id));
    const refused = await app.send("POST", `${DELIVERIES}/replay`, { ids: [id] });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `The webhook of delivery ${id} is disabled. Enable it, then replay.`,
    ]);

    expect((await app.send("POST", `${WEBHOOKS}/${webhook_id}/enable`, {})).status).toBe(200);
    expect((await app.send("POST", `${DELIVERIES}/replay`, { webhook_id })).body.replayed).toBe(6);
    expect(await drain()).toBe(6);
  });

  test.each([
    [{}, 422],
    [{ states: ["FAILED"] }, 422],
    [{ ids: ["msg_1"], webhook_id: 1 }, 422],
    [{ ids: [] }, 422],
    [{ webhook_id: 1, states: ["LOST"] }, 422],
    [{ webhook_id: 1, start_date: "2026-11-01" }, 422],
    [{ ids: ["msg_unknown"] }, 404],
  ])("of %j is refused with %i", async (body, status) => {
    expect((await app.send("POST", `${DELIVERIES}/replay`, body)).status).toBe(status);
  });
});

describe("a webhook", () => {
  test("that gave up is listed with why, and enabled again with what was held", async () => {
    peer.respond((_, response) => json(response, 410, {}));
    const { webhook_id, campaign } = await tell(1);
    await drain();
    const [more] = await telling.addPeople(campaign, 1);
    await telling.tell(telling.change(more!, "COMPLETED"));
    const { body } = await app.send("GET", `${WEBHOOKS}?search_fields=is_disabled&search_field_values=true`);
    expect(body.items.at(-1)).toMatchObject({
      id: webhook_id,
      url: HOOK.url,
      disabled_reason: "The receiver answered 410: it is gone.",
      failed_tries: 1,
    });
    peer.respond((_, response) => json(response, 200, {}));
    const enabled = await app.send("POST", `${WEBHOOKS}/${webhook_id}/enable`, { send_held: true });
    expect(enabled.body).toMatchObject({ disabled_at: null, failed_tries: 0, waiting: 1 });
    expect(await drain()).toBe(1);
  });

  test("that is enabled while a change is being told is told of it", async () => {
    const { webhook_id, campaign } = await tell(1);
    await drain();
    const [person] = await telling.addPeople(campaign, 1);
    await app.send("POST", `${WEBHOOKS}/${webhook_id}/disable`);
    await app.db.transaction().execute(async (tx) => {
      await tellWebhooks(tx, [telling.change(person!, "COMPLETED")]);
      await app.send("POST", `${WEBHOOKS}/${webhook_id}/enable`, { send_held: true });
    });
    expect(await drain()).toBe(1);
  });

  test("that is being enabled has nothing set aside any more", async () => {
    const { webhook_id } = await tell(1);
    await app.send("POST", `${WEBHOOKS}/${webhook_id}/disable`);
    await app.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom("campaign_webhooks")
        .select("id")
        .where("id", "=", webhook_id)
        .forUpdate()
        .execute();
      const open = { disabled_at: null, disabled_reason: null };
      await tx.updateTable("campaign_webhooks").set(open).where("id", "=", webhook_id).execute();
      await setAside(app.db, app.clock.now());
    });
    expect(await drain()).toBe(1);
    expect((await listed(of(webhook_id)))[0].state).toBe("DELIVERED");
  });

  test("that a person disables is sent nothing", async () => {
    const { webhook_id } = await tell(1);
    expect((await app.send("POST", `${WEBHOOKS}/${webhook_id}/disable`)).body.disabled_reason).toBe(
      "Disabled by admin@example.com.",
    );
    expect(await drain()).toBe(0);
    expect((await listed(of(webhook_id)))[0].state).toBe("HELD");
    expect((await app.send("POST", `${WEBHOOKS}/${webhook_id}/test`, { status: "HUMAN" })).status).toBe(400);
  });

  test("can be tested with each of the 40 statuses, in the shape of real deliveries", async () => {
    const { webhook_id } = await tell(1);
    await drain();
    const real = JSON.parse(peer.requests[0]!.body);
    peer.requests.length = 0;
    for (const status of CHANNEL_STATUSES) {
      const { body } = await app.send("POST", `${WEBHOOKS}/${webhook_id}/test`, { status });
      expect(body).toMatchObject({ is_test: true, channel_manager_status: status, state: "WAITING" });
    }
    expect(await drain()).toBe(40);
    const messages = peer.requests.map(({ body }) => JSON.parse(body));
    expect(messages.map(({ data }) => data.channel_manager_status).toSorted()).toEqual(
      [...CHANNEL_STATUSES].toSorted(),
    );
    for (const message of messages) {
      expect(Object.keys(message)).toEqual(Object.keys(real));
      expect(Object.keys(message.data)).toEqual(Object.keys(real.data));
      expect(message.data.is_test).toBe(true);
    }
  });
});

describe("a webhook inbox", () => {
  test("shows what a campaign's webhook delivered, its signature checked, and fails the next n on demand", async () => {
    const url = new URL(await app.listen());
    const inside = createEgress({
      allow: { hosts: [], networks: [] },
      routes: [inboxRoute({ host: url.hostname, port: Number(url.port) })],
    });
    const auth_values = { hmac_secret: secretOf(4) };
    const inbox = (
      await app.send("POST", INBOXES, {
        name: "first",
        auth_values,
        fail_next: 2,
        fail_status: 500,
      })
    ).body;
    expect(inbox).toMatchObject({
      url: expect.stringMatching(/^https:\/\/inbox\.parley\.internal\/webhook-inbox\/first-[0-9A-Za-z]{12}$/),
      auth_value_keys: ["hmac_secret"],
      message_count: 0,
    });
    await tell(1, { url: inbox.url, auth_values });
    const deliverer = telling.deliverer(inside);
    for (const wait_s of [0, 5, 300]) {
      app.clock.advance(wait_s * 1000);
      expect(await deliverer.drain()).toBe(1);
    }
    const { items } = (await app.send("GET", `${INBOXES}/first/messages`)).body;
    expect(items.map((m: { answered_status: number }) => m.answered_status)).toEqual([200, 500, 500]);
    expect(new Set(items.map((m: { message_id: string }) => m.message_id)).size).toBe(1);
    expect(items[0]).toMatchObject({ method: "POST", signature: "VALID" });
    expect(JSON.parse(items[0].body).type).toBe("outbound.request.status");
    await inside.close();
  });

  const send = (method: string, url: string, body: string, headers: Record<string, string> = {}) =>
    app.sendAs(null)(method, new URL(url).pathname, body, headers);

  test("whose secret was stored under another key keeps its messages, without a verdict", async () => {
    const { public_url } = (
      await app.send("POST", INBOXES, { name: "moved", auth_values: { hmac_secret: secretOf(4) } })
    ).body;
    await app.db
      .updateTable("webhook_inboxes")
      .set({ sealed_hmac_secret: "v1.AA.AA.AA" })
      .where("name", "=", "moved")
      .execute();
    expect((await send("POST", public_url, "{}")).status).toBe(200);
    const { items } = (await app.send("GET", `${INBOXES}/moved/messages`)).body;
    expect(items).toMatchObject([{ body: "{}", signature: null }]);
  });

  test("takes any body by POST, PUT and PATCH, tells a wrong signature, and keeps the last 100", async () => {
    const auth_values = { hmac_secret: secretOf(4) };
    const { public_url } = (await app.send("POST", INBOXES, { name: "any", auth_values })).body;
    const forged = { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,x" };
    expect((await send("POST", public_url, "{no json", forged)).status).toBe(200);
    const [first] = (await app.send("GET", `${INBOXES}/any/messages`)).body.items;
    expect(first).toMatchObject({ body: "{no json", signature: "INVALID", message_id: "1" });
    for (let n = 0; n < 104; n++)
      await send("POST", public_url, `body \0 ${n}`, { "content-type": "text/plain" });
    for (const method of ["PUT", "PATCH"]) expect((await send(method, public_url, "{}")).status).toBe(200);
    const { body } = await app.send("GET", `${INBOXES}/any/messages?limit=200`);
    expect(body.total_count).toBe(100);
    expect(body.items[0]).toMatchObject({ method: "PATCH", signature: "UNSIGNED" });
    expect(body.items[2].body).toBe("body  103");
    expect((await send("POST", public_url, "x".repeat(70_000))).status).toBe(413);
    expect((await send("POST", `${public_url}x`, "{}")).status).toBe(404);
  });

  test("takes a body that is no UTF-8, and judges its signature by the bytes", async () => {
    const auth_values = { hmac_secret: secretOf(4) };
    const { public_url } = (await app.send("POST", INBOXES, { name: "bytes", auth_values })).body;
    const sent = Buffer.from("M\u00fcller", "latin1");
    const seconds = String(app.clock.now().getTime() / 1000);
    const mac = createHmac("sha256", Buffer.alloc(32, 4)).update(`msg_1.${seconds}.`).update(sent);
    const headers = {
      "content-type": "text/plain",
      "content-length": String(sent.length),
      "webhook-id": "msg_1",
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${mac.digest("base64")}`,
    };
    const path = new URL(public_url).pathname;
    expect((await app.sendAs(null)("POST", path, sent, headers)).status).toBe(200);
    const [first] = (await app.send("GET", `${INBOXES}/bytes/messages`)).body.items;
    expect(first).toMatchObject({ body: "M\ufffdller", signature: "VALID" });
  });

  test("keeps its secret when it is changed without one, forgets it when the key is left out", async () => {
    await app.send("POST", INBOXES, { name: "kept", auth_values: { hmac_secret: secretOf(4) } });
    const put = async (body: object) => (await app.send("PUT", `${INBOXES}/kept`, body)).body.auth_value_keys;
    expect(await put({ fail_next: 1 })).toEqual(["hmac_secret"]);
    expect(await put({ auth_values: { hmac_secret: null } })).toEqual(["hmac_secret"]);
    expect(await put({ auth_values: {} })).toBeNull();
  });

  test("is the organization's own; names are taken once in each", async () => {
    await app.send("POST", INBOXES, { name: "mine" });
    for (const [method, path] of [
      ["DELETE", `${INBOXES}/mine`],
      ["PUT", `${INBOXES}/mine`],
      ["GET", `${INBOXES}/mine/messages`],
    ] as const) {
      expect((await neighbour.send(method, path, method === "PUT" ? {} : undefined)).status).toBe(404);
    }
    expect((await neighbour.send("POST", INBOXES, { name: "mine" })).status).toBe(200);
    expect((await app.send("POST", INBOXES, { name: "mine" })).status).toBe(400);
    expect((await app.send("DELETE", `${INBOXES}/mine`)).body).toEqual({ success: true });
    expect((await app.send("GET", `${INBOXES}/mine/messages`)).status).toBe(404);
  });

  test.each([
    ["Upper", {}],
    ["-x", {}],
    ["ok", { auth_values: { hmac_secret: "short" } }],
    ["ok", { fail_next: -1 }],
    ["ok", { fail_status: 200 }],
  ])("%s with %j is refused", async (name, body) => {
    expect((await app.send("POST", INBOXES, { name, ...body })).status).toBe(422);
  });
});
