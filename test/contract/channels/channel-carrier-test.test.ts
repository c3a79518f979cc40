import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createMailServer, type MailServer } from "../../harness/mail.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let peer: Peer;
let mailServer: MailServer;
beforeAll(async () => {
  peer = await createPeer();
  mailServer = await createMailServer();
  // A carrier for every channel: those of the settings, and simulators for the rest.
  app = await createTestApp({ TWILIO_BASE_URL: peer.url }, undefined, { carriers: undefined as never });
});
beforeEach(() => peer.requests.splice(0));

let made = 0;
const channel = async (channel_service: string, supported_modes: string, config: object = {}) =>
  (
    await app.send("POST", "/api/v1/channels/", {
      name: `Channel ${++made}`,
      channel_service,
      supported_modes,
      is_system_channel: true,
      config,
    })
  ).body.id as number;
const ask = async (id: number) => app.send("POST", `/api/v1/channels/${id}/carrier/test`);
const mail = (provider_credentials?: object) =>
  channel("email", "email", {
    email: { sending_domain: `mail${made}.example.com` },
    ...(provider_credentials && { provider_credentials }),
  });

describe("a channel's account at its carrier", () => {
  const twilio = () => channel("twilio", "voice,sms", { account_sid: "AC01", auth_token: "secret" });
  const account = { friendly_name: "Clinic", status: "active", type: "Full" };

  test("at Twilio that signs in works, is named, and nothing but itself was asked for", async () => {
    peer.respond((_, response) => json(response, 200, account));
    const { body } = await ask(await twilio());
    expect(body).toEqual({ works: true, message: "Account “Clinic”.", duration_ms: expect.any(Number) });
    expect(peer.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /2010-04-01/Accounts/AC01.json",
    ]);
    const { authorization } = peer.requests[0]!.headers;
    expect(authorization).toBe(`Basic ${Buffer.from("AC01:secret").toString("base64")}`);
  });

  test("on trial works, and says whom it reaches", async () => {
    peer.respond((_, response) => json(response, 200, { ...account, type: "Trial" }));
    expect((await ask(await twilio())).body).toMatchObject({
      works: true,
      message: expect.stringContaining("verified numbers only"),
    });
  });

  test("that is suspended, or whose token is wrong, does not work, and why is told", async () => {
    const id = await twilio();
    peer.respond((_, response) => json(response, 200, { ...account, status: "suspended" }));
    expect((await ask(id)).body).toMatchObject({ works: false, message: "The account is suspended." });
    peer.respond((_, response) => json(response, 401, { code: 20003, message: "Authenticate" }));
    expect((await ask(id)).body).toMatchObject({
      works: false,
      message: expect.stringContaining("Authenticate"),
    });
  });

  test("at a mail server works if it takes user and password, and no mail is sent", async () => {
    const server = { host: "127.0.0.1", port: String(mailServer.port), user: "parley" };
    expect((await ask(await mail({ ...server, password: "right" }))).body).toMatchObject({
      works: true,
      message: `The mail server 127.0.0.1:${mailServer.port} takes user and password.`,
    });
    expect((await ask(await mail({ ...server, password: "wrong" }))).body).toMatchObject({
      works: false,
      message: expect.stringContaining("did not accept user and password"),
    });
    expect(mailServer.mails).toEqual([]);
  });

  test("at SendGrid works if its key may send mail", async () => {
    const id = await mail({ api_key: "SG.key", base_url: peer.url });
    peer.respond((_, response) => json(response, 200, { scopes: ["mail.send", "alerts.read"] }));
    expect((await ask(id)).body.works).toBe(true);
    peer.respond((_, response) => json(response, 200, { scopes: ["alerts.read"] }));
    expect((await ask(id)).body).toMatchObject({
      works: false,
      message: expect.stringContaining("mail.send"),
    });
    peer.respond((_, response) => json(response, 401, { errors: [{ message: "authorization required" }] }));
    expect((await ask(id)).body).toMatchObject({
      works: false,
      message: "SendGrid answered 401: authorization required",
    });
    expect(peer.requests.every(({ path }) => path === "/v3/scopes")).toBe(true);
  });
});

test("the simulators take every account and say that nobody is reached", async () => {
  for (const id of [await channel("twilio", "voice"), await mail()]) {
    expect((await ask(id)).body).toMatchObject({
      works: true,
      message: expect.stringContaining("nobody is really called or written to"),
    });
  }
  expect(peer.requests).toEqual([]);
});

test("a channel that nobody carries does not work, and another organization's is not found", async () => {
  const id = await channel("webchat", "chat");
  expect((await ask(id)).body).toMatchObject({
    works: false,
    message: expect.stringContaining("no carrier"),
  });
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("POST", `/api/v1/channels/${id}/carrier/test`)).status).toBe(404);
});
