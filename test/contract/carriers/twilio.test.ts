import { beforeAll, describe, expect, test } from "vitest";
import {
  type CarrierAccount,
  CarrierFault,
  type CarrierNumber,
  type CarrierNumbers,
  type Carriers,
} from "../../../src/channels/carrier.ts";
import { readChannelAccount } from "../../../src/channels/credentials/channel-credentials.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { changedTables, snapshot } from "../../harness/snapshot.ts";
import { waitForLocks } from "../../harness/waiting.ts";

const PATH = "/api/v1/channels/twilio/";

/** A carrier with two numbers; it knows accounts by their token. */
function createCarrier() {
  const number = (n: number): CarrierNumber => ({
    sid: `PN${n}`,
    phone_number: `+1512555000${n}`,
    friendly_name: `Number ${n}`,
    trunk_sid: `TK${n}`,
  });
  const owned = [number(1), number(2)];
  const asked: CarrierAccount[] = [];
  const approved = new Set<string>();
  const unreachable = new Set<number>();
  const numbers: CarrierNumbers = {
    async list(account) {
      asked.push(account);
      if (unreachable.has(account.channel_id)) throw new CarrierFault("It can't be reached.", "not-sent");
      return owned;
    },
    async buy(_account, { friendly_name }) {
      const bought = { ...number(owned.length + 1), friendly_name };
      owned.push(bought);
      return bought;
    },
    async attach(_account, { sid, friendly_name }) {
      const found = owned.find((each) => each.sid === sid);
      if (!found) throw new Error(`no ${sid}`);
      found.friendly_name = friendly_name;
      return found;
    },
    async release(_account, sid) {
      const at = owned.findIndex((each) => each.sid === sid);
      if (at === -1) throw new CarrierFault("It has no such number.", "refused");
      owned.splice(at, 1);
    },
    isA2pApproved: async (_account, phone) => approved.has(phone),
  };
  return { numbers, owned, asked, approved, unreachable };
}

let app: TestApp;
const carrier = createCarrier();
beforeAll(async () => {
  const carriers: Carriers = {
    of: async ({ id: channel_id }) => {
      const { credentials = {} } = (await readChannelAccount(app.db, app.vault, channel_id)) ?? {};
      return {
        carrier: { name: "a carrier", simulated: false, numbers: carrier.numbers },
        account: { channel_id, credentials },
      };
    },
  };
  app = await createTestApp({}, undefined, { carriers });
});

let counter = 0;
const create = async (on: TestApp = app) =>
  (
    await on.send("POST", PATH, {
      name: `Twilio ${++counter}`,
      config: { account_sid: "AC0123456789", auth_token: `token-${counter}` },
    })
  ).body;

describe("Twilio channels, the older way", () => {
  test("a created channel is one like any other and never shows its secrets", async () => {
    const made = await create();
    expect(made).toEqual({
      name: `Twilio ${counter}`,
      channel_service: "twilio",
      supported_modes: "voice,sms",
      is_system_channel: true,
      id: expect.any(Number),
      config: { telephony: null, email: null, credentials: { account_sid_last_four: "6789" } },
    });
    expect((await app.send("GET", `${PATH}${made.id}`)).body).toEqual(made);
    const listed = await app.send("GET", `/api/v1/channels/?search_fields=id&search_field_values=${made.id}`);
    expect(listed.body.items).toEqual([made]);
  });

  test("an update keeps what it leaves out, the token and the voice settings too", async () => {
    const made = await create();
    const telephony = { pre_input_timeout: 3 };
    await app.send("PUT", "/api/v1/channels/", { ...made, config: { telephony } });
    const renamed = await app.send("PUT", PATH, { id: made.id, name: "Renamed" });
    expect(renamed.body).toMatchObject({
      name: "Renamed",
      config: { telephony: expect.objectContaining(telephony), credentials: made.config.credentials },
    });
    await app.send("PUT", PATH, { id: made.id, config: { account_sid: "AC000000abcd" } });
    await app.send("GET", `${PATH}${made.id}/numbers`);
    expect(carrier.asked.at(-1)?.credentials).toEqual({
      account_sid: "AC000000abcd",
      auth_token: `token-${counter}`,
    });
  });

  test("an update keeps what it leaves out as somebody else has just stored it", async () => {
    const { id } = await create();
    const [answered] = await app.db.transaction().execute(async (tx) => {
      await tx.updateTable("channels").set({ name: "Just renamed" }).where("id", "=", id).execute();
      const answer = app.send("PUT", PATH, { id, config: { auth_token: "another" } });
      await waitForLocks(app.database.pool, 1);
      return [answer];
    });
    expect(await answered).toMatchObject({ status: 200, body: { name: "Just renamed" } });
  });

  test("a channel of another service, or of a neighbour, is not there", async () => {
    const other = await app.send("POST", "/api/v1/channels/", {
      name: "Chat",
      channel_service: "webchat",
      config: {},
    });
    expect((await app.send("GET", `${PATH}${other.body.id}`)).status).toBe(404);
    expect((await app.send("PUT", PATH, { id: other.body.id, name: "x" })).status).toBe(404);
    const { id } = await create();
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${PATH}${id}`],
      ["PUT", PATH, { id, name: "x" }],
      ["GET", `${PATH}${id}/numbers`],
      ["POST", `${PATH}${id}/numbers`, { friendly_name: "x", area_code: "512" }],
      ["PUT", `${PATH}${id}/numbers`, { friendly_name: "x", phone_sid: "PN1" }],
      ["DELETE", `${PATH}${id}/numbers/${encodeURIComponent("+15125550001")}`],
      ["POST", `${PATH}${id}/numbers/verify-a2p-compliance`, { phone: "+15125550001" }],
    ] as const) {
      expect(await neighbour.send(method, url, body), `${method} ${url}`).toMatchObject({
        status: 404,
        body: { detail: `Channel with ID ${id} not found` },
      });
    }
  });

  test.each([
    ["POST", { config: { account_sid: "a", auth_token: "b" } }, ["body", "name"], "missing"],
    ["POST", { name: "x", config: { account_sid: "a" } }, ["body", "config", "auth_token"], "missing"],
    ["POST", { name: "x" }, ["body", "config"], "missing"],
    ["PUT", { name: "x" }, ["body", "id"], "missing"],
    ["PUT", { id: 1, name: "" }, ["body", "name"], "string_too_short"],
  ])("%s refuses at its place: %j", async (method, body, loc, type) => {
    const answer = await app.send(method, PATH, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });
});

describe("numbers", () => {
  const available = async (id: number, more = "") => {
    const search = `search_fields=channel_id&search_field_values=${id}${more}`;
    return (await app.send("GET", `/api/v1/channels/available-targets?${search}`)).body;
  };
  const targets = (page: { items: { target: string }[] }) => page.items.map(({ target }) => target);
  const link = async (id: number, target: string, target_mode = "sms") => {
    const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "hello"' });
    const input = { agent_id, channel_id: id, target, target_mode };
    return app.send("POST", `/api/v1/channels/${id}/targets`, input);
  };
  const stored = (id: number) =>
    app.db.selectFrom("channel_addresses").select("target").where("channel_id", "=", id).execute();

  test("the carrier's numbers are listed and available to targets, and neither reading stores anything", async () => {
    const { id } = await create();
    const before = await snapshot(app.db);
    const { status, body } = await app.send("GET", `${PATH}${id}/numbers`);
    expect(status).toBe(200);
    expect(body.phone_numbers.slice(0, 1)).toEqual([
      { sid: "PN1", phone_number: "+15125550001", friendly_name: expect.any(String), trunk_sid: "TK1" },
    ]);
    expect(targets(await available(id)).slice(0, 2)).toEqual(["+15125550001", "+15125550002"]);
    expect(changedTables(before, await snapshot(app.db))).toEqual([]);
  });

  test("available numbers are searched, ordered and paged whether the carrier tells them or they are stored", async () => {
    const { id } = await create();
    await app.send("PUT", `${PATH}${id}/numbers`, { friendly_name: "Day", phone_sid: "PN2" });
    const all = await available(id);
    expect(all.total_count).toBe(all.items.length);
    expect(targets(all)).toEqual(targets(all).toSorted());
    expect(new Set(targets(all)).size).toBe(all.items.length);
    expect(all.items[0]).toEqual({
      organization_id: app.admin.organization_id,
      channel_id: id,
      channel_name: expect.any(String),
      target: "+15125550001",
    });
    const found = await available(id, "&search_fields=target&search_field_values=0002");
    expect(targets(found)).toEqual(["+15125550002"]);
    expect(targets(await available(id, "&limit=1&page=1"))).toEqual(["+15125550002"]);
  });

  test("the carrier is asked for a number that is linked for the first time, and never again", async () => {
    const { id } = await create();
    const asked = () => carrier.asked.filter(({ channel_id }) => channel_id === id).length;
    expect((await link(id, "+15125550001")).status).toBe(200);
    expect(await stored(id)).toEqual([{ target: "+15125550001" }]);
    expect(asked()).toBe(1);
    expect((await link(id, "+15125550001", "voice")).status).toBe(200);
    expect(asked()).toBe(1);
    expect(targets(await available(id))).not.toContain("+15125550001");
  });

  test("a number that the carrier does not have can't be linked, and is not stored", async () => {
    const { id } = await create();
    expect(await link(id, "+15125559999")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("is not an address of channel") },
    });
    expect(await stored(id)).toEqual([]);
  });

  test("of a carrier that can't be reached what is stored is available, and a new number is refused for now", async () => {
    const { id } = await create();
    await app.send("PUT", `${PATH}${id}/numbers`, { friendly_name: "Day", phone_sid: "PN2" });
    carrier.unreachable.add(id);
    expect(targets(await available(id))).toEqual(["+15125550002"]);
    expect((await link(id, "+15125550002")).status).toBe(200);
    expect(await link(id, "+15125550001")).toMatchObject({
      status: 503,
      body: { detail: "It can't be reached." },
    });
  });

  test("a neighbour's channels are not asked", async () => {
    const { id } = await create();
    const neighbour = await app.createNeighbour();
    const before = carrier.asked.length;
    const answer = await neighbour.send("GET", "/api/v1/channels/available-targets");
    expect(answer.body.items).toEqual([]);
    const search = `search_fields=channel_id&search_field_values=${id}`;
    await neighbour.send("GET", `/api/v1/channels/available-targets?${search}`);
    const input = { agent_id: 1, channel_id: id, target: "+15125550001", target_mode: "sms" };
    expect((await neighbour.send("POST", `/api/v1/channels/${id}/targets`, input)).status).toBe(404);
    expect(carrier.asked.length).toBe(before);
  });

  test("a number is given back once no agent answers at it: the carrier has it no more, and nothing of it stays", async () => {
    const { id } = await create();
    const bought = await app.send("POST", `${PATH}${id}/numbers`, { friendly_name: "x", area_code: "512" });
    const { phone_number } = bought.body;
    const linked = await link(id, phone_number);
    const giveBack = (number = phone_number) =>
      app.send("DELETE", `${PATH}${id}/numbers/${encodeURIComponent(number)}`);
    expect(await giveBack()).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/ is an address of .*\. Delete that address first\.$/) },
    });
    expect(carrier.owned).toContainEqual(expect.objectContaining({ phone_number }));
    await app.send("DELETE", `/api/v1/channels/${id}?target_id=${linked.body.id}`);
    expect(await giveBack()).toMatchObject({ status: 200, body: { success: true } });
    expect(carrier.owned).not.toContainEqual(expect.objectContaining({ phone_number }));
    expect(await stored(id)).toEqual([]);
    expect((await giveBack()).status).toBe(404);
    const { body } = await app.send("GET", "/api/v1/audit_entries/?limit=1");
    expect(body.items[0]).toMatchObject({
      action: "delete",
      resource: "numbers",
      resource_id: phone_number,
    });
  });

  test("a number whose giving back broke off at the carrier's answer is forgotten when it is asked again", async () => {
    const { id } = await create();
    const bought = await app.send("POST", `${PATH}${id}/numbers`, { friendly_name: "x", area_code: "512" });
    const { phone_number } = bought.body;
    const at = carrier.owned.findIndex((each) => each.phone_number === phone_number);
    carrier.owned.splice(at, 1);
    expect(await stored(id)).toEqual([{ target: phone_number }]);
    const url = `${PATH}${id}/numbers/${encodeURIComponent(phone_number)}`;
    expect((await app.send("DELETE", url)).status).toBe(200);
    expect(await stored(id)).toEqual([]);
  });

  test("a number that was bought or attached can be claimed too, and is in the audit trail", async () => {
    const { id } = await create();
    const bought = await app.send("POST", `${PATH}${id}/numbers`, {
      friendly_name: "Front desk",
      area_code: "512",
    });
    expect(bought).toMatchObject({ status: 200, body: { phone_number: "+15125550003" } });
    const attached = await app.send("PUT", `${PATH}${id}/numbers`, {
      friendly_name: "Night",
      phone_sid: "PN2",
    });
    expect(attached).toMatchObject({ status: 200, body: { phone_number: "+15125550002" } });
    expect((await stored(id)).length).toBe(2);
    const trail = await app.send(
      "GET",
      "/api/v1/audit_entries/?search_fields=resource&search_field_values=numbers&limit=2",
    );
    expect(trail.body.items.map((entry: { action: string }) => entry.action)).toEqual(["update", "create"]);
  });

  test("the outcome of the A2P check is kept on the targets that have the number, and found by it", async () => {
    const { id } = await create();
    const { body: target } = await link(id, "+15125550001");
    expect(target.a2p_verified).toBeNull();
    const check = () =>
      app.send("POST", `${PATH}${id}/numbers/verify-a2p-compliance`, { phone: "+15125550001" });
    const kept = async () => (await app.send("GET", `/api/v1/channels/${id}/targets/${target.id}`)).body;

    const search = "search_fields=channel_id&search_fields=a2p_verified";
    const found = async (verified: string) => {
      const values = `search_field_values=${id}&search_field_values=${verified}`;
      return (await app.send("GET", `/api/v1/channels/targets?${search}&${values}`)).body.total_count;
    };
    // Never checked is neither.
    expect([await found("false"), await found("true")]).toEqual([0, 0]);

    expect(await check()).toMatchObject({ status: 200, body: { a2p_approved: false } });
    expect((await kept()).a2p_verified).toBe(false);
    expect([await found("false"), await found("true")]).toEqual([1, 0]);
    carrier.approved.add("+15125550001");
    expect((await check()).body).toEqual({ a2p_approved: true });
    expect((await kept()).a2p_verified).toBe(true);
    expect([await found("false"), await found("true")]).toEqual([0, 1]);
  });

  test.each([
    ["POST", "numbers", { area_code: "512" }, "friendly_name", "missing"],
    ["POST", "numbers", { friendly_name: "x", area_code: "five" }, "area_code", "value_error"],
    ["PUT", "numbers", { friendly_name: "x" }, "phone_sid", "missing"],
    ["POST", "numbers/verify-a2p-compliance", { phone: "5125550001" }, "phone", "value_error"],
  ])("%s %s refuses at its place: %j", async (method, url, body, field, type) => {
    const { id } = await create();
    const answer = await app.send(method, `${PATH}${id}/${url}`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", field], msg: expect.any(String), type }]);
  });

  test("without a connection to the carrier every operation on numbers says so with 501", async () => {
    const bare = await createTestApp();
    const { id } = await create(bare);
    for (const [method, url, body] of [
      ["GET", "numbers"],
      ["POST", "numbers", { friendly_name: "x", area_code: "512" }],
      ["PUT", "numbers", { friendly_name: "x", phone_sid: "PN1" }],
      ["POST", "numbers/verify-a2p-compliance", { phone: "+15125550001" }],
    ] as const) {
      expect(await bare.send(method, `${PATH}${id}/${url}`, body)).toMatchObject({
        status: 501,
        body: { detail: expect.stringContaining("no connection to the carrier") },
      });
    }
  });
});
