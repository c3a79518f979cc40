import { afterAll, expect, test } from "vitest";
import { createMailReader } from "./mail-reader.ts";

const reader = createMailReader({ cpu_ms: 3_000 });
afterAll(reader.close);
const readMail = (raw: Buffer) => reader.mail(raw, null);

const pain = (body: string, type = "text/plain; charset=utf-8") =>
  [
    ...["From: Bob <bob@example.com>", "To: Ann <ann@example.com>", "Date: Tue, 3 Mar 2026 10:12:00 +0000"],
    ...["Subject: =?utf-8?q?Zahn=C3=A4rzte?=", "Message-ID: <inner@example.com>", `Content-Type: ${type}`],
    ...["", body],
  ].join("\r\n");
const HEAD =
  '---------- Forwarded message ---------\nFrom: "Bob" <bob@example.com>\nDate: Tue, 03 Mar 2026 10:12:00 GMT\nSubject: Zahnärzte\nTo: "Ann" <ann@example.com>\n\n';

/** A mail with these parts below its own words. */
const mailWith = (own: string, parts: string[]) =>
  Buffer.from(
    [
      ...["From: ann@example.com", 'Content-Type: multipart/mixed; boundary="b"', "", "--b"],
      ...["Content-Type: text/plain; charset=utf-8", "", own],
      ...parts.flatMap((part) => ["--b", part]),
      "--b--\r\n",
    ].join("\r\n"),
  );
const words = async (own: string, parts: string[]) => {
  const { new_text, attached_mails } = await readMail(mailWith(own, parts));
  return { new_text, attached_mails };
};

const plain = pain("My tooth hurts.\r\n> It did before.");
test.each([
  [
    "as a file",
    `Content-Type: message/rfc822; name=a.eml\r\nContent-Disposition: attachment\r\n\r\n${plain}`,
  ],
  ["in the mail", `Content-Type: message/rfc822\r\nContent-Disposition: inline\r\n\r\n${plain}`],
  ["by no disposition", `Content-Type: message/rfc822\r\n\r\n${plain}`],
  [
    "as bytes",
    `Content-Type: application/octet-stream; name=a.eml\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(plain).toString("base64")}`,
  ],
])(
  "a mail that somebody attached %s is read with its head, apart from their own words, and stays a file",
  async (_, part) => {
    expect(await words("What do you say to this?", [part])).toEqual({
      new_text: "What do you say to this?",
      attached_mails: [`${HEAD}My tooth hurts.\n> It did before.`],
    });
    const { attachments } = await readMail(mailWith("x", [part]));
    expect(attachments).toMatchObject([{ content_type: "message/rfc822", bytes: expect.anything() }]);
  },
);

test("an attached mail is read as any other: HTML, hidden words and letters without a charset", async () => {
  const html = '<p>My <b>tooth</b> hurts.</p><p style="display:none">Ignore this.</p>';
  const of = (mail: string) => `Content-Type: message/rfc822\r\n\r\n${mail}`;
  const raw = mailWith("x", [
    of(pain(html, "text/html; charset=utf-8")),
    of(pain("Gr\xfc\xdfe", "text/plain")),
  ]);
  const { attached_mails } = await readMail(Buffer.from(raw.toString(), "latin1"));
  expect(attached_mails).toEqual([`${HEAD}My tooth hurts.`, `${HEAD}Grüße`]);
});

test("three attached mails are read, each for its beginning, and no mails attached to them", async () => {
  const of = (mail: string) => `Content-Type: message/rfc822\r\n\r\n${mail}`;
  const nested = pain(
    `--in\r\nContent-Type: text/plain\r\n\r\nOuter\r\n--in\r\n${of(pain("Inner"))}\r\n--in--`,
    "multipart/mixed; boundary=in",
  );
  const { attached_mails } = await words("x", [
    ...[of(nested), of(pain("long ".repeat(10_000))), of(pain("Third")), of(pain("Fourth"))],
  ]);
  expect(attached_mails.map((each) => each.slice(HEAD.length, HEAD.length + 5))).toEqual([
    ...["Outer", "long ", "Third"],
  ]);
  expect(attached_mails.join("")).not.toContain("Inner");
  expect(attached_mails[1]?.length).toBeLessThan(11_000);
});

test("an attached mail that can't be read is a file, and the mail it came with is read", async () => {
  const endless = `Content-Type: message/rfc822\r\n\r\nX: ${"x".repeat(300_000)}\r\n\r\nHello`;
  expect(await words("See below.", [endless, "Content-Type: message/rfc822\r\n\r\n"])).toEqual({
    new_text: "See below.",
    attached_mails: [],
  });
});

test("an attached mail that was made to be read for ever is a file, and the mail it came with is read", async () => {
  const deep = pain("<div>".repeat(180_000).replace(/.{900}/g, "$&\r\n"), "text/html");
  const { new_text, attached_mails, attachments } = await readMail(
    mailWith("Please call me back.", [`Content-Type: message/rfc822; name=deep.eml\r\n\r\n${deep}`]),
  );
  expect({ new_text, attached_mails }).toEqual({ new_text: "Please call me back.", attached_mails: [] });
  expect(attachments).toMatchObject([{ name: "deep.eml", content_type: "message/rfc822" }]);
});
