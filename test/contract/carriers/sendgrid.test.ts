import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { multipart } from "../../harness/form.ts";
import {
  createMailApp,
  createMailbox,
  type MailApp,
  mailsOnce,
  mailsWith,
  somebody,
  suppressionsOf,
} from "../../harness/mail.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { sendgridCredentials, sendgridOf } from "../../harness/sendgrid.ts";
import { eventually } from "../../harness/simulated.ts";

const fixture = (name: string) =>
  readFileSync(path.join(import.meta.dirname, "../../fixtures/sendgrid", name), "utf8");
let app: MailApp;
let sendgrid: Peer;
let { signed, events, inbound, raw, envelope } = {} as ReturnType<typeof sendgridOf>;
let box: Awaited<ReturnType<typeof createMailbox>>;
beforeAll(async () => {
  app = await createMailApp(null);
  sendgrid = await createPeer();
  sendgrid.respond((_, response) => {
    response.writeHead(202, { "x-message-id": "sg-1" });
    response.end();
  });
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "How can we help?"' });
  box = await createMailbox(app, agent_id, sendgridCredentials(sendgrid.url));
  ({ signed, events, inbound, raw, envelope } = sendgridOf(app, box));
});

/** A person whom the agent has answered; the key of that answer. */
async function answered(): Promise<{ address: string; key: string }> {
  const address = somebody();
  await inbound({ email: raw(address), envelope: envelope(address) });
  const mails = await mailsOnce(app, address, (found) => found.at(-1)?.state === "sent");
  return { address, key: mails.at(-1)?.key as string };
}

describe("an inbound mail", () => {
  test("posted whole is answered through the mail send API, with the account's key", async () => {
    const { address, key } = await answered();
    const post = sendgrid.requests.find(({ body }) => body.includes(address));
    expect(post).toMatchObject({
      method: "POST",
      path: "/v3/mail/send",
      headers: { authorization: "Bearer SG.key" },
    });
    expect(JSON.parse(post?.body ?? "")).toMatchObject({
      personalizations: [{ to: [{ email: address }] }],
      from: { email: box.address },
      custom_args: { parley_key: key },
    });
    expect((await mailsWith(app, address)).at(-1)).toMatchObject({
      carrier_sid: "sg-1",
      channel_status: "PROCESSED",
    });
  });

  test("posted in parts is the same mail, files and all", async () => {
    const answer = await inbound({
      headers: fixture("inbound-headers.txt"),
      text: "Here's an email with multiple attachments",
      html: "<div>Here's an email with multiple attachments</div>",
      from: "Example User <test@example.com>",
      subject: "Different attachments",
      envelope: envelope("test@example.com"),
      attachments: "1",
      attachment1: {
        filename: "DockMcWordface.pdf",
        content: Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00]),
      },
    });
    expect(answer).toMatchObject({ status: 200, body: { taken: "new" } });
    // The answer may be there already.
    const [mail] = await mailsWith(app, "test@example.com");
    expect(mail).toMatchObject({
      message_id: "CAN_P_JMvV7ZpAQhOnDienypLrJmuhN=LQWweu4yScw4jQyXY2w@mail.gmail.com",
      subject: "Different attachments",
      from_name: "Example User",
      new_text: "Here's an email with multiple attachments",
      attachments: [{ name: "DockMcWordface.pdf", size: 6 }],
    });
  });

  test("posted in parts of other charsets keeps its letters, as the form names them; what names none is read", async () => {
    const [ann, bob] = [somebody(), somebody()];
    const sender = { headers: `From: ${ann}\r\nSubject: Termin\r\n`, envelope: envelope(ann) };
    await inbound({
      ...sender,
      charsets: JSON.stringify({ to: "UTF-8", text: "iso-8859-1", html: "windows-1252", from: "UTF-8" }),
      text: Buffer.from("Ich hätte gern einen Termin für Dienstag.", "latin1"),
      html: Buffer.from("<p>Ich hätte gern einen Termin für Dienstag.</p>", "latin1"),
      attachments: "1",
      attachment1: { filename: "Überweisung.pdf", content: Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00]) },
    });
    const [mail] = await mailsWith(app, ann);
    expect(mail).toMatchObject({
      new_text: "Ich hätte gern einen Termin für Dienstag.",
      attachments: [{ name: "Überweisung.pdf", size: 5 }],
    });
    await inbound({
      headers: `From: ${bob}\r\n`,
      envelope: envelope(bob),
      charsets: '{"text":"no-such-charset"}',
      text: "Żółć",
    });
    expect(await mailsWith(app, bob)).toMatchObject([{ new_text: "Żółć" }]);
  });

  test("posted whole keeps the letters of a mail in another charset", async () => {
    const ann = somebody();
    const email = raw(
      ann,
      "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n",
      "Schöne Grüße",
    );
    await inbound({ email: Buffer.from(email, "latin1"), envelope: envelope(ann) });
    expect(await mailsWith(app, ann)).toMatchObject([{ new_text: "Schöne Grüße" }]);
  });

  test("posted again is known, and one for nobody is taken and dropped", async () => {
    const ann = somebody();
    const form = { email: raw(ann, "Message-ID: <again@example.com>\r\n"), envelope: envelope(ann) };
    expect((await inbound(form)).body).toEqual({ taken: "new" });
    expect((await inbound(form)).body).toEqual({ taken: "known" });
    expect((await inbound({ ...form, envelope: envelope(ann, "nobody@example.org") })).body).toEqual({
      taken: "nobody",
    });
    expect((await inbound({ subject: "no mail" })).body).toEqual({ taken: "dropped" });
  });

  test("of another channel's address is not this channel's to bring", async () => {
    const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Hi"' });
    const other = await createMailbox(app, agent_id);
    const ann = somebody();
    expect((await inbound({ email: raw(ann), envelope: envelope(ann, other.address) })).body).toEqual({
      taken: "nobody",
    });
  });

  test("of 30 MB is dropped with an answer, and nothing is stored", async () => {
    const ann = somebody();
    const email = `${raw(ann)}${"x".repeat(998)}\r\n`.padEnd(30 * 1024 * 1024, "x");
    expect(await inbound({ email, envelope: envelope(ann) })).toMatchObject({
      status: 200,
      body: { taken: "dropped" },
    });
    expect(await mailsWith(app, ann)).toEqual([]);
    expect(app.logged.join("")).toContain("it is larger than 25 MB");
  });

  test("that finds the memory full of others is asked to come again, and is taken then", async () => {
    const { port } = app.api.server.server.address() as AddressInfo;
    const path = `/carriers/sendgrid/${box.channel_id}/inbound`;
    /** Strangers, who need no key to look signed until their last byte. */
    const strangers = [1, 2, 3].map(() => {
      const headers = {
        ...signed(Buffer.from("another body")),
        "content-type": "text/plain",
        "content-length": 60 * 2 ** 20,
      };
      const post = request({ port, path, method: "POST", headers });
      post.on("error", () => {});
      const answer = new Promise<IncomingMessage>((resolve) => post.once("response", resolve));
      for (let sent = 0; sent < 44; sent++) post.write(Buffer.alloc(2 ** 20));
      return { post, answer };
    });
    const refused = await Promise.race(strangers.map(({ answer }) => answer));
    expect(refused).toMatchObject({ statusCode: 503, headers: { "retry-after": "30" } });
    for (const { post } of strangers) post.destroy();

    const ann = somebody();
    const answer = await eventually(
      () => inbound({ email: raw(ann), envelope: envelope(ann) }),
      ({ status }) => status !== 503,
    );
    expect(answer).toMatchObject({ status: 200, body: { taken: "new" } });
  });

  test.each([
    ["bytes that are no mail", "\0\xff just bytes"],
    ["a part that contains itself", "From: BROKEN\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x"],
    ["a header without an end", `From: BROKEN\r\nSubject: ${"x".repeat(200_000)}`],
  ])("of %s is taken without falling over", async (_, email) => {
    const ann = somebody();
    const form = { email: email.replace("BROKEN", ann), envelope: envelope(ann) };
    expect((await inbound(form)).status).toBe(200);
    expect(app.errors).toEqual([]);
  });

  test("unsigned, wrongly signed or signed long ago is refused, said in the log, and nothing is stored", async () => {
    const ann = somebody();
    const form = { email: raw(ann), envelope: envelope(ann) };
    const { body } = multipart(form);
    const before = app.logged.length;
    const refused = [
      await inbound(form, {}),
      await inbound(form, signed(Buffer.from("other"))),
      await inbound(form, signed(body, new Date("2026-11-01T00:00:00Z"))),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    const lines = app.logged.slice(before).filter((line) => line.includes("a post of SendGrid was refused"));
    expect(lines.map((line) => JSON.parse(line).why)).toEqual([
      "it is not signed",
      "its signature is wrong",
      expect.stringMatching(/^it was signed \d+ s ago/),
    ]);
    expect(await mailsWith(app, ann)).toEqual([]);
  });
});

describe("events", () => {
  const about = async (key: string, ...words: string[]) => {
    const all = JSON.parse(fixture("events.json").replaceAll("KEY", key)) as { event: string }[];
    return events(words.map((word) => all.find(({ event }) => event === word)));
  };
  const statusOf = async (address: string) => (await mailsWith(app, address)).at(-1)?.channel_status;

  test("that come twice, late and out of order leave the last word", async () => {
    const { address, key } = await answered();
    await about(key, "click");
    await about(key, "delivered", "open", "processed");
    await about(key, "click");
    expect(await statusOf(address)).toBe("CLICKED");
  });

  test("of a spam report suppress the address of the mail, with proof", async () => {
    const { address, key } = await answered();
    expect((await about(key, "spamreport")).status).toBe(200);
    await about(key, "spamreport");
    expect(await suppressionsOf(app, address)).toMatchObject([
      { reason: "spam-report", scope: "all", through: "carrier", said: "spamreport" },
    ]);
  });

  test("of several mails in one post reach each its own", async () => {
    const [ann, bob] = [await answered(), await answered()];
    const of = (key: string, event: string) => ({
      event,
      parley_key: key,
      email: "x@example.com",
      timestamp: 1,
    });
    const many = Array.from({ length: 600 }, () => of(ann.key, "delivered"));
    await events([of(bob.key, "spamreport"), ...many, of(ann.key, "click"), of(ann.key, "open")]);
    expect([await statusOf(ann.address), await statusOf(bob.address)]).toEqual(["CLICKED", "SPAM_REPORT"]);
    expect(await suppressionsOf(app, ann.address)).toEqual([]);
    expect(await suppressionsOf(app, bob.address)).toHaveLength(1);
  });

  test("for mails that never were, of unknown kinds, or a thousand at once are taken", async () => {
    expect((await about("no-such-key", "bounce")).status).toBe(200);
    expect((await events([{ event: "invented", email: "x" }, 7, null])).status).toBe(200);
    expect(
      (await events(Array.from({ length: 1000 }, () => ({ event: "open", parley_key: "x" })))).status,
    ).toBe(200);
    expect((await events({ not: "a list" })).status).toBe(200);
  });

  test("unsigned, wrongly signed, old, or for a channel without a key are refused", async () => {
    const { address, key } = await answered();
    const body = [{ event: "spamreport", parley_key: key, email: address, timestamp: 1 }];
    const bytes = Buffer.from(JSON.stringify(body));
    expect((await events(body, {})).status).toBe(403);
    expect((await events(body, signed(Buffer.from("other")))).status).toBe(403);
    expect((await events(body, signed(bytes, new Date("2026-11-01T00:00:00Z")))).status).toBe(403);
    const nowhere = await app.sendAs(null)("POST", "/carriers/sendgrid/999999/events", bytes, signed(bytes));
    expect(nowhere.status).toBe(404);
    expect(await statusOf(address)).toBe("PROCESSED");
    const broken = Buffer.from("{");
    expect(
      (await app.sendAs(null)("POST", `/carriers/sendgrid/${box.channel_id}/events`, broken, signed(broken)))
        .status,
    ).toBe(400);
  });
});

test.each([
  [400, "refused", "failed"],
  [503, "unknown", "unknown"],
  [429, "not-sent", "queued"],
  [401, "not-sent", "queued"],
])("an answer of %d means %s", async (status, _, state) => {
  sendgrid.respond((_, response) =>
    json(response, status, { errors: [{ message: "as told", field: "from" }] }),
  );
  const ann = somebody();
  await inbound({ email: raw(ann), envelope: envelope(ann) });
  const mails = await mailsOnce(app, ann, (found) => found.at(-1)?.note != null);
  expect(mails.at(-1)).toMatchObject({
    state,
    note: expect.stringContaining(`SendGrid answered ${status}: as told (from)`),
  });
  expect(app.logged.join("")).toContain(`SendGrid answered ${status}: as told (from)`);
});
