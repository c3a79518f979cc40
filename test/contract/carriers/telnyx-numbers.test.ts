import { beforeEach, expect, test } from "vitest";
import { Scenario } from "../../../src/simulator/people.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

/** A Telnyx account with numbers, by the documented API, behind the operations that list Twilio's. */
let app: TestApp;
let telnyx: Peer;
let path: string;
let channel_id: number;
let owned: { id: string; phone_number: string; connection_id: string | null; customer_reference?: string }[];
let available: string[];

beforeEach(async () => {
  telnyx = await createPeer();
  owned = [
    { id: "12933", phone_number: "+19705555098", connection_id: null, customer_reference: "Old name" },
    { id: "12934", phone_number: "+19705555099", connection_id: "1234" },
  ];
  available = ["+14155550177"];
  telnyx.respond((request, response) => {
    const url = new URL(request.path, "http://telnyx");
    const asked = `${request.method} ${url.pathname}`;
    if (request.headers.authorization !== "Bearer the api key")
      return json(response, 401, { errors: [{ code: "10009", title: "Authentication failed" }] });
    if (asked === "GET /phone_numbers") {
      const [size, page] = ["page[size]", "page[number]"].map((name) => Number(url.searchParams.get(name)));
      const from = (Number(page) - 1) * Number(size);
      const meta = { total_pages: Math.ceil(owned.length / Number(size)), total_results: owned.length };
      return json(response, 200, { data: owned.slice(from, from + Number(size)), meta });
    }
    if (asked === "GET /available_phone_numbers") {
      const code = url.searchParams.get("filter[national_destination_code]");
      const data = available.filter((number) => number.startsWith(`+1${code}`));
      return json(response, 200, { data: data.map((phone_number) => ({ phone_number })) });
    }
    if (asked === "POST /number_orders") {
      const { phone_numbers, connection_id, customer_reference } = JSON.parse(request.body);
      const [{ phone_number }] = phone_numbers;
      owned.push({ id: `n${owned.length}`, phone_number, connection_id, customer_reference });
      const ordered = [{ id: "dc8e4d67", phone_number, status: "pending" }];
      return json(response, 200, { data: { id: "12ade33a", status: "pending", phone_numbers: ordered } });
    }
    if (request.method === "PATCH") {
      const one = owned.find(({ id }) => asked === `PATCH /phone_numbers/${id}`);
      if (one) return json(response, 200, { data: Object.assign(one, JSON.parse(request.body)) });
    }
    if (request.method === "DELETE") {
      const at = owned.findIndex(({ id }) => asked === `DELETE /phone_numbers/${id}`);
      if (at !== -1) return json(response, 200, { data: owned.splice(at, 1)[0] as object });
    }
    if (asked === "GET /10dlc/phone_number_campaigns/%2B19705555099")
      return json(response, 200, { phoneNumber: "+19705555099", assignmentStatus: "ASSIGNED" });
    return json(response, 404, { errors: [{ code: "10005", title: "Resource not found" }] });
  });
  app = await createTestApp({ TELNYX_BASE_URL: telnyx.url }, undefined, {
    simulation: { scenario: Scenario.parse({}), speed: "moved" },
  });
  channel_id = await channel({ carrier: "telnyx", api_key: "the api key", connection_id: "1234" });
  path = `/api/v1/channels/twilio/${channel_id}/numbers`;
});

async function channel(credentials: Record<string, string>): Promise<number> {
  const public_key = Buffer.alloc(32, 7).toString("base64");
  const answer = await app.send("POST", "/api/v1/channels/", {
    name: `SIP ${Object.values(credentials).join(" ")}`,
    channel_service: "sip",
    config: {
      provider_credentials: { ...credentials, ...(credentials.carrier === "telnyx" && { public_key }) },
    },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.id;
}

const addresses = () => app.db.selectFrom("channel_addresses").select("target").execute();

test("the account's numbers are listed, over all pages, and a reading stores nothing", async () => {
  owned.push(
    ...Array.from({ length: 300 }, (_, n) => ({
      id: `m${n}`,
      phone_number: `+1303555${String(n).padStart(4, "0")}`,
      connection_id: null,
    })),
  );
  const { status, body } = await app.send("GET", path);
  expect(status).toBe(200);
  expect(body.phone_numbers).toHaveLength(302);
  expect(body.phone_numbers.slice(0, 2)).toEqual([
    { sid: "12933", phone_number: "+19705555098", friendly_name: "Old name", trunk_sid: "" },
    { sid: "12934", phone_number: "+19705555099", friendly_name: "", trunk_sid: "1234" },
  ]);
  const offered = await app.send("GET", "/api/v1/channels/available-targets?limit=1000");
  expect(offered.body.items.map(({ target }: { target: string }) => target)).toContain("+19705555098");
  expect(await addresses()).toEqual([]);
});

test("a number is rented by its area code, given to the application, and written down once", async () => {
  const wish = { friendly_name: "Front desk", area_code: "415" };
  const { status, body } = await app.send("POST", path, wish);
  expect([status, body]).toEqual([200, { phone_number: "+14155550177" }]);
  expect(owned.at(-1)).toMatchObject({ connection_id: "1234", customer_reference: "Front desk" });
  expect(await addresses()).toEqual([{ target: "+14155550177" }]);
  const audit = await app.send(
    "GET",
    "/api/v1/audit_entries/?search_fields=resource&search_field_values=numbers",
  );
  expect(audit.body.items).toHaveLength(1);
});

test("an area without numbers is refused in words, and nothing is ordered", async () => {
  const { status, body } = await app.send("POST", path, { friendly_name: "x", area_code: "212" });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(body)).toContain("no number of the area 212");
  expect(owned).toHaveLength(2);
});

test("a number of the account is attached: it leads here from then on", async () => {
  const { status, body } = await app.send("PUT", path, { friendly_name: "Night", phone_sid: "12933" });
  expect([status, body]).toEqual([200, { phone_number: "+19705555098" }]);
  expect(owned[0]).toMatchObject({ connection_id: "1234", customer_reference: "Night" });
  expect((await app.send("PUT", path, { friendly_name: "x", phone_sid: "none" })).status).not.toBe(200);
});

test("a number is given back by its own name at Telnyx", async () => {
  const giveBack = () => app.send("DELETE", `${path}/${encodeURIComponent("+19705555098")}`);
  expect((await giveBack()).status).toBe(200);
  expect(owned.map(({ id }) => id)).toEqual(["12934"]);
  expect((await giveBack()).status).toBe(404);
});

test("whether texts to the US are delivered is told by the number's campaign", async () => {
  const check = (phone: string) => app.send("POST", `${path}/verify-a2p-compliance`, { phone });
  expect((await check("+19705555099")).body).toEqual({ a2p_approved: true });
  expect((await check("+19705555098")).body).toEqual({ a2p_approved: false });
});

test("an account that is not signed in says why, without its key; other SIP carriers have no numbers here", async () => {
  const wrong = await channel({ carrier: "telnyx", api_key: "another key", connection_id: "1234" });
  const refused = await app.send("GET", `/api/v1/channels/twilio/${wrong}/numbers`);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(refused.body)).toContain("Authentication failed");
  expect(JSON.stringify(refused.body)).not.toContain("another key");
  const asterisk = await channel({ carrier: "asterisk", socket_password: "a password of some length" });
  expect((await app.send("GET", `/api/v1/channels/twilio/${asterisk}/numbers`)).status).toBe(404);
});
