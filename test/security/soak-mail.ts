import { connect } from "node:net";
import type { Act, Attack, Target } from "./soak-attack.ts";

/* Mails made to be read for ever. */

const FROM = "From: Eve <eve@evil.example>\r\nMIME-Version: 1.0\r\n";
const html = (body: string) =>
  `${FROM}Content-Type: text/html\r\n\r\n${body.replace(/.{900}/g, "$&\r\n")}\r\n`;
const times = (count: number, text: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => text(nth)).join("");

const BOMBS: Record<string, () => string> = {
  "a mail of 5 MB of <div>": () => html("<div>".repeat(1_000_000)),
  "a mail of 900 kB of <div>": () => html("<div>".repeat(180_000)),
  "a mail of 3 MB of table cells": () => html(`<table>${"<tr><td>x".repeat(333_333)}`),
  "a mail of tables in tables": () => html("<table><tr><td>".repeat(60_000)),
  "a mail of 20,000 parts in each other": () =>
    FROM + times(20_000, (n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`),
  "a mail of 100,000 parts": () =>
    `${FROM}Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(100_000)}`,
  "a mail with a header of 20 MB": () =>
    `${FROM}X-Long: ${"x".repeat(970)}${`\r\n ${"y".repeat(970)}`.repeat(20_000)}\r\n\r\nHi`,
  "a mail with 5 MB of References": () =>
    `${FROM}References: ${"<a@b.example>\r\n ".repeat(330_000)}\r\n\r\nHi`,
  "a mail to 250,000 people": () => `${FROM}To: ${"Ann <a@b.example>,\r\n ".repeat(250_000)}\r\n\r\nHi`,
  "a mail with a signature over 30,000 headers": () =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=evil.example; s=s; h=${"from:".repeat(30_000)}from;\r\n bh=AAAA; b=AAAA\r\n${FROM}${"X-A: b\r\n".repeat(10_000)}\r\nHi`,
};

/** On a full machine ten seconds of processor time take longer by the clock. */
const MAIL_MS = 90_000;

/** Speaks SMTP and resolves with the code of each answer; empty where the server hung up at once. */
function speakSmtp(target: Target, to: string, raw: string): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(target.mail_port, "127.0.0.1").setEncoding("utf8");
    const lines = [
      "HELO evil.example",
      "MAIL FROM:<eve@evil.example>",
      `RCPT TO:<${to}>`,
      "DATA",
      `${raw}\r\n.`,
    ];
    const codes: number[] = [];
    let said = "";
    socket.setTimeout(MAIL_MS, () => socket.destroy());
    socket.on("data", (text: string) => {
      said += text;
      for (let end = said.indexOf("\r\n"); end >= 0; end = said.indexOf("\r\n")) {
        const line = said.slice(0, end);
        said = said.slice(end + 2);
        if (!/^\d{3} /.test(line)) continue;
        codes.push(Number(line.slice(0, 3)));
        const next = lines.shift();
        if (next === undefined || (codes.at(-1) ?? 0) >= 400) socket.end("QUIT\r\n");
        else socket.write(`${next}\r\n`);
      }
    });
    socket.on("error", () => {});
    // What is told after QUIT is no answer to the mail.
    socket.once("close", () => resolve(codes.slice(0, 6)));
  });
}

/** The code that decided. */
async function deliver(act: Act, to: string, raw: string): Promise<number> {
  const codes = await speakSmtp(act.target, to, raw);
  const decided = codes.find((code) => code >= 400) ?? codes[5] ?? 0;
  act.answered(decided === 0 ? "SMTP hung up" : `SMTP ${decided}`);
  return decided;
}

const made = new Map<string, string>();
const once = (name: string, make: () => string): string => {
  const text = made.get(name) ?? make();
  made.set(name, text);
  return text;
};

export const MAIL_ATTACKS: Attack[] = [
  ...Object.entries(BOMBS).map(([name, make]) => ({
    name,
    run: (world: Parameters<Attack["run"]>[0], act: Act) =>
      deliver(act, world.victim.mailbox, once(name, make)),
  })),
  {
    name: "mail to an address in another's domain",
    run: async ({ attacker }, act) => {
      const code = await deliver(act, attacker.mailbox, `${FROM}Subject: x\r\n\r\nHello\r\n`);
      if (code === 250) act.breach("a mail for another's domain was taken for the attacker");
    },
  },
];
