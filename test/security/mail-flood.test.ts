import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import type { LookUp } from "../../src/mime/sender-checks.ts";
import { expectFreeLoop } from "../harness/loop-watch.ts";
import {
  createMailbox,
  createMailServer,
  createMailWorld,
  type MailApp,
  mailsOnce,
  somebody,
} from "../harness/mail.ts";
import { createPeer } from "../harness/peer.ts";
import { rounds } from "../harness/seed.ts";
import { sendgridCredentials, sendgridOf } from "../harness/sendgrid.ts";

/* One mail of a stranger must not hold up everybody. Each attack is sent to the built-in server, beside an honest mail. */

/** In the suite deep mails are a third as deep, a thread works n² for n levels, and may work a fifth as long as it may. */
const DEEP = rounds(1, 3);
const READING_ms = rounds(2, 10) * 1000;

let app: MailApp;
let box: Awaited<ReturnType<typeof createMailbox>>;
const mailLookUp: LookUp = async () => {
  throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
};
beforeAll(async () => {
  const server = await createMailServer();
  const script = 'otherwise -> say "How can we help?"';
  ({ app, box } = await createMailWorld(
    server,
    { script },
    {},
    { mailLookUp, mailReading: { cpu_ms: READING_ms } },
  ));
});

const FROM = "From: Eve <eve@evil.example>\r\nMIME-Version: 1.0\r\n";
const html = (body: string) =>
  `${FROM}Content-Type: text/html\r\n\r\n${body.replace(/.{900}/g, "$&\r\n")}\r\n`;
const times = (n: number, text: (at: number) => string) =>
  Array.from({ length: n }, (_, at) => text(at)).join("");

const ATTACKS: Record<string, () => string> = {
  "5 MB of <div>": () => html("<div>".repeat(1_000_000)),
  [`${DEEP * 300} kB of <div>`]: () => html("<div>".repeat(DEEP * 60_000)),
  "3 MB of table cells": () => html(`<table>${"<tr><td>x".repeat(333_333)}`),
  [`${DEEP * 300} kB of tables in tables`]: () => html("<table><tr><td>".repeat(DEEP * 20_000)),
  "20,000 parts one in the other": () =>
    FROM + times(20_000, (n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`),
  "100,000 parts side by side": () =>
    `${FROM}Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(100_000)}`,
  "20 MB of one header": () =>
    `${FROM}X-Long: ${"x".repeat(970)}${`\r\n ${"y".repeat(970)}`.repeat(20_000)}\r\n\r\nHi`,
  "5 MB of References": () => `${FROM}References: ${"<a@b.example>\r\n ".repeat(330_000)}\r\n\r\nHi`,
  "5 MB of recipients": () => `${FROM}To: ${"Ann <a@b.example>,\r\n ".repeat(250_000)}\r\n\r\nHi`,
};

/** What the built-in server answers to a mail's last dot. */
async function answerTo(raw: string, to = box.address): Promise<string> {
  const socket = connect(app.smtpPort, "127.0.0.1").setEncoding("utf8");
  let said = "";
  const answers = (async function* () {
    for await (const text of socket) {
      said += text;
      const lines = said.split("\r\n");
      said = lines.pop() ?? "";
      yield* lines.filter((line) => /^\d{3} /.test(line));
    }
  })();
  const next = async () => (await answers.next()).value ?? "";
  await next();
  for (const line of ["HELO mx.evil.example", "MAIL FROM:<eve@evil.example>", `RCPT TO:<${to}>`, "DATA"]) {
    socket.write(`${line}\r\n`);
    await next();
  }
  // As a network brings it, and not in one step of this same loop.
  for (let at = 0; at < raw.length; at += 65_536) {
    if (!socket.write(raw.slice(at, at + 65_536)))
      await new Promise((resolve) => socket.once("drain", resolve));
  }
  socket.write("\r\n.\r\n");
  const answer = await next();
  socket.destroy();
  return answer;
}

type Refusal = { user_id: string; attributes: { to: string; why: string } };
const refusals = async (address: string): Promise<Refusal[]> =>
  (
    await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=mail-refused")
  ).body.items.filter(({ user_id }: Refusal) => user_id === address);

describe("a mail made to be read for ever", () => {
  test.each(Object.keys(ATTACKS))(
    "of %s does not hold up the main loop, and is settled at once",
    async (name) => {
      const raw = (ATTACKS[name] as () => string)();
      const answer = await expectFreeLoop(name, async () => {
        const ann = somebody();
        const hostile = answerTo(raw);
        await app.deliver({ from: ann, to: box.address, text: "Hello" });
        await mailsOnce(app, ann, (mails) => mails.at(-1)?.state === "sent");
        return hostile;
      });
      // Taken or refused for good: with 4xx it would come again, for days.
      expect(answer).toMatch(/^(250|554) /);
      const told = await refusals("eve@evil.example");
      expect(told.some(({ attributes }) => answer.includes(attributes.why))).toBe(answer.startsWith("554"));
    },
    // Up to three times all that reading takes, ten seconds of a processor that others use too.
  );

  test("is noted and accepted where SendGrid posts it, so that it never comes again", async () => {
    const sendgrid = await createPeer();
    sendgrid.respond((_, response) => response.writeHead(202, { "x-message-id": "sg-1" }).end());
    const { items } = (await app.send("GET", "/api/v1/agents/")).body;
    const theirs = await createMailbox(app, items[0].id, sendgridCredentials(sendgrid.url));
    const side = sendgridOf(app, theirs);
    const eve = somebody();
    const form = { email: html("<div>".repeat(DEEP * 60_000)), envelope: side.envelope(eve) };
    const answer = await expectFreeLoop(`${DEEP * 300} kB of <div> by SendGrid`, () => side.inbound(form));
    expect(answer).toMatchObject({ status: 200, body: { taken: "unreadable" } });
    expect((await refusals(eve)).slice(0, 1)).toMatchObject([
      { category: "mail", attributes: { to: theirs.address } },
    ]);
  });
});

test("a mail with thousands of headers to sign costs the main loop nothing", async () => {
  const signature = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=evil.example; s=s; h=${"from:".repeat(30_000)}from;\r\n bh=AAAA; b=AAAA\r\n`;
  const raw = `${signature}${FROM}${"X-A: b\r\n".repeat(10_000)}\r\nHi`;
  const answer = await expectFreeLoop("a signature over 30,000 headers", () => answerTo(raw));
  expect(answer).toMatch(/^(250|554) /);
});
