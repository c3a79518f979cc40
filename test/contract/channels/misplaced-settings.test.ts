import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const PLACE = "config.provider_credentials.allowed_origins";
const SITE = "https://www.example.com";
let channel: { id: number; config: object };
let channels = 0;
beforeEach(async () => {
  const config = { provider_credentials: { allowed_origins: SITE } };
  channel = (await create({ config })).body;
});

const create = (more: object) =>
  app.send("POST", "/api/v1/channels/", {
    name: `Chat ${++channels}`,
    channel_service: "webchat",
    config: {},
    ...more,
  });
const save = (more: object) => app.send("PUT", "/api/v1/channels/", { ...channel, ...more });
const sites = async () => {
  const { body } = await app.send(
    "GET",
    `/api/v1/channels/?search_fields=id&search_field_values=${channel.id}`,
  );
  return body.items[0].config.credentials?.allowed_origins;
};

/** Passed over and answered with 200, a site that was taken away would still show the chat. */
test.each([
  ["beside config", { allowed_origins: "" }, ["allowed_origins"]],
  ["in config", { config: { allowed_origins: "" } }, ["config", "allowed_origins"]],
  [
    "where answers show them",
    { config: { credentials: { allowed_origins: "" } } },
    ["config", "credentials", "allowed_origins"],
  ],
  [
    "by leaving them out of what an answer showed",
    { config: { credentials: {} } },
    ["config", "credentials", "allowed_origins"],
  ],
])(
  "the allowed sites of a chat that are changed %s are refused, with where they belong",
  async (_, change, at) => {
    expect(await save(change)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", ...at], msg: expect.stringContaining(PLACE), type: "misplaced" }] },
    });
    expect(await sites()).toBe(SITE);
  },
);

test("a channel is sent back as it was read, with its sites changed where they belong and shown elsewhere as they were", async () => {
  expect((await save({})).status).toBe(200);
  const config = { ...channel.config, provider_credentials: { allowed_origins: "" } };
  expect((await save({ config })).status).toBe(200);
  expect(await sites()).toBeUndefined();
});

test("what a channel signs in with is refused beside config, also when the channel is made", async () => {
  const made = await create({
    channel_service: "twilio",
    account_sid: "AC0",
    auth_token: "planted",
    email: null,
  });
  expect(made).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "account_sid"] }, { loc: ["body", "auth_token"] }] },
  });
});
