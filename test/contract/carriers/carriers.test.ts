import { beforeAll, expect, test } from "vitest";
import { createCarriers, type TwilioAccount } from "../../../src/carriers/carriers.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({}, undefined, {
    simulation: { scenario: { people: [] }, speed: "moved" },
  });
});

const OPERATOR: TwilioAccount = { account_sid: "ACoperator", auth_token: "operator's" };
const OWN = { account_sid: "ACown", auth_token: "own" };
let counter = 0;

async function chosen(channel: object, operator: TwilioAccount | null) {
  const made = await app.send("POST", "/api/v1/channels/", {
    name: `Channel ${++counter}`,
    config: {},
    ...channel,
  });
  const carriers = createCarriers({ ...app, publicUrl: app.config.public_url, operator, baseUrl: null });
  const found = await carriers.of(made.body);
  return found && `${found.carrier.name}: ${found.account.credentials.account_sid}`;
}

test.each([
  ["a channel with an account", { channel_service: "twilio", config: OWN }, OPERATOR, "Twilio: ACown"],
  ["a system channel without one", { channel_service: "twilio" }, OPERATOR, "Twilio: ACoperator"],
  ["another channel without one", { channel_service: "twilio", is_system_channel: false }, OPERATOR, null],
  ["WhatsApp", { channel_service: "whatsapp" }, OPERATOR, "Twilio: ACoperator"],
  ["WhatsApp with nobody's account", { channel_service: "whatsapp" }, null, /^Carrier simulator: AC51/],
  ["a channel with nobody's account", { channel_service: "twilio" }, null, /^Carrier simulator: AC51/],
  [
    "its own account where the operator has none",
    { channel_service: "twilio", config: OWN },
    null,
    "Twilio: ACown",
  ],
  ["SIP", { channel_service: "sip" }, OPERATOR, null],
  ["Africa's Talking", { channel_service: "africastalking" }, OPERATOR, null],
  ["web chat", { channel_service: "webchat" }, OPERATOR, null],
])("%s", async (_what, channel, operator, expected) => {
  const found = await chosen(channel, operator);
  if (expected instanceof RegExp) expect(found).toMatch(expected);
  else expect(found).toBe(expected);
});

test("a channel tells whose carrier it has, and that the simulator reaches nobody", async () => {
  const { body } = await app.send("POST", "/api/v1/channels/", {
    name: "Simulated",
    channel_service: "twilio",
    config: {},
  });
  expect((await app.send("GET", `/api/v1/channels/${body.id}/carrier`)).body).toEqual({
    name: "Carrier simulator",
    simulated: true,
    note: expect.stringContaining("nobody is really called"),
  });
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", `/api/v1/channels/${body.id}/carrier`)).status).toBe(404);
});

test("only accounts that the simulator made up itself can sign in to it", async () => {
  const url = "/carrier-simulator/2010-04-01/Accounts/ACmine/Calls.json";
  const authorization = `Basic ${Buffer.from("ACmine:guess").toString("base64")}`;
  expect((await app.sendAs(null)("GET", url)).status).toBe(401);
  expect((await app.sendAs(null)("GET", url, undefined, { authorization })).status).toBe(401);
});
