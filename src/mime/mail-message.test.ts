import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { createVault } from "../base/crypto.ts";
import { readMail } from "./mail-message.ts";
import { readUnsubscribeToken, replyAddress, sessionOfAddress, unsubscribeToken } from "./mail-token.ts";

const mail = (headers: string[], body = "Hello") => Buffer.from(`${headers.join("\r\n")}\r\n\r\n${body}\r\n`);
const FROM = "From: Ann Example <Ann@Example.com>";

describe("a mail that came in", () => {
  test("is read with its thread, its words and its files", async () => {
    const raw = mail(
      [
        FROM,
        "Subject: =?utf-8?q?Termin_f=C3=BCr?= Montag",
        "Message-ID: <m2@example.com>",
        "In-Reply-To: <m1@clinic.example>",
        "References: <m0@clinic.example>\r\n <m1@clinic.example>",
        'Content-Type: multipart/mixed; boundary="b"',
      ],
      [
        "--b",
        "Content-Type: text/plain; charset=iso-8859-1",
        "Content-Transfer-Encoding: quoted-printable",
        "",
        "Gr=FC=DFe\n\n> quoted",
        "--b",
        'Content-Type: application/pdf; name="../../etc/passwd"',
        "Content-Disposition: attachment",
        "Content-Transfer-Encoding: base64",
        "",
        Buffer.from("%PDF").toString("base64"),
        "--b--",
      ].join("\r\n"),
    );
    expect(await readMail(raw, "ann@example.com")).toMatchObject({
      message_id: "m2@example.com",
      in_reply_to: "m1@clinic.example",
      thread_ids: ["m0@clinic.example", "m1@clinic.example"],
      from: { address: "ann@example.com", name: "Ann Example" },
      subject: "Termin für Montag",
      new_text: "Grüße",
      automatic: null,
      attachments: [
        { name: ".._.._etc_passwd", content_type: "application/pdf", bytes: Buffer.from("%PDF") },
      ],
    });
  });

  test("that does not say how its letters are written keeps them, be they UTF-8 or older", async () => {
    const text = "Schön für 5 €, naïve";
    const older = (words: string) => Buffer.from(words.replaceAll("€", "\x80"), "latin1");
    const quoted = (words: string) =>
      older(words)
        .toString("latin1")
        .replace(/[\x80-\xff]/g, (letter) => `=${letter.charCodeAt(0).toString(16)}`);
    for (const write of [older, Buffer.from]) {
      for (const [type, body] of [
        ["X-Type: none", text],
        ["Content-Type: text/plain", text],
        ["Content-Type: Text/Plain;\r\n format=flowed", text],
        ["Content-Type: text/html", `<p>${text}</p>`],
      ] as const) {
        const raw = write(`From: Jürgen <a@b.example>\r\nSubject: Grüße\r\n${type}\r\n\r\n${body}\r\n`);
        expect(await readMail(raw, "a@b.example")).toMatchObject({
          from: { address: "a@b.example", name: "Jürgen" },
          subject: "Grüße",
          new_text: text,
        });
      }
    }
    const encoded = [FROM, "Content-Type: text/plain", "Content-Transfer-Encoding: quoted-printable"];
    expect((await readMail(mail(encoded, quoted(text)), null)).new_text).toBe(text);
    // Lost before it was sent.
    expect((await readMail(mail([FROM], "Gr\uFFFD\uFFFDe für alle"), null)).new_text).toBe(
      "Gr\uFFFD\uFFFDe für alle",
    );
  });

  test.each([
    ["as it is", "", (words: Buffer) => words.toString("latin1")],
    [
      "quoted-printable",
      "Content-Transfer-Encoding: quoted-printable\r\n",
      (words: Buffer) =>
        words.toString("latin1").replace(/[\x80-\xff]/g, (letter) => `=${letter.charCodeAt(0).toString(16)}`),
    ],
    [
      "base64",
      "Content-Transfer-Encoding: base64\r\n",
      (words: Buffer) => words.toString("base64").replace(/.{20}/g, "$&\r\n"),
    ],
  ])(
    "of several parts keeps the letters of each that names no charset or ASCII, written %s",
    async (_, encoding, write) => {
      const part = (type: string, words: Buffer) => `${type}${encoding}\r\n${write(words)}`;
      const older = (words: string) => Buffer.from(words.replaceAll("€", "\x80"), "latin1");
      const inner = (type: string) =>
        [
          "",
          part(type, older("Schön für 5 €")),
          part("Content-Type: text/html\r\n", older("<p>Schön für 5 €</p>")),
        ].join("\r\n--in\r\n");
      for (const type of [
        "Content-Type: text/plain\r\n",
        "Content-Type: TEXT/PLAIN;\r\n charset=us-ascii; format=flowed\r\n",
        "",
      ]) {
        const parts = [
          `Content-Type: multipart/alternative;\r\n boundary=in\r\n${inner(type)}\r\n--in--\r\n`,
          part("Content-Type: text/plain\r\n", Buffer.from("Ünï €\n--in\nno part")),
          part("Content-Type: text/plain; charset=iso-8859-2\r\n", Buffer.from("\xb1", "latin1")),
          part(
            'Content-Type: text/plain; name="a.txt"\r\nContent-Disposition: attachment\r\n',
            older("Grüße"),
          ),
        ];
        const raw = Buffer.from(
          `${FROM}\r\nContent-Type: multipart/mixed; boundary="out; er"\r\n\r\n--out; er\r\n${parts.join("\r\n--out; er\r\n")}\r\n--out; er--\r\n`,
          "latin1",
        );
        const read = await readMail(raw, null);
        expect(read.text, type).toBe("Schön für 5 €\nÜnï €\n--in\nno part\ną");
        expect(read.html).toContain("<p>Schön für 5 €</p>");
        expect(read.attachments).toMatchObject([{ name: "a.txt", bytes: older("Grüße") }]);
      }
    },
  );

  test.each([
    [
      "is read as it is written where it is none of it",
      Buffer.from("Gr\xfc\xdfe f\xfcr 5 \x80", "latin1"),
      "Grüße für 5 €",
    ],
    [
      "stays UTF-8 where one place of it is broken",
      Buffer.from("Gr\xc3\xbc\xc3\x9fe\xc3", "latin1"),
      "Grüße\ufffd",
    ],
  ])("that names UTF-8 %s", async (_, bytes, words) => {
    for (const charset of ["utf-8", '"UTF-8"; format=flowed']) {
      const head = mail([FROM, `Content-Type: text/plain; charset=${charset}`], "").subarray(0, -2);
      expect((await readMail(Buffer.concat([head, bytes, Buffer.from("\r\n")]), null)).text.trim()).toBe(
        words,
      );
    }
  });

  test("that names two senders is refused, whichever comes first; a From that stands there twice is one", async () => {
    const other = "From: Bob <bob@example.com>";
    for (const headers of [
      [FROM, other],
      [other, "Subject: x", FROM],
      ["From:\r\n Bob <bob@example.com>", "from: ann@example.com"],
    ])
      await expect(readMail(mail(headers), "ann@example.com")).rejects.toThrow("several From headers");
    const twice = await readMail(mail([FROM, "From:  Ann Example\r\n <Ann@Example.com>"]), "ann@example.com");
    expect(twice.from?.address).toBe("ann@example.com");
  });

  test("keeps no signature of the mail as a file of its sender's", async () => {
    const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
    for (const type of ["application/pkcs7-signature; name=smime.p7s", "application/pgp-signature"]) {
      const parts = [
        part("text/plain", "Hello"),
        part('application/pdf; name="a.pdf"', "%PDF"),
        part(type, "x"),
      ];
      const raw = mail(
        [FROM, "MIME-Version: 1.0", 'Content-Type: multipart/signed; boundary="b"'],
        `${parts.join("")}--b--`,
      );
      expect(await readMail(raw, null)).toMatchObject({
        new_text: "Hello",
        attachments: [{ name: "a.pdf" }],
      });
    }
  });

  test.each([
    ["Auto-Submitted: auto-replied"],
    ["Auto-Submitted: auto-generated (vacation)"],
    ["Precedence: bulk"],
    ["Precedence: auto_reply"],
    ["X-Auto-Response-Suppress: DR, OOF, AutoReply"],
    ["X-Autoreply: yes"],
    ["List-Id: <list.example.com>"],
    ['Content-Type: multipart/report; report-type=disposition-notification; boundary="b"'],
  ])("with %s is of no person", async (header) => {
    expect((await readMail(mail([FROM, header]), "ann@example.com")).automatic).not.toBeNull();
  });

  test("of no person is also one without a return path, without a sender, or of a robot", async () => {
    expect((await readMail(mail([FROM]), "")).automatic).toBe("its return path is empty");
    expect((await readMail(mail(["Subject: x"]), "x@y.example")).automatic).toBe("it names no sender");
    expect((await readMail(mail(["From: MAILER-DAEMON@a.example"]), "x@y.example")).automatic).toContain(
      "no mail",
    );
    expect((await readMail(mail(["From: no-reply@a.example"]), "x@y.example")).automatic).toContain(
      "no mail",
    );
    expect((await readMail(mail([FROM, "Auto-Submitted: no"]), "ann@example.com")).automatic).toBeNull();
  });

  test("that reports a delivery tells of which mail, to whom, and why", async () => {
    const report = mail(
      [
        "From: MAILER-DAEMON@mx.example",
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      ],
      [
        "--b\r\nContent-Type: text/plain\r\n\r\nYour mail could not be delivered.",
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; Bob@Example.com\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n no such user\r\n",
        "--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <our-key@clinic.example>\r\nSubject: Hi\r\n",
        "--b--",
      ].join("\r\n"),
    );
    expect(await readMail(report, "")).toMatchObject({
      reports: [
        {
          message_id: "our-key@clinic.example",
          recipient: "bob@example.com",
          action: "failed",
          code: "5.1.1",
          said: "smtp; 550 5.1.1 no such user",
        },
      ],
    });
  });

  describe("with HTML", () => {
    const html = '<div style="display:none">Preview</div><p>Tuesday, please.</p>';
    const parts = (kind: string, ...all: [string, string][]) =>
      mail(
        [FROM, `Content-Type: multipart/${kind}; boundary="b"`],
        `${all.map(([type, body]) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`).join("")}--b--`,
      );
    test.each([
      ["alone", mail([FROM, "Content-Type: text/html"], html)],
      ["beside a file", parts("mixed", ["text/html", html], ["application/pdf", "%PDF"])],
      ["with its pictures", parts("related", ["text/html", html], ["image/png", "x"])],
      ["as the only form of what it says", parts("alternative", ["text/html", html])],
      [
        "and the same in plain text",
        parts("alternative", ["text/plain", "Tuesday, please."], ["text/html", html]),
      ],
    ])("%s says what its reader sees, and nothing that is hidden", async (_how, raw) => {
      expect((await readMail(raw, "ann@example.com")).new_text).toBe("Tuesday, please.");
    });

    const quoted = `<div class="gmail_attr">On Tue, Nov 24, 2026 at 10:12 AM Clinic &lt;<a
      href="mailto:support@clinic.example">support@clinic.example</a>&gt; wrote:</div>
      <blockquote>Which day?</blockquote>`;
    const answer = "<div>Tuesday, please.</div>";
    test.each([
      ["above", answer + quoted],
      ["below", quoted + answer],
    ])("alone says what was written %s a quote whose sender is a link", async (_where, body) => {
      const raw = mail([FROM, "Content-Type: text/html"], `<html><body>${body}</body></html>`);
      expect((await readMail(raw, "ann@example.com")).new_text).toBe("Tuesday, please.");
    });

    test("after words in plain text says both", async () => {
      const raw = parts("mixed", ["text/plain", "Good morning."], ["text/html", html]);
      expect((await readMail(raw, "ann@example.com")).new_text).toBe("Good morning.\nTuesday, please.");
    });
  });

  test("without an id has one that the same bytes have again", async () => {
    const [a, b] = [await readMail(mail([FROM]), "a@b.example"), await readMail(mail([FROM]), "a@b.example")];
    expect(a.message_id).toBe(b.message_id);
    expect(a.message_id).toMatch(/^[0-9a-f]{64}@no-message-id$/);
  });

  test("may be any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), async (bytes) => {
        const read = await readMail(Buffer.from(bytes), "a@b.example");
        expect(read.text.includes("\0")).toBe(false);
        expect(read.message_id.length).toBeGreaterThan(0);
      }),
      { numRuns: rounds(200) },
    );
    for (const broken of [
      'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n',
      "Content-Type: text/plain; charset=no-such-charset\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!",
      "From: =?utf-8?B?///?= <>\r\nSubject: =?x?y?z?=\r\n\r\n\0\0",
      `${"X-Header: y\r\n".repeat(2_000)}\r\nbody`,
    ]) {
      await readMail(Buffer.from(broken), null);
    }
  });
});

describe("addresses that are signed", () => {
  const vault = createVault("a secret key for tests, long enough");
  test("belong to one session, in capitals too, and to no other", () => {
    const address = replyAddress(vault, 42, "clinic.example");
    expect(address.indexOf("@")).toBeLessThanOrEqual(64);
    expect(sessionOfAddress(vault, address)).toBe(42);
    expect(sessionOfAddress(vault, address.toUpperCase())).toBe(42);
    expect(sessionOfAddress(vault, address.replace("-42-", "-43-"))).toBeNull();
    expect(sessionOfAddress(vault, "reply-42-@clinic.example")).toBeNull();
    expect(sessionOfAddress(vault, "support@clinic.example")).toBeNull();
  });
  test("unsubscribe whom they were made for", () => {
    const claim = { sub_organization_id: 7, address: "ann@example.com", key: "k" };
    const token = unsubscribeToken(vault, claim);
    expect(readUnsubscribeToken(vault, token)).toEqual(claim);
    expect(readUnsubscribeToken(vault, `x${token}`)).toBeNull();
    expect(readUnsubscribeToken(vault, "")).toBeNull();
  });
});
