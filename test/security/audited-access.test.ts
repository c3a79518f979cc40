import { beforeAll, expect, test } from "vitest";
import { converse, createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createPeer, json } from "../harness/peer.ts";
import { signedInSend } from "../harness/signed-in-send.ts";

/** Who got in, who tried, and who let an agent or a service be used: it stands in the audit trail, without a secret. */
const PASSWORD = "correct horse battery";
const HOUR_MS = 3_600_000;

let app: TestApp;
let code: string;
beforeAll(async () => {
  app = await createTestApp();
  code = await newLink();
  const used = await useLink(code, PASSWORD);
  expect(used.statusCode).toBe(200);
});

async function newLink(): Promise<string> {
  const person = await signedInSend(app, app.admin);
  const { body } = await person("POST", `/api/v1/users/${app.admin.email}/sign_in_link`);
  return body.sign_in_link.split("code=")[1];
}
const post = (url: string, payload: object, address: string, cookie = "") =>
  app.api.server.inject({ method: "POST", url, remoteAddress: address, payload, headers: { cookie } });
const useLink = (link: string, password: string | null, address = "198.51.100.7") =>
  post("/api/console/one-time-code", { code: link, password }, address);
const signIn = (password: string, address: string, email = app.admin.email) =>
  post("/api/console/sign-in", { email, password }, address);

type Entry = {
  actor: string;
  action: string;
  resource: string;
  resource_id: string;
  address: string;
  request_id: string;
  after: { times?: number };
};
const entries = async (action: string, send = app.send): Promise<Entry[]> =>
  (await send("GET", `/api/v1/audit_entries/?limit=1000&search_fields=action&search_field_values=${action}`))
    .body.items;
const latest = async (action: string) => (await entries(action))[0];

test("a sign-in by link and by password, and signing out, are in the trail with who and from which address", async () => {
  const who = { actor: app.admin.email, resource: "users", resource_id: String(app.admin.user_id) };
  expect(await latest("sign-in")).toMatchObject({
    ...who,
    address: "198.51.100.7",
    request_id: expect.any(String),
    after: { with: "link", password_set: true },
  });
  const { cookies, statusCode } = await signIn(PASSWORD, "198.51.100.8");
  expect(statusCode).toBe(200);
  expect(await latest("sign-in")).toMatchObject({
    ...who,
    address: "198.51.100.8",
    after: { with: "password" },
  });
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  expect((await post("/api/console/sign-out", {}, "198.51.100.8", cookie)).statusCode).toBe(200);
  expect(await latest("sign-out")).toMatchObject({ ...who, address: "198.51.100.8" });
  // Nobody was signed in: there is nothing to tell.
  await post("/api/console/sign-out", {}, "198.51.100.8", cookie);
  expect(await entries("sign-out")).toHaveLength(1);
});

test("an API token that is made and revoked is in the trail, without the token", async () => {
  const { body } = await app.send("POST", "/api/v1/api_tokens/", { name: "For a script" });
  await app.send("DELETE", `/api/v1/api_tokens/${body.id}`);
  const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
  expect(items[0]).toMatchObject({ action: "delete", resource: "api_tokens", actor: app.admin.email });
  expect(items[1]).toMatchObject({ action: "create", resource: "api_tokens", address: expect.any(String) });
  expect(JSON.stringify(items)).not.toContain(body.token);
});

test("wrong passwords from one address are one entry an hour, which counts them; a spent link is told of as well", async () => {
  for (let n = 0; n < 4; n++) expect((await signIn("hush-hush-hush", "203.0.113.5")).statusCode).toBe(401);
  const [entry, ...others] = (await entries("sign-in-failed")).filter(
    ({ address }) => address === "203.0.113.5",
  );
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    actor: app.admin.email,
    resource: "users",
    resource_id: String(app.admin.user_id),
    after: { with: "password", times: 4 },
  });
  app.clock.advance(HOUR_MS);
  await signIn("hush-hush-hush", "203.0.113.5");
  expect((await latest("sign-in-failed"))?.after).toMatchObject({ times: 1 });
  expect((await useLink(code, PASSWORD, "203.0.113.6")).statusCode).toBe(401);
  expect((await useLink(code, null, "203.0.113.6")).statusCode).toBe(401);
  expect(await latest("sign-in-failed")).toMatchObject({
    address: "203.0.113.6",
    after: { with: "link", times: 2 },
  });
  const told = JSON.stringify(await entries("sign-in-failed"));
  expect(told).not.toContain("hush");
  expect(told).not.toContain(code);
});

test("a flood from a hundred and thirty addresses, and at addresses of nobody, doesn't fill the trail", async () => {
  app.clock.advance(HOUR_MS);
  const before = (await entries("sign-in-failed")).length;
  for (let half = 0; half < 2; half++)
    await Promise.all(
      Array.from({ length: 65 }, (_, n) => signIn("wrong", `192.0.${half}.${n}`, app.admin.email)),
    );
  for (let n = 0; n < 5; n++) await signIn("wrong", "203.0.113.77", `nobody${n}@example.com`);
  const written = (await entries("sign-in-failed")).slice(0, -before);
  expect(written.length).toBeLessThanOrEqual(101);
  expect(written.reduce((sum, { after }) => sum + (after.times ?? 0), 0)).toBe(130);
  expect(written).toContainEqual(
    expect.objectContaining({
      address: null,
      after: expect.objectContaining({ from: "many addresses", times: 30 }),
    }),
  );
  expect(JSON.stringify(written)).not.toContain("nobody");
});

test("a failed sign-in is told to the organizations of the account, and to no neighbour", async () => {
  const neighbour = await app.createNeighbour();
  await signIn("wrong", "203.0.113.90");
  const seen = await entries("sign-in-failed", neighbour.send);
  expect(seen).toEqual([]);
});

test("a test conversation is in the trail: who let which agent be talked to, in which session, and nothing that was said", async () => {
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Yes."' });
  const say = converse(app, agent_id);
  await say("");
  await say("my secret is hush");
  const [entry, ...others] = await entries("test");
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    actor: app.admin.email,
    resource: "agents",
    resource_id: String(agent_id),
    address: expect.any(String),
    after: { session_id: expect.any(Number), times: 2 },
  });
  expect(JSON.stringify(entry)).not.toContain("hush");
});

test("a service's sign-in is in the trail, each outcome once an hour, without its secrets", async () => {
  const peer = await createPeer();
  let status = 500;
  peer.respond((_, response) => json(response, status, { access_token: "hush-token", expires_in: 1 }));
  const auth_values = { client_id: "us", client_secret: "hush", auth_url: `${peer.url}/token?key=hush` };
  const { id } = (
    await app.send("POST", "/api/v1/services/", {
      name: "CRM",
      description: "",
      auth_type: "oauth2",
      auth_values,
      allowed_hosts: [new URL(peer.url).host],
    })
  ).body;
  const call = () => app.engine.auth.headersFor(id, `${peer.url}/x`);
  for (let n = 0; n < 3; n++) expect((await call()).ok).toBe(false);
  status = 200;
  for (let n = 0; n < 3; n++) {
    expect((await call()).ok).toBe(true);
    app.clock.advance(2_000);
  }
  const ofService = async (action: string) =>
    (await entries(action)).filter(({ resource }) => resource === "services");
  const failed = await ofService("sign-in-failed");
  const signedIn = await ofService("sign-in");
  expect(failed).toMatchObject([
    { actor: "Parley", resource_id: String(id), after: { name: "CRM", auth_url: `${peer.url}/token` } },
  ]);
  expect(signedIn).toHaveLength(1);
  expect(failed[0]?.after.times).toBe(3);
  expect(signedIn[0]?.after.times).toBe(3);
  expect(JSON.stringify([failed, signedIn])).not.toContain("hush");
});
