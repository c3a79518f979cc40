import { type AddressInfo, createServer } from "node:net";
import { afterAll } from "vitest";
import { guardedReach, unguardedReach } from "../../src/carriers/mail-carriers.ts";
import { sendgridMail } from "../../src/carriers/sendgrid/sendgrid-mail.ts";
import { smtpMail } from "../../src/carriers/smtp/smtp-mail.ts";
import type { CarrierMail, OutgoingMail } from "../../src/channels/carrier.ts";
import type { SmtpServer } from "../../src/channels/credentials/mail-credentials.ts";
import { createTestApp } from "./app.ts";
import type { Adapter, Meeting } from "./carrier-adapter.ts";
import { createDoor, HASTE_MS, NOWHERE, PATIENCE_MS, twoEgresses } from "./carrier-door.ts";

const ACCOUNT = { channel_id: 7, credentials: {} };

/** What happens to a mail stands in the address it goes to, as the mail simulator has it, and its key before the plus. */
const mailTo = (meeting: Meeting, key: string): OutgoingMail => ({
  key,
  from: { name: "Clinic", address: "support@clinic.example" },
  reply_to: null,
  return_path: null,
  to: `${key}+${meeting}@example.com`,
  subject: "Hello",
  text: "Hello",
  html: null,
  in_reply_to: null,
  references: [],
  unsubscribe_url: null,
});

/** One of the carriers that each meeting needs. */
const choosing = (carriers: Partial<Record<Meeting, CarrierMail>> & { fine: CarrierMail }) => ({
  send: (meeting: Meeting, key: string) =>
    (carriers[meeting] ?? carriers.fine).send(ACCOUNT, mailTo(meeting, key), async () => {}),
  sendHeld: (key: string) =>
    carriers.fine.send(ACCOUNT, mailTo("fine", key), () => Promise.reject(new Error("it is another's now"))),
});

/** SendGrid, before the mail simulator. */
export async function sendgridAdapter(): Promise<Adapter> {
  const app = await createTestApp();
  const { api_key = "" } = app.mailing.simulator.accountOf(7);
  const door = await createDoor(`${await app.listen()}/mail-simulator`, ({ headers, body }) => {
    if (body.includes("+silent@")) return "silence";
    if (body.includes("+nonsense@")) return { status: 200, body: "<html>" };
    if (!body.includes("+not-signed-in@")) return "pass";
    return { status: 401, body: JSON.stringify({ errors: [{ message: `no: ${headers.authorization}` }] }) };
  });
  const egress = twoEgresses();
  afterAll(() => egress.close());
  const at = (base_url: string, timeout_ms = PATIENCE_MS, through = egress.open) =>
    sendgridMail(through, app.clock, () => ({ api_key, base_url }), timeout_ms);
  return {
    ...choosing({
      fine: at(door.url),
      silent: at(door.url, HASTE_MS),
      unreachable: at(NOWHERE),
      forbidden: at(door.url, PATIENCE_MS, egress.guarded),
    }),
    asked: door.asked,
    accepted: door.accepted,
    secrets: [api_key],
    says_when: true,
  };
}

/** What a mail server says at each line; "silence" and "hang-up" speak for themselves. */
type SmtpSays = string | "silence" | "hang-up";

const AT_RCPT: Partial<Record<string, SmtpSays>> = {
  refused: "550 5.1.1 no such user",
  busy: "451 4.7.1 later",
};
const AT_END: Partial<Record<string, SmtpSays>> = {
  down: "hang-up",
  silent: "silence",
  nonsense: "what is this",
};

/** A mail server, before somebody's that does as the recipient's address says. */
export async function smtpAdapter(): Promise<Adapter> {
  const asked: string[] = [];
  const accepted: string[] = [];
  const password = "open sesame";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    let to = "";
    let unread = "";
    let isData = false;
    const say = (word: SmtpSays) => {
      if (word === "hang-up") socket.destroy();
      else if (word !== "silence") socket.write(`${word}\r\n`);
    };
    const meetingIn = () => /\+([\w-]+)@/.exec(to)?.[1] ?? "";
    const answerTo = (line: string): SmtpSays | null => {
      if (isData) {
        if (line !== ".") return null;
        isData = false;
        const word = AT_END[meetingIn()];
        if (word === undefined) accepted.push(to);
        return word ?? "250 2.0.0 Ok: queued as 4bXyz1";
      }
      const [verb = "", rest = ""] = line.split(/ (.*)/s);
      switch (verb.toUpperCase()) {
        case "EHLO":
          return "250-mx.example.com\r\n250 AUTH PLAIN";
        case "AUTH": {
          const given = Buffer.from(rest.split(" ")[1] ?? "", "base64")
            .toString()
            .split("\0");
          return given[1] === "parley"
            ? "235 2.7.0 welcome"
            : `535 5.7.8 not ${given[1]} with ${given[2]} (${rest})`;
        }
        case "RCPT":
          to = rest;
          asked.push(to);
          return AT_RCPT[meetingIn()] ?? "250 2.1.5 Ok";
        case "DATA":
          isData = true;
          return "354 go on";
        case "QUIT":
          return "221 2.0.0 bye";
        default:
          return "250 2.0.0 Ok";
      }
    };
    say("220 mx.example.com ESMTP");
    socket.on("data", (bytes) => {
      unread += bytes;
      for (let end = unread.indexOf("\r\n"); end >= 0; end = unread.indexOf("\r\n")) {
        const word = answerTo(unread.slice(0, end));
        unread = unread.slice(end + 2);
        if (word !== null) say(word);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const own: SmtpServer = { host: "127.0.0.1", port, user: "parley", password, tls: "auto" };
  const at = (server: SmtpServer, whole_ms = PATIENCE_MS, reach = unguardedReach) =>
    smtpMail(() => server, reach, { times: { connect_ms: PATIENCE_MS, command_ms: PATIENCE_MS, whole_ms } });
  const counted = (among: string[]) => (key: string) => among.filter((to) => to.includes(key)).length;
  return {
    ...choosing({
      fine: at(own),
      silent: at(own, 1500),
      "not-signed-in": at({ ...own, user: "nobody" }),
      unreachable: at({ ...own, port: 1 }),
      forbidden: at(own, PATIENCE_MS, guardedReach({ hosts: [], networks: [] })),
    }),
    asked: counted(asked),
    accepted: counted(accepted),
    secrets: [password],
    says_when: false,
  };
}
