import { isIP } from "node:net";
import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { errorText, PublicError } from "../../base/errors.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import {
  type CarrierAccount,
  CarrierFault,
  type CarrierMail,
  type OutgoingMail,
  type Taken,
} from "../../channels/carrier.ts";
import type { SmtpServer } from "../../channels/credentials/mail-credentials.ts";
import { failureWords } from "../../egress/egress-failure.ts";
import { hideSecrets } from "../../egress/hide-secrets.ts";
import { refusalIsAbout } from "../mail-refusal.ts";

type SmtpTimes = {
  connect_ms: number;
  /** Longer than a mail server with work to do takes to answer one command. */
  command_ms: number;
  /** For all of it: a server that goes on answering a little must not hold a sender for ever. */
  whole_ms: number;
};

const TIMES: SmtpTimes = { connect_ms: 15_000, command_ms: 60_000, whole_ms: 240_000 };

/** Where a server is really reached: its address, checked and pinned, or why it must not be. */
export type ReachServer = (server: SmtpServer) => Promise<{ address: string } | { refused: string }>;

/**
 * `operators`: the log of an installation whose own server this is. Organizations are told the reply's codes and a
 * reference then, under which the log has the server's name and words.
 */
type SmtpOptions = { times?: SmtpTimes; operators?: Log };

/** Sends through a mail server. What the server answered is all that is known of a mail until a report comes back. */
export const smtpMail = (
  serverOf: (account: CarrierAccount) => SmtpServer,
  reach: ReachServer,
  options: SmtpOptions = {},
): CarrierMail => ({
  check: async (account) => checkServer(serverOf(account), reach, options),
  send: async (account, mail, handingOver) =>
    sendBySmtp(serverOf(account), reach, mail, handingOver, options),
});

export async function sendBySmtp(
  server: SmtpServer,
  reach: ReachServer,
  mail: OutgoingMail,
  handingOver: () => Promise<void>,
  options: SmtpOptions = {},
): Promise<Taken> {
  const message = await compose(mail);
  const { connection, step } = await connectionTo(server, reach, options, mail.from.address.split("@")[1]);
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
    throw error instanceof CarrierFault ? error : faultOf(error, server, phase.handedOver, options);
  }
}

type SmtpStep = <T>(run: (done: (error: unknown, result?: T) => void) => void) => Promise<T>;

/** A connection to the server before its first word; whatever breaks it fails the step that runs. */
async function connectionTo(
  server: SmtpServer,
  reach: ReachServer,
  { times = TIMES, operators }: SmtpOptions,
  name?: string,
): Promise<{ connection: SMTPConnection; step: SmtpStep }> {
  const where = operators ? OURS : `The mail server ${server.host}`;
  const reached = await reach(server).catch((cause: unknown) => {
    throw new CarrierFault(`${where} has no address.`, "not-sent", { cause });
  });
  if ("refused" in reached) {
    throw new CarrierFault(`${where} can't be reached: ${reached.refused}`, "not-sent");
  }
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const connection = new Connection({
    host: reached.address,
    port: server.port,
    secure: server.tls === "implicit",
    requireTLS: server.tls === "required",
    // TLS takes only a host name here; the certificate is compared with the address all the same.
    ...(isIP(server.host) === 0 && { servername: server.host }),
    connectionTimeout: times.connect_ms,
    greetingTimeout: times.connect_ms,
    socketTimeout: times.command_ms,
    ...(name !== undefined && { name }),
  });
  const broken = Promise.withResolvers<never>();
  // Told again by whatever waits for an answer then.
  broken.promise.catch(() => {});
  connection.on("error", broken.reject);
  const tooLong = () => broken.reject(new TookTooLong(`it took more than ${times.whole_ms / 1000} s`));
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

async function signIn(connection: SMTPConnection, step: SmtpStep, server: SmtpServer): Promise<void> {
  await step<void>((done) => connection.connect(done));
  if (server.user === null) return;
  const credentials = { user: server.user, pass: server.password ?? "" };
  await step<unknown>((done) => connection.login({ credentials }, done));
}

export async function checkServer(
  server: SmtpServer,
  reach: ReachServer,
  options: SmtpOptions = {},
): Promise<string> {
  const { connection, step } = await connectionTo(server, reach, options);
  try {
    await signIn(connection, step, server);
    connection.quit();
    const where = options.operators ? OURS : `The mail server ${server.host}:${server.port}`;
    return `${where} ${server.user === null ? "answers" : "takes user and password"}.`;
  } catch (error) {
    connection.close();
    throw faultOf(error, server, false, options);
  }
}

/** The mail as it goes over the wire. */
async function compose(mail: OutgoingMail): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
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

const OURS = "The installation's mail server";
/** "550 5.1.1 no such user": what the first two mean is a standard (RFC 3463). */
const REPLY_CODES = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/;

class TookTooLong extends PublicError {}

/** What is wrong with a server's certificate; null where the fault is another. The library keeps only the text of Node's error. */
function certificateWords(error: unknown): string | null {
  const words = errorText(error);
  if (/altnames/.test(words)) return "it is another host's";
  return /certificate/i.test(words) ? (words.split(";")[0] ?? words) : null;
}

/** The library puts the code of node into its words ("connect ECONNREFUSED 10.0.0.1:25"), beside an inner address. */
function brokenWords(error: unknown, host: string): string {
  if (error instanceof TookTooLong) return error.message;
  if (/wrong version number/.test(errorText(error)))
    return "TLS does not begin with the first byte there; smtps:// and implicit need it to, mostly on port 465";
  const code = /\bE[A-Z]{4,}\b/.exec(error instanceof Error ? error.message : "")?.[0];
  return failureWords(code ? Object.assign(new Error(), { code }) : error, host);
}

/** Whomever a mail is to, until somebody has mended it. */
const OF_SENDER = { retry_after_s: 300, ours: "source" } as const;

type SmtpError = { responseCode?: number; response?: string; code?: string; command?: string };

/** RFC 5321 §4.2.1: 4yz may be tried again, 5yz not. Without an answer it depends on how far the mail had come. */
function faultOf(
  error: unknown,
  server: SmtpServer,
  handedOver: boolean,
  { operators }: SmtpOptions,
): CarrierFault {
  const { responseCode, response, code, command } = error as SmtpError;
  const { user, password } = server;
  const said = response && hideSecrets(response, [password, `\0${user}\0${password}`]).slice(0, 500);
  let where = `The mail server ${server.host}:${server.port}`;
  const untrusted = said === undefined ? certificateWords(error) : null;
  let words = said ?? untrusted ?? brokenWords(error, server.host);
  if (operators) {
    const reference = randomBase62(10);
    operators.warn({ server: where, said: words, reference }, "the installation's mail server failed");
    where = OURS;
    words = [said && REPLY_CODES.exec(said)?.[0], `reference ${reference}`].filter(Boolean).join(", ");
  }
  if (code === "EAUTH") {
    const message = `${where} did not accept user and password: ${words}`;
    return new CarrierFault(message, "not-sent", OF_SENDER);
  }
  // RFC 4954 §6 and RFC 3207 §4: before anything else, whomever the mail is to.
  if (responseCode === 530) {
    const message = `${where} wants us to sign in: ${words}`;
    return new CarrierFault(message, "not-sent", OF_SENDER);
  }
  if (responseCode !== undefined && responseCode >= 500) {
    const about = refusalIsAbout(response ?? "", command === "RCPT TO");
    const message = `${where} refused: ${words}`;
    if (about === "sender") return new CarrierFault(message, "not-sent", OF_SENDER);
    return new CarrierFault(message, "refused", { status: about === "address" ? "BOUNCED" : "DROPPED" });
  }
  if (responseCode !== undefined && responseCode >= 400) {
    return new CarrierFault(`${where} said to try later: ${words}`, "not-sent");
  }
  if (untrusted !== null)
    return new CarrierFault(`${where} has a certificate that is not trusted: ${words}`, "not-sent");
  return new CarrierFault(`${where} gave no answer: ${words}`, handedOver ? "unknown" : "not-sent");
}
