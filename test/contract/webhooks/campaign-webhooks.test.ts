import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CAMPAIGNS, campaignCalls, hook, least, NUMBER } from "../../harness/campaigns.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await createSender(app, app.admin, { target: NUMBER });
});

const { create, put } = campaignCalls(() => app);
const secret = (bytes: number, of = 7) => Buffer.alloc(bytes, of).toString("base64");

describe("webhooks", () => {
  const storedSecret = async (id: number) => {
    const row = await app.db
      .selectFrom("campaign_webhooks")
      .select("sealed_hmac_secret")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return row.sealed_hmac_secret && app.vault.open(row.sealed_hmac_secret);
  };

  test("are kept and updated by id, created without one, and gone when not named; the order is the sender's", async () => {
    const first = await create({
      webhooks: [hook({ url: "https://a.example" }), hook({ url: "https://b.example" })],
    });
    const [a, b] = first.webhooks;
    const { body } = await put(first.id, {
      ...first,
      webhooks: [hook({ url: "https://c.example", id: null }), { ...b, request_method: "patch" }],
    });
    expect(body.webhooks).toEqual([
      { ...hook({ url: "https://c.example" }), id: expect.any(Number), auth_value_keys: null },
      { ...b, request_method: "PATCH" },
    ]);
    expect(body.webhooks[0].id).not.toBe(a.id);
    expect((await put(first.id, { ...first, webhooks: undefined })).body.webhooks).toEqual([]);
  });

  test.each([
    ["null keeps it", { hmac_secret: null }, secret(32)],
    ["an omitted key removes it", {}, null],
    ["a null map keeps it", null, secret(32)],
    ["an omitted map keeps it", undefined, secret(32)],
    ["a new value replaces it", { hmac_secret: secret(512, 9) }, secret(512, 9)],
  ])("on update of a secret %s", async (_rule, auth_values, kept) => {
    const first = await create({ webhooks: [hook({ auth_values: { hmac_secret: secret(32) } })] });
    const { id } = first.webhooks[0];
    const { body } = await put(first.id, { ...first, webhooks: [hook({ id, auth_values })] });
    expect(body.webhooks[0].auth_value_keys).toEqual(kept ? ["hmac_secret"] : null);
    expect(await storedSecret(id)).toBe(kept);
  });

  test("whose secret was stored under another SECRET_KEY take a new one, which signs alone", async () => {
    const first = await create({ webhooks: [hook({ auth_values: { hmac_secret: secret(32) } })] });
    const { id } = first.webhooks[0];
    const unreadable = { sealed_hmac_secret: "v1.AA.AA.AA" };
    await app.db.updateTable("campaign_webhooks").set(unreadable).where("id", "=", id).execute();
    const auth_values = { hmac_secret: secret(32, 9) };
    expect((await put(first.id, { ...first, webhooks: [hook({ id, auth_values })] })).status).toBe(200);
    expect(await storedSecret(id)).toBe(secret(32, 9));
    const { sealed_previous_hmac_secret: previous } = await app.db
      .selectFrom("campaign_webhooks")
      .select("sealed_previous_hmac_secret")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(previous).toBeNull();
  });

  test("show the names of their secrets and nothing more, in answers, rows, audit and events", async () => {
    const given = Buffer.from("an unmistakable secret of 40 bytes, yes!").toString("base64");
    const { id, webhooks } = await create({ webhooks: [hook({ auth_values: { hmac_secret: given } })] });
    expect(webhooks[0].auth_value_keys).toEqual(["hmac_secret"]);
    const everything = await Promise.all([
      app.send("GET", `${CAMPAIGNS}/${id}`),
      app.db.selectFrom("campaign_webhooks").selectAll().execute(),
      app.db.selectFrom("audit_entries").selectAll().execute(),
      app.db.selectFrom("events").selectAll().execute(),
    ]);
    expect(JSON.stringify(everything)).not.toContain(given);
  });

  test("of another campaign, or of nobody, are not found, and nothing changes", async () => {
    const victim = await create({ webhooks: [hook({ auth_values: { hmac_secret: secret(32) } })] });
    const mine = await create({ webhooks: [hook({ url: "https://mine.example" })] });
    const neighbour = await app.createNeighbour();
    await createSender(app, neighbour.caller, { target: "+15125554444" });
    const theirs = await neighbour.send("POST", CAMPAIGNS, {
      ...least(),
      caller_id: "+15125554444",
      webhooks: [hook()],
    });

    for (const id of [victim.webhooks[0].id, theirs.body.webhooks[0].id, 999_999]) {
      const stolen = [hook({ id, url: "https://stolen.example" })];
      const refusal = { status: 404, body: { detail: `Webhook with ID ${id} not found` } };
      expect(await put(mine.id, { ...mine, description: "changed", webhooks: stolen })).toMatchObject(
        refusal,
      );
      expect(await app.send("POST", CAMPAIGNS, { ...least(), webhooks: stolen })).toMatchObject(refusal);
    }
    for (const before of [victim, mine]) {
      expect((await app.send("GET", `${CAMPAIGNS}/${before.id}`)).body).toEqual(before);
    }
    expect(await storedSecret(victim.webhooks[0].id)).toBe(secret(32));
  });
});
