import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";

/** The largest mail that is taken, here and by webhook; what common mail servers take too. */
export const MAX_MAIL_bytes = 25 * 1024 * 1024;
/** Mails that are read at once are held in memory; further senders are told to come again. */
const MOST_CLIENTS = 20;
const MOST_RECIPIENTS = 20;
const IDLE_MS = 60_000;

export type MailListener = { port: number; close(): Promise<void> };

export type MailReceiver = {
  /** Whether an agent answers this address. */
  isKnown(address: string): Promise<boolean>;
  /** Resolves when the mail is stored. */
  receive(raw: Buffer, envelope: { from: string; to: string[] }): Promise<unknown>;
};

/**
 * Our own SMTP server, for mails to our addresses only: it relays nothing and knows no users. A mail is accepted when it
 * is stored; whatever fails before is answered so that the sender's server keeps it and comes again.
 */
export async function startMailListener(
  receiver: MailReceiver,
  options: { port: number; host: string; log: Log; tls: { key: string; cert: string } | null },
): Promise<MailListener> {
  const { log } = options;
  const server = new SMTPServer({
    ...(options.tls ?? {}),
    disabledCommands: options.tls ? ["AUTH"] : ["AUTH", "STARTTLS"],
    authOptional: true,
    size: MAX_MAIL_bytes,
    banner: "Parley",
    maxClients: MOST_CLIENTS,
    socketTimeout: IDLE_MS,
    closeTimeout: 5_000,
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, session, done) {
      if (session.envelope.rcptTo.length >= MOST_RECIPIENTS)
        return done(refusal(452, "4.5.3 too many recipients"));
      receiver
        .isKnown(address)
        .then((known) => {
          if (!known)
            log.info({ to: address, from: session.remoteAddress }, "a mail to nobody here was refused");
          done(known ? null : refusal(550, "5.1.1 no such address here"));
        })
        .catch((error) => {
          log.error({ err: error }, "could not look a recipient up");
          done(refusal(451, "4.3.0 try again later"));
        });
    },
    onData(stream, session, done) {
      takeMail(receiver, stream, session)
        .then((problem) => {
          const { remoteAddress: from, envelope } = session;
          const to = envelope.rcptTo.map(({ address }) => address);
          if (problem) log.warn({ from, to, why: problem.message }, "a mail was refused");
          done(problem);
        })
        .catch((error) => {
          log.error({ err: error }, "could not take a mail in");
          done(refusal(451, "4.3.0 not stored, try again later"));
        });
    },
  });
  // A sender that hangs up is no trouble of ours.
  server.on("error", (error: Error) => log.debug({ reason: errorText(error) }, "a mail connection failed"));
  const listening = server.listen(options.port, options.host);
  await new Promise<void>((resolve, reject) => {
    listening.once("listening", resolve);
    listening.once("error", reject);
  });
  return {
    port: (listening.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** null: stored. */
async function takeMail(
  receiver: MailReceiver,
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<Error | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    // What is too long is read to its end and dropped: only then is there a place for an answer.
    if (size <= MAX_MAIL_bytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > MAX_MAIL_bytes) return refusal(552, "5.3.4 the mail is larger than 25 MB");
  const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
  await receiver.receive(Buffer.concat(chunks), { from, to: envelope.rcptTo.map(({ address }) => address) });
  return null;
}

const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });
