import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import nodemailer from "nodemailer";
import { SMTPServer } from "smtp-server";
import type { AppParts } from "../../src/app/parts.ts";
import { Scenario } from "../../src/simulator/people.ts";
import { afterFile } from "./after-file.ts";
import { createAgent } from "./agent.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { runJobs } from "./running-jobs.ts";
import { eventually } from "./simulated.ts";

/** A mail as the outside server took it. */
type SentMail = ParsedMail & { envelope: { from: string; to: string[] } };

/** Somebody else's mail server on loopback: it keeps what it takes, and answers as told. */
export type MailServer = {
  port: number;
  mails: SentMail[];
  /** What the next mails meet: an SMTP code, "hang-up" before the answer, or null for taken. */
  answer: number | "hang-up" | null;
};

export async function createMailServer(): Promise<MailServer> {
  const state: MailServer = { port: 0, mails: [], answer: null };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "parley" && password === "right"
        ? done(null, { user: "parley" })
        : done(new Error("wrong")),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const parsed = await simpleParser(Buffer.concat(chunks));
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        if (state.answer === null || state.answer === "hang-up") {
          state.mails.push({ ...parsed, envelope: { from, to: rcptTo.map(({ address }) => address) } });
        }
        if (state.answer === "hang-up") return void [...server.connections].map((each) => each.close());
        if (state.answer === null) return done(null, "2.0.0 Ok: queued as 4bXyz1");
        done(Object.assign(new Error("as told"), { responseCode: state.answer }));
      });
    },
  });
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  state.port = (listening.address() as AddressInfo).port;
  afterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return state;
}

export type MailApp = TestApp & {
  /** Where our own SMTP server listens on loopback. */
  smtpPort: number;
  /** Sends a mail to our own listener, as any mail server does. */
  deliver(mail: IncomingMail): Promise<{ accepted: string[] }>;
};

export type IncomingMail = {
  from: string;
  /** Of the envelope, where it is another than the header's. */
  returnPath?: string;
  to: string | string[];
  subject?: string;
  text?: string;
  messageId?: string;
  inReplyTo?: string;
  headers?: Record<string, string>;
  attachments?: { filename: string; content: Buffer | string; contentType?: string }[];
  raw?: string | Buffer;
};

type MailOutside = Pick<AppParts, "mailLookUp" | "mailReading">;

/** The platform with its own SMTP server open, its jobs running, and `server` to send by; without one, the simulator. */
export async function createMailApp(server: MailServer | null, outside: MailOutside = {}): Promise<MailApp> {
  const simulation = { scenario: Scenario.parse({}), speed: "moved" as const };
  const mailServer = server && { smtp_url: `smtp://127.0.0.1:${server.port}`, from: "parley@clinic.example" };
  // No name server is asked for people who write from loopback.
  const env = { MAIL_PORT: "0", MAIL_CHECK_SENDERS: outside.mailLookUp ? "on" : "off" };
  const app = await createTestApp(env, undefined, {
    mailServer,
    ...outside,
    ...(!server && { simulation }),
  });
  await app.listen();
  const listener = await app.mailing.listen();
  if (!listener) throw new Error("the listener is off");
  afterFile(listener.close);
  await runJobs(app);
  const transport = nodemailer.createTransport({ host: "127.0.0.1", port: listener.port, ignoreTLS: true });
  return Object.assign(app, {
    smtpPort: listener.port,
    deliver: ({ returnPath, ...mail }: IncomingMail) =>
      transport.sendMail({ ...mail, envelope: { from: returnPath ?? mail.from, to: mail.to } }) as Promise<{
        accepted: string[];
      }>,
  });
}

/** That platform with one agent, who can write mails and has an address of its own. */
export async function createMailWorld(
  server: MailServer | null,
  agent: Parameters<typeof createAgent>[1],
  config: object = {},
  outside: MailOutside = {},
) {
  const app = await createMailApp(server, outside);
  const { agent_id } = await createAgent(app, agent);
  return { app, agent_id, box: await createMailbox(app, agent_id, config) };
}

let people = 0;
/** An address that nothing was sent to or came from yet. */
export const somebody = (): string => `person${++people}@example.com`;

let counter = 0;

/** An e-mail channel with an agent behind an address of its own. */
export async function createMailbox(app: TestApp, agent_id: number, config: object = {}) {
  const make = async (path: string, body: object) => {
    const answer = await app.send("POST", path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const domain = `mail${++counter}.clinic.example`;
  const channel = await make("/api/v1/channels/", {
    name: domain,
    channel_service: "email",
    config: { email: { sending_domain: domain }, ...config },
  });
  const address = `support@${domain}`;
  const target = await make(`/api/v1/channels/${channel.id}/targets`, {
    agent_id,
    channel_id: channel.id,
    target: address,
    target_mode: "email",
  });
  return { channel_id: channel.id as number, target_id: target.id as number, address, domain };
}

type Mails = Awaited<ReturnType<typeof mailsWith>>;

/** The same, as soon as it holds. */
export const mailsOnce = (app: TestApp, address: string, holds: (mails: Mails) => boolean): Promise<Mails> =>
  eventually(() => mailsWith(app, address), holds);

/** The same, once nothing waits to be answered or sent. */
export const settledMails = (app: TestApp, address: string): Promise<Mails> =>
  mailsOnce(
    app,
    address,
    (mails) => mails.length > 0 && mails.every(({ state }) => !UNSETTLED.includes(state)),
  );
const UNSETTLED = ["received", "queued", "handing"];

/** What stands on the suppression list for an address. */
export const suppressionsOf = async (app: TestApp, address: string) =>
  (
    await app.send(
      "GET",
      `/api/v1/suppressions/?search_fields=address_exact&search_field_values=${encodeURIComponent(address)}`,
    )
  ).body.items;

/** What is kept of the mails with somebody, oldest first. */
export const mailsWith = (app: TestApp, address: string) =>
  app.db
    .selectFrom("mail_messages")
    .selectAll()
    .where((mail) => mail.or([mail("from_address", "=", address), mail("to_address", "=", address)]))
    .orderBy("id")
    .execute();
