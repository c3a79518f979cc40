import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createSender } from "../harness/sender.ts";

/**
 * The way of one PUT: the route asks for permission and shape, a pure check for the rules, the store writes campaign,
 * webhooks, audit entry and event in one transaction under the campaign's row lock, and answers what is stored.
 *
 *     src/campaigns/campaign.ts → check-campaign.ts → campaign-store.ts → src/events/event.ts
 */
let app: TestApp;
let agent_id: number;
const path = "/api/v1/outbound/campaigns";
const secret = Buffer.alloc(32, 1).toString("base64");

beforeAll(async () => {
  app = await createTestApp();
  ({ agent_id } = await createSender(app, app.admin, { target: "+19032900844" }));
});

const recall = (more: object = {}) => ({
  campaign_name: "Recall",
  campaign_variables: { clinic: "Queens" },
  source: "+19032900844",
  caller_id: null,
  active_days: ["mon", "fri"],
  webhooks: [{ trigger_statuses: ["HUMAN"], url: "https://a.example", request_method: "POST" }],
  ...more,
});

async function createCampaign(campaign_name: string) {
  const { body } = await app.send("POST", path, recall({ campaign_name }));
  return body;
}
const put = (id: number, body: object) => app.send("PUT", `${path}/${id}`, body);

/** Everything a PUT may write, as the database has it. */
async function everything() {
  const { db } = app;
  return {
    campaigns: await db.selectFrom("campaigns").selectAll().orderBy("id").execute(),
    webhooks: await db.selectFrom("campaign_webhooks").selectAll().orderBy("id").execute(),
    audit: await db.selectFrom("audit_entries").selectAll().orderBy("id").execute(),
    events: await db.selectFrom("events").selectAll().orderBy("id").execute(),
  };
}

describe("a PUT of a campaign", () => {
  test("answers the stored row, with the audit entry and the event of the change beside it", async () => {
    const before = await createCampaign("Recall");
    app.clock.advance(60_000);

    const answer = await put(before.id, {
      ...before,
      hourly_rate: 60,
      daily_start_time: "09:00",
      outreach_override_rules: { days: { friday: { daily_end_time: "15:00" } } },
      webhooks: [
        { ...before.webhooks[0], auth_values: { hmac_secret: secret } },
        { trigger_statuses: ["MACHINE"], url: "https://b.example", request_method: "put" },
      ],
    });

    const at = "2026-11-18T12:01:00+00:00";
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      ...before,
      hourly_rate: 60,
      daily_start_time: "09:00:00",
      outreach_override_rules: { days: { fri: { daily_end_time: "15:00:00" } } },
      webhooks: [
        { ...before.webhooks[0], auth_value_keys: ["hmac_secret"] },
        {
          trigger_statuses: ["MACHINE"],
          url: "https://b.example",
          request_method: "PUT",
          id: expect.any(Number),
          auth_value_keys: null,
        },
      ],
      agent_id,
      updated_at: at,
    });
    expect((await app.send("GET", `${path}/${before.id}`)).body).toEqual(answer.body);

    const { audit, events } = await everything();
    expect(audit.at(-1)).toMatchObject({
      at,
      actor: "admin@example.com",
      action: "update",
      resource: "campaigns",
      resource_id: String(before.id),
      before,
      after: answer.body,
    });
    expect(events.at(-1)).toMatchObject({
      timestamp: at,
      source: "api",
      source_id: String(before.id),
      category: "outbound",
      type: "campaign-updated",
      description: 'Campaign "Recall" was updated by admin@example.com',
      attributes: { campaign_id: before.id, campaign_name: "Recall" },
    });
  });

  test("that is refused changes nothing, wherever on the way it is refused", async () => {
    const stored = await createCampaign("Refused");
    const other = await createCampaign("Other");
    const reader = app.sendAs(await app.createToken(["outbound_read"]));
    const before = await everything();

    const refusals = {
      "no permission": [await reader("PUT", `${path}/${stored.id}`, stored), 403],
      "a broken shape": [await put(stored.id, { ...stored, hourly_rate: 0 }), 422],
      "a broken rule": [
        await put(stored.id, { ...stored, webhooks: [{ ...stored.webhooks[0], url: "http://a" }] }),
        422,
      ],
      "no such campaign": [await put(999_999, stored), 404],
      "a number without an agent": [
        await put(stored.id, { ...stored, description: "x", source: "+15005550006" }),
        400,
      ],
      "a name that is taken": [await put(stored.id, { ...stored, campaign_name: other.campaign_name }), 400],
      "another campaign's webhook": [
        await put(stored.id, { ...stored, description: "x", webhooks: other.webhooks }),
        404,
      ],
    } as const;

    for (const [why, [answer, status]] of Object.entries(refusals)) expect(answer.status, why).toBe(status);
    expect(await everything()).toEqual(before);
  });

  test("is written whole or not at all: without its event there is no change", async () => {
    const stored = await createCampaign("Whole");
    const before = await everything();

    await sql`alter table events add constraint none check (type <> 'campaign-updated') not valid`.execute(
      app.db,
    );
    const failed = await put(stored.id, { ...stored, description: "half", webhooks: [] });
    await sql`alter table events drop constraint none`.execute(app.db);

    expect(failed.status).toBe(500);
    expect(await everything()).toEqual(before);
    expect((await put(stored.id, { ...stored, description: "whole" })).status).toBe(200);
  });
});

describe("PUTs of one campaign at the same time", () => {
  const version = (n: number, webhooks: object[]) =>
    recall({
      campaign_name: "Busy",
      description: `version ${n}`,
      labels: [`label ${n}`],
      campaign_variables: { n: String(n) },
      webhooks,
    });

  test("wait for each other", async () => {
    const stored = await createCampaign("Patient");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const holder = app.db.transaction().execute(async (tx) => {
      await tx.selectFrom("campaigns").select("id").where("id", "=", stored.id).forUpdate().execute();
      lock();
      await released;
    });
    await locked;

    const puts = [1, 2].map((n) => put(stored.id, { ...stored, description: `version ${n}` }));
    await waitForLocks(2);
    expect((await app.send("GET", `${path}/${stored.id}`)).body).toEqual(stored);

    release();
    await holder;
    for (const { status } of await Promise.all(puts)) expect(status).toBe(200);
  });

  test("happen one after the other, none lost halfway, each seeing what the one before left", async () => {
    const first = await createCampaign("Busy");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        // Half of them keep the webhook that is there now, half bring their own and so take it away.
        put(
          first.id,
          version(
            n,
            n % 2 === 0 ? first.webhooks : [{ ...first.webhooks[0], id: null, url: `https://${n}.example` }],
          ),
        ),
      ),
    );

    const { audit, webhooks } = await everything();
    const updates = audit.filter(
      (entry) => entry.resource_id === String(first.id) && entry.action === "update",
    );
    let before: unknown = first;
    for (const entry of updates) {
      expect(entry.before).toEqual(before);
      before = entry.after;
    }

    // Once the webhook is taken away, those that would keep it are refused; no answer is anything in between.
    const done = answers.filter(({ status }) => status === 200);
    expect(updates.map((entry) => entry.after)).toEqual(expect.arrayContaining(done.map(({ body }) => body)));
    expect(updates).toHaveLength(done.length);
    for (const { status, body } of answers) {
      if (status !== 200)
        expect(body).toEqual({ detail: `Webhook with ID ${first.webhooks[0].id} not found` });
      else expect(body.campaign_variables).toEqual({ n: body.description.slice("version ".length) });
    }

    const last = (await app.send("GET", `${path}/${first.id}`)).body;
    expect(last).toEqual(before);
    expect(webhooks.filter(({ campaign_id }) => campaign_id === first.id).map(({ id }) => id)).toEqual(
      last.webhooks.map(({ id }: { id: number }) => id),
    );
  });
});

/** Until this many statements wait for a lock in this test's database. */
async function waitForLocks(count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(app.db);
    if ((rows[0]?.n ?? 0) >= count) return;
    await sleep(5);
  }
}
