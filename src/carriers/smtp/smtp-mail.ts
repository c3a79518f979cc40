import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { errorText } from "../../base/errors.ts";
import {
  type CarrierAccount,
  CarrierFault,
  type CarrierMail,
  type OutgoingMail,
  type Taken,
} from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { hideSecrets } from "../../channels/hide-secrets.ts";
import type { SmtpServer } from "../../channels/mail-credentials.ts";

export type SmtpTimes = {
  connect_ms: number;
  /** Longer than a mail server with work to do takes to answer one command. */
  command_ms: number;
  /** For all of it: a server that goes on answering a little must not hold a sender for ever. */
  whole_ms: number;
};

const TIMES: SmtpTimes = { connect_ms: 15_000, command_ms: 60_000, whole_ms: 240_000 };

/** Where a server is really reached: its address, checked and pinned, or why it must not be. */
export type ReachServer = (server: SmtpServer) => Promise<{ address: string } | { refused: string }>;

/** Sends through a mail server. What the server answered is all that is known of a mail until a report comes back. */
export const smtpMail = (
  serverOf: (account: CarrierAccount) => SmtpServer,
  reach: ReachServer,
  times = TIMES,
): CarrierMail => ({
  check: async (account) => checkServer(serverOf(account), reach),
  send: async (account, mail, handingOver) => sendBySmtp(serverOf(account), reach, mail, handingOver, times),
});

export async function sendBySmtp(
  server: SmtpServer,
  reach: ReachServer,
  mail: OutgoingMail,
  handingOver: () => Promise<void>,
  times = TIMES,
): Promise<Taken> {
  const message = await compose(mail);
  const { connection, step } = await connectionTo(server, reach, times, mail.from.address.split("@")[1]);
  const phase = { handedOver: false };
  try {
    await signIn(connection, step, server);
    // The dot that ends a mail is sent when this stream ends: without it no server has a mail.
    const content = Readable.from(
      (async function* () {
        yield message;
        await handingOver();
        phase.handedOver = true;
      })(),
    );
    const envelope = { from: mail.return_path ?? mail.from.address, to: [mail.to] };
    const answer = await step<{ response?: string }>((done) => connection.send(envelope, content, done));
    connection.quit();
    return { sid: queueId(answer.response ?? "") ?? mail.key, status: "PROCESSED" };
  } catch (error) {
    connection.close();
    throw error instanceof CarrierFault ? error : faultOf(error, server, phase.handedOver);
  }
}

type Step = <T>(run: (done: (error: unknown, result?: T) => void) => void) => Promise<T>;

/** A connection to the server before its first word; whatever breaks it fails the step that runs. */
async function connectionTo(
  server: SmtpServer,
  reach: ReachServer,
  times: SmtpTimes,
  name?: string,
): Promise<{ connection: SMTPConnection; step: Step }> {
  const reached = await reach(server).catch((cause: unknown) => {
    throw new CarrierFault(`The mail server ${server.host} has no address.`, "not-sent", { cause });
  });
  if ("refused" in reached) {
    throw new CarrierFault(`The mail server ${server.host} can't be reached: ${reached.refused}`, "not-sent");
  }
  const connection = new SMTPConnection({
    host: reached.address,
    port: server.port,
    secure: server.tls === "implicit",
    requireTLS: server.tls === "required",
    servername: server.host,
    connectionTimeout: times.connect_ms,
    greetingTimeout: times.connect_ms,
    socketTimeout: times.command_ms,
    ...(name !== undefined && { name }),
  });
  const broken = Promise.withResolvers<never>();
  // Told again by whatever waits for an answer then.
  broken.promise.catch(() => {});
  connection.on("error", broken.reject);
  const tooLong = () => broken.reject(new Error(`it took more than ${times.whole_ms} ms`));
  const timer = setTimeout(tooLong, times.whole_ms);
  connection.once("end", () => clearTimeout(timer));
  const step = <T>(run: (done: (error: unknown, result?: T) => void) => void): Promise<T> =>
    Promise.race([
      new Promise<T>((resolve, reject) =>
        run((error, result) => (error ? reject(error) : resolve(result as T))),
      ),
      broken.promise,
    ]);
  return { connection, step };
}

async function signIn(connection: SMTPConnection, step: Step, server: SmtpServer): Promise<void> {
  await step<void>((done) => connection.connect(done));
  if (server.user === null) return;
  const credentials = { user: server.user, pass: server.password ?? "" };
  await step<unknown>((done) => connection.login({ credentials }, done));
}

async function checkServer(server: SmtpServer, reach: ReachServer): Promise<string> {
  const { connection, step } = await connectionTo(server, reach, TIMES);
  try {
    await signIn(connection, step, server);
    connection.quit();
    return `The mail server ${server.host}:${server.port} ${server.user === null ? "answers" : "takes user and password"}.`;
  } catch (error) {
    connection.close();
    throw faultOf(error, server, false);
  }
}

/** The mail as it goes over the wire. */
export function compose(mail: OutgoingMail): Promise<Buffer> {
  const domain = mail.from.address.split("@")[1] ?? "localhost";
  const composer = new MailComposer({
    from: { name: mail.from.name ?? "", address: mail.from.address },
    to: mail.to,
    subject: mail.subject,
    text: mail.text,
    messageId: `<${mail.key}@${domain}>`,
    headers: Object.entries(extraHeaders(mail)).map(([key, value]) => ({ key, value })),
    ...(mail.reply_to !== null && { replyTo: mail.reply_to }),
    ...(mail.html !== null && { html: mail.html }),
    ...(mail.in_reply_to !== null && { inReplyTo: `<${mail.in_reply_to}>` }),
    ...(mail.references.length > 0 && { references: mail.references.map((id) => `<${id}>`) }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** RFC 8058: one click, which only counts as signed; RFC 3834: what answers by itself says so. */
export const extraHeaders = ({ unsubscribe_url, in_reply_to }: OutgoingMail): Record<string, string> => ({
  ...(unsubscribe_url !== null && {
    "List-Unsubscribe": `<${unsubscribe_url}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  }),
  ...(in_reply_to !== null && { "Auto-Submitted": "auto-replied" }),
});

/** "250 2.0.0 Ok: queued as 4bXyz1" */
const queueId = (response: string): string | null => /queued as ([\w.-]{1,100})/i.exec(response)?.[1] ?? null;

type SmtpError = { responseCode?: number; response?: string; code?: string; command?: string };

/** RFC 5321 §4.2.1: 4yz may be tried again, 5yz not. Without an answer it depends on how far the mail had come. */
function faultOf(error: unknown, server: SmtpServer, handedOver: boolean): CarrierFault {
  const { responseCode, response, code, command } = error as SmtpError;
  const where = `The mail server ${server.host}:${server.port}`;
  const { user, password } = server;
  const words = hideSecrets(response ?? errorText(error), [password, `\0${user}\0${password}`]).slice(0, 500);
  if (code === "EAUTH") {
    const message = `${where} did not accept user and password: ${words}`;
    return new CarrierFault(message, "not-sent", { retry_after_s: 300, is_ours: true });
  }
  if (responseCode !== undefined && responseCode >= 500) {
    const status = refusalStatus(command, response ?? "");
    return new CarrierFault(`${where} refused: ${words}`, "refused", { status });
  }
  if (responseCode !== undefined && responseCode >= 400) {
    return new CarrierFault(`${where} said to try later: ${words}`, "not-sent");
  }
  return new CarrierFault(`${where} gave no answer: ${words}`, handedOver ? "unknown" : "not-sent");
}

/** An enhanced code 5.1.x or a refused recipient is about the address, anything else about the mail or us. */
const refusalStatus = (command: string | undefined, response: string): ChannelStatus =>
  command === "RCPT TO" || /\b5\.1\.\d/.test(response) ? "BOUNCED" : "DROPPED";
