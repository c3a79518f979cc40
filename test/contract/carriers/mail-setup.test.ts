import { beforeAll, describe, expect, test } from "vitest";
import { unguardedReach } from "../../../src/carriers/mail-carriers.ts";
import { sendBySmtp } from "../../../src/carriers/smtp/smtp-mail.ts";
import { checkMail } from "../../../src/commands/doctor/doctor-mail.ts";
import { readConfig } from "../../../src/config.ts";
import { goOnWithMails } from "../../../src/dialogues/mail-dialogue.ts";
import type { MailParts } from "../../../src/dialogues/mail-parts.ts";
import {
  createMailbox,
  createMailServer,
  createMailWorld,
  type MailApp,
  type MailServer,
  mailsOnce,
  mailsWith,
} from "../../harness/mail.ts";
import { eventually } from "../../harness/simulated.ts";

let outside: MailServer;
let app: MailApp;
let agent_id: number;
beforeAll(async () => {
  outside = await createMailServer();
  ({ app, agent_id } = await createMailWorld(outside, { script: 'otherwise -> say "Hi."' }));
});

const partsOf = ({ engine, vault, mailing, config }: MailApp): MailParts => ({
  engine,
  vault,
  carriers: mailing.carriers,
  reader: mailing.reader,
  attempts: { signal: async () => {}, sessionStarted: async () => {} },
  publicUrl: config.public_url,
  dataDir: config.data_dir,
});

describe("credentials of an e-mail channel", () => {
  const create = (provider_credentials: object) =>
    app.send("POST", "/api/v1/channels/", {
      name: `Mail ${Math.random()}`,
      channel_service: "email",
      config: { email: { sending_domain: "clinic.example" }, provider_credentials },
    });

  test.each([
    [{ host: "mail example" }, "host is not the name or address of a mail server"],
    [{ host: "mx", port: "99999" }, "port is not a number from 1 to 65535"],
    [{ host: "mx", tls: "ssl" }, "tls is one of implicit, required and auto"],
    [{ user: "u", password: "p" }, "host is missing"],
    [{ api_key: "k", host: "mx" }, "two mail services"],
    [{ api_key: "k", base_url: "ftp://x" }, "base_url is not an http(s) URL"],
    [{ api_key: "k", event_public_key: "-----BEGIN" }, "event_public_key is not the Base64 text"],
  ])("%j are refused in words", async (credentials, words) => {
    expect(await create(credentials)).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ["body", "config", "provider_credentials"], msg: expect.stringContaining(words) }],
      },
    });
  });

  test.each([
    [{ api_key: "SG.secret" }, { base_url: "https://evil.example" }, "base_url"],
    [{ host: "127.0.0.1", user: "u", password: "secret" }, { host: "evil.example" }, "host"],
    [{ host: "127.0.0.1", user: "u", password: "secret" }, { port: "2525" }, "port"],
  ])("%j: whoever sends only %j has no secret sent somewhere else", async (first, second, place) => {
    const { body } = await create(first);
    const put = (channel_service: string, provider_credentials: object) =>
      app.send("PUT", "/api/v1/channels/", {
        id: body.id,
        name: body.name,
        channel_service,
        config: { email: { sending_domain: "clinic.example" }, provider_credentials },
      });
    const refused = {
      status: 422,
      body: {
        detail: [{ msg: expect.stringContaining(`given again, since ${place} changes where it is sent`) }],
      },
    };
    expect(await put("email", second)).toMatchObject(refused);
    expect(await put("webchat", second)).toMatchObject(refused);
    // Who knows it may send it anywhere, and who names the same place changes nothing.
    expect(await put("email", { ...first })).toMatchObject({ status: 200 });
    expect(await put("email", { ...first, ...second })).toMatchObject({ status: 200 });
  });

  test("are never read back, and one changed alone leaves the others", async () => {
    const { status, body } = await create({
      host: "127.0.0.1",
      port: "1",
      user: "parley",
      password: "hush-hush",
    });
    expect(status).toBe(200);
    const { id, name } = body;
    const change = {
      id,
      name,
      channel_service: "email",
      config: { email: { sending_domain: "clinic.example" }, provider_credentials: { password: "other" } },
    };
    expect((await app.send("PUT", "/api/v1/channels/", change)).status).toBe(200);
    expect(JSON.stringify((await app.send("GET", "/api/v1/channels/")).body)).not.toContain("hush");
  });

  test("lead to servers that egress rules allow, and to no others", async () => {
    const box = await createMailbox(app, agent_id, {
      provider_credentials: { host: "169.254.169.254", port: "25" },
    });
    await app.deliver({ from: "meta@example.com", to: box.address, text: "Hello" });
    const mails = await mailsOnce(app, "meta@example.com", (found) => found.at(-1)?.note != null);
    expect(mails.at(-1)).toMatchObject({
      state: "queued",
      note: expect.stringContaining("address 169.254.169.254 is a cloud"),
    });
  });

  test("that the server refuses wait for somebody to mend them", async () => {
    const provider_credentials = {
      host: "127.0.0.1",
      port: String(outside.port),
      user: "parley",
      password: "wrong",
    };
    const box = await createMailbox(app, agent_id, { provider_credentials });
    await app.deliver({ from: "auth@example.com", to: box.address, text: "Hello" });
    const mails = await mailsOnce(app, "auth@example.com", (found) => found.at(-1)?.note != null);
    expect(mails.at(-1)).toMatchObject({
      state: "queued",
      note: expect.stringContaining("did not accept user and password"),
    });
    expect(JSON.stringify(mails)).not.toContain("hush");
  });
});

test("a mail whose last word is held back is no server's: nothing was sent", async () => {
  const server = { host: "127.0.0.1", port: outside.port, user: null, password: null, tls: "auto" } as const;
  const mail = {
    key: "held-back",
    from: { name: null, address: "a@clinic.example" },
    reply_to: null,
    return_path: null,
    to: "held@example.com",
    subject: "x",
    text: "x",
    html: null,
    in_reply_to: null,
    references: [],
    unsubscribe_url: null,
  };
  const held = sendBySmtp(server, unguardedReach, mail, () =>
    Promise.reject(new Error("somebody else sends it")),
  );
  await expect(held).rejects.toMatchObject({ fate: "not-sent" });
  expect(await sendBySmtp(server, unguardedReach, mail, async () => {})).toEqual({
    sid: "4bXyz1",
    status: "PROCESSED",
  });
  expect(outside.mails.filter(({ envelope }) => envelope.to.includes("held@example.com"))).toHaveLength(1);
});

test("an answer whose process died while it was handed over is never sent again, and its fate is told", async () => {
  const box = await createMailbox(app, agent_id);
  await app.deliver({ from: "crash@example.com", to: box.address, text: "Hello" });
  const mails = await mailsOnce(app, "crash@example.com", (found) => found.at(-1)?.state === "sent");
  const before = outside.mails.length;
  // As a process leaves it that dies between the last byte and the server's answer.
  await app.db
    .updateTable("mail_messages")
    .set({ state: "handing" })
    .where("id", "=", mails.at(-1)?.id as number)
    .execute();
  const correspondence = { channel_target_id: box.target_id, source: "crash@example.com" };
  await goOnWithMails(partsOf(app), correspondence);
  await goOnWithMails(partsOf(app), correspondence);
  expect((await mailsWith(app, "crash@example.com")).at(-1)).toMatchObject({ state: "unknown" });
  expect(outside.mails).toHaveLength(before);
});

test("a mail whose job is repeated is answered once, and read by the agent once", async () => {
  const box = await createMailbox(app, agent_id);
  await app.deliver({ from: "again@example.com", to: box.address, text: "Hello" });
  const [mail] = await mailsOnce(app, "again@example.com", (found) => found.at(-1)?.state === "sent");
  // As a process leaves it that dies before it says that the mail is answered.
  await app.db
    .updateTable("mail_messages")
    .set({ state: "received" })
    .where("id", "=", mail?.id as number)
    .execute();
  await goOnWithMails(partsOf(app), { channel_target_id: box.target_id, source: "again@example.com" });
  expect((await mailsWith(app, "again@example.com")).map(({ state }) => state)).toEqual(["answered", "sent"]);
  const session = await app.db
    .selectFrom("sessions")
    .select("turn_count")
    .where("id", "=", mail?.session_id as number)
    .executeTakeFirstOrThrow();
  expect(session.turn_count).toBe(1);
});

test("invitations go out by the installation's mail server", async () => {
  const { items } = (await app.send("GET", "/api/v1/roles/")).body;
  const answer = await app.send("POST", "/api/v1/users/", {
    email: "new@example.com",
    first_name: "New",
    last_name: "Person",
    role_id: items[0].id,
    send_welcome_email: true,
    login_type: "username_and_password",
  });
  expect(answer.status).toBe(200);
  const sent = await eventually(
    async () => outside.mails.filter(({ envelope }) => envelope.to.includes("new@example.com")),
    (mails) => mails.length > 0,
  );
  expect(sent[0]).toMatchObject({
    envelope: { from: "parley@clinic.example" },
    subject: expect.stringContaining("invited to Parley"),
  });
});

describe("doctor", () => {
  const look = (SMTP_URL: string) => {
    const { config, secrets } = readConfig({ SMTP_URL, MAIL_FROM: "parley@clinic.example" });
    return checkMail(config, secrets);
  };
  test("says whether the mail server takes us", async () => {
    const at = `127.0.0.1:${outside.port}`;
    expect(await look(`smtp://parley:right@${at}`)).toEqual([
      { check: "mail", status: "ok", message: `${at}, from parley@clinic.example` },
    ]);
    expect(await look(`smtp://parley:hush@${at}`)).toMatchObject([
      { status: "problem", message: expect.not.stringContaining("hush") },
    ]);
    expect(await look("smtp://127.0.0.1:1")).toMatchObject([{ status: "problem" }]);
    expect(await look("")).toMatchObject([{ status: "ok", message: expect.stringContaining("no SMTP_URL") }]);
  });
});
