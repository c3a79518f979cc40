import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { isWithin } from "../../src/accounts/allowed-networks.ts";
import { sha256 } from "../../src/base/crypto.ts";
import { randomBase62 } from "../../src/base/ids.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { rounds } from "../harness/seed.ts";

const RULES = "/api/v1/organizations/access_rules";
const HOME = "198.51.100.7";
const AWAY = "203.0.113.9";
const AGENTS = "/api/v1/agents/";

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

type Asked = {
  method?: string;
  url?: string;
  body?: object;
  headers?: Record<string, string>;
  from?: string;
};
async function ask({ method = "GET", url = AGENTS, body, headers = {}, from = HOME }: Asked) {
  const answer = await app.api.server.inject({
    method: method as "GET",
    url,
    headers,
    remoteAddress: from,
    ...(body && { payload: body }),
  });
  return { status: answer.statusCode, body: answer.json() };
}
const asToken = (token: string) => ({ "service-api-key": token });

async function signedIn(): Promise<Record<string, string>> {
  const cookie = randomBase62(43);
  const now = app.clock.now().getTime();
  await app.db
    .insertInto("sign_ins")
    .values({
      token_hash: sha256(cookie),
      user_id: app.admin.user_id,
      created_at: new Date(now).toISOString(),
      last_used_at: new Date(now).toISOString(),
      expires_at: new Date(now + 12 * 3_600_000).toISOString(),
    })
    .execute();
  return { cookie: `parley_sign_in=${cookie}` };
}
const rule = (rules: object, headers: Record<string, string> = asToken(app.token)) =>
  ask({ method: "PUT", url: RULES, body: rules, headers });

describe("an organization's networks", () => {
  test("keep out tokens and sign-ins from elsewhere, forged headers too, and nobody else's", async () => {
    const neighbour = await app.createNeighbour();
    const cookie = await signedIn();
    expect((await rule({ allowed_networks: ["198.51.100.0/24", "2001:db8::/32"] })).status).toBe(200);
    for (const headers of [asToken(app.token), cookie]) {
      expect((await ask({ headers })).status).toBe(200);
      expect((await ask({ headers, from: "2001:db8::1" })).status).toBe(200);
      expect((await ask({ headers, from: "::ffff:198.51.100.9" })).status).toBe(200);
      const away = await ask({ headers, from: AWAY });
      expect(away).toMatchObject({ status: 403 });
      expect(away.body.detail).toContain(AWAY);
      // Nobody has declared a proxy, so its header is a claim of whoever sends it.
      expect((await ask({ headers: { ...headers, "x-forwarded-for": HOME }, from: AWAY })).status).toBe(403);
    }
    expect((await ask({ headers: asToken(neighbour.token), from: AWAY })).status).toBe(200);
  });

  test("can't be set so that whoever sets them is outside, nor to what is no network", async () => {
    expect(await rule({ allowed_networks: ["203.0.113.0/24"] })).toMatchObject({ status: 400 });
    for (const wrong of [
      "198.51.100.7/24",
      "127.1",
      "0x7f.1",
      "everywhere",
      "198.51.100.0/33",
      "fe80::1%eth0",
    ])
      expect((await rule({ allowed_networks: [wrong] })).status, wrong).toBe(422);
    expect((await ask({ headers: asToken(app.token), from: AWAY })).status).toBe(200);
  });

  test("count behind a declared proxy by the address that the proxy tells", async () => {
    app = await createTestApp({ TRUST_PROXY: "1" });
    const headers = { ...asToken(app.token), "x-forwarded-for": HOME };
    const put = {
      method: "PUT",
      url: RULES,
      body: { allowed_networks: [`${HOME}/32`] },
      headers,
      from: AWAY,
    };
    expect((await ask(put)).status).toBe(200);
    expect((await ask({ headers, from: AWAY })).status).toBe(200);
    expect((await ask({ headers: { ...headers, "x-forwarded-for": "192.0.2.1" }, from: AWAY })).status).toBe(
      403,
    );
    // The sender's own claim stands before what the proxy wrote.
    expect(
      (await ask({ headers: { ...headers, "x-forwarded-for": `${HOME}, 192.0.2.1` }, from: AWAY })).status,
    ).toBe(403);
  });
});

test("a token's networks hold for it and for all that is made with it", async () => {
  const make = (headers: Record<string, string>, more: object = {}) =>
    ask({
      method: "POST",
      url: "/api/v1/api_tokens/",
      body: { name: `t-${randomBase62(6)}`, ...more },
      headers,
    });
  const first = await make(await signedIn(), { allowed_networks: [`${HOME}/32`] });
  expect(first.body.allowed_networks).toEqual([`${HOME}/32`]);
  const headers = asToken(first.body.token);
  expect((await ask({ headers })).status).toBe(200);
  expect((await ask({ headers, from: AWAY })).status).toBe(403);
  expect((await make(headers, { allowed_networks: ["0.0.0.0/0"] })).status).toBe(403);
  const second = await make(headers);
  expect(second.body.allowed_networks).toEqual([`${HOME}/32`]);
  expect((await ask({ headers: asToken(second.body.token), from: AWAY })).status).toBe(403);

  const link = await ask({ method: "POST", url: `/api/v1/users/${app.admin.email}/sign_in_link`, headers });
  const code = link.body.sign_in_link.split("code=")[1];
  const entered = await app.api.server.inject({
    method: "POST",
    url: "/api/console/one-time-code",
    payload: { code },
    remoteAddress: AWAY,
  });
  const cookie = entered.cookies.find(({ name }) => name === "parley_sign_in");
  if (cookie) {
    const own = { cookie: `parley_sign_in=${cookie.value}` };
    expect((await ask({ headers: own, from: AWAY })).status).toBe(403);
    expect((await ask({ headers: own })).status).toBe(200);
  }
});

describe("a sign-in", () => {
  test("ends after the idle timeout, which a page that looks for news by itself doesn't put off", async () => {
    const headers = await signedIn();
    await rule({ idle_minutes: 10 });
    for (let minute = 0; minute < 30; minute += 6) {
      app.clock.advance(6 * 60_000);
      expect((await ask({ headers })).status).toBe(200);
    }
    for (let minute = 0; minute < 9; minute += 3) {
      app.clock.advance(3 * 60_000);
      expect((await ask({ headers: { ...headers, "x-idle-seconds": "180" } })).status).toBe(200);
    }
    app.clock.advance(2 * 60_000);
    expect((await ask({ headers: { ...headers, "x-idle-seconds": "600" } })).status).toBe(401);
    expect((await ask({ headers })).status).toBe(401);
  });

  test("ends after its longest life, however it is used; a shorter one applies to those that exist", async () => {
    const headers = await signedIn();
    for (let hour = 0; hour < 3; hour++) {
      app.clock.advance(3_600_000);
      expect((await ask({ headers })).status).toBe(200);
    }
    await rule({ longest_hours: 2 });
    expect((await ask({ headers })).status).toBe(401);
  });
});

describe("where a second factor is required", () => {
  const withFactor = async () => {
    await app.db
      .insertInto("second_factors")
      .values({
        user_id: app.admin.user_id,
        sealed_key: app.vault.seal("x"),
        created_at: app.clock.now().toISOString(),
        confirmed_at: app.clock.now().toISOString(),
      })
      .execute();
  };

  test("a person without one can look at their own account, and do nothing else", async () => {
    const headers = await signedIn();
    expect((await rule({ require_second_factor: true })).status).toBe(200);
    expect((await ask({ url: "/api/console/account", headers })).status).toBe(200);
    const { body: me } = await ask({ url: "/api/console/me", headers });
    expect(me).toMatchObject({ needs_second_factor: true, permissions: ["permissions_read"] });
    for (const url of [AGENTS, "/api/v1/sessions/", RULES, "/api/v1/users/", "/api/v1/audit_entries/"])
      expect((await ask({ url, headers })).status, url).toBe(403);
    const token = { method: "POST", url: "/api/v1/api_tokens/", body: { name: "way out" }, headers };
    expect((await ask(token)).status).toBe(403);
    expect((await rule({}, headers)).status).toBe(403);
    await withFactor();
    expect((await ask({ headers })).status).toBe(200);
  });

  test("whoever requires it has one; programs go on", async () => {
    const headers = await signedIn();
    expect(await rule({ require_second_factor: true }, headers)).toMatchObject({ status: 400 });
    await withFactor();
    expect((await rule({ require_second_factor: true }, headers)).status).toBe(200);
    expect((await ask({ headers: asToken(app.token) })).status).toBe(200);
    const { body } = await ask({
      url: "/api/v1/audit_entries/?search_fields=resource&search_field_values=access_rules",
      headers,
    });
    expect(JSON.stringify(body)).toContain('"require_second_factor":true');
  });
});

test("an address is within a network exactly if its first bits are the network's", () => {
  const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  const numberOf = (parts: number[]) => parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  fc.assert(
    fc.property(ipv4, ipv4, fc.nat(32), (address, network, bits) => {
      const shift = BigInt(32 - bits);
      const first = (numberOf(network) >> shift) << shift;
      const written = [24n, 16n, 8n, 0n].map((at) => (first >> at) & 255n).join(".");
      const expected = numberOf(address) >> shift === first >> shift;
      expect(isWithin(address.join("."), [`${written}/${bits}`])).toBe(expected);
      expect(isWithin(`::ffff:${address.join(".")}`, [`${written}/${bits}`])).toBe(expected);
      expect(isWithin(address.join("."), ["::/0"])).toBe(false);
    }),
    { numRuns: rounds(300) },
  );
  expect(isWithin("not an address", ["0.0.0.0/0"])).toBe(false);
  expect(isWithin(null, ["0.0.0.0/0"])).toBe(false);
});
