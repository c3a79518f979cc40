import type { AddressInfo } from "node:net";
import type { SMTPServer, SMTPServerDataStream, SMTPServerSession } from "smtp-server";
import { errorText, Fault } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { createHeldBytes, type HeldBytes } from "../../mime/held-bytes.ts";
import { UnreadableMail } from "../../mime/mail-reader.ts";
import type { MailClient } from "../../mime/sender-checks.ts";
import { createSmtpConnections, networkOf, SMTP_LIMITS, type SmtpLimits } from "./smtp-connections.ts";

/** The largest mail that is taken, here and by webhook; what common mail servers take too. */
export const MAX_MAIL_bytes = 25 * 1024 * 1024;
/** Of all mails that are coming in or are being taken in, three of the largest: who is over it is told to come again. */
const MOST_HELD_bytes = 3 * MAX_MAIL_bytes;
/** Of those, what mails from one network may take, so that a few slow senders leave room for others. */
const MOST_HELD_OF_NETWORK_bytes = MAX_MAIL_bytes;
const MOST_RECIPIENTS = 20;

export type MailListener = { port: number; close(): Promise<void> };

export type MailReceiver = {
  /** Whether an agent answers this address. */
  isKnown(address: string): Promise<boolean>;
  /** Resolves when the mail is stored. */
  receive(raw: Buffer, envelope: { from: string; to: string[] }, client: MailClient): Promise<unknown>;
};

/**
 * Our own SMTP server, for mails to our addresses only: it relays nothing and knows no users. A mail is accepted when it
 * is stored; whatever fails before is answered so that the sender's server keeps it and comes again.
 */
export async function startMailListener(
  receiver: MailReceiver,
  options: {
    port: number;
    host: string;
    log: Log;
    tls: { key: string; cert: string } | null;
    most_held_bytes?: number;
    limits?: Partial<SmtpLimits>;
  },
): Promise<MailListener> {
  const { log } = options;
  const held = createHeldBytes(options.most_held_bytes ?? MOST_HELD_bytes, MOST_HELD_OF_NETWORK_bytes);
  const limits = { ...SMTP_LIMITS, ...options.limits };
  const connections = createSmtpConnections(limits, (id) => {
    for (const connection of server.connections) if (connection.session?.id === id) connection.close();
  });
  const library = await import("smtp-server");
  const server: SMTPServer = new library.SMTPServer({
    ...(options.tls ?? {}),
    disabledCommands: options.tls ? ["AUTH"] : ["AUTH", "STARTTLS"],
    authOptional: true,
    size: MAX_MAIL_bytes,
    banner: "Parley",
    // Those that we have just hung up on are counted too, until they are gone.
    maxClients: 2 * limits.connections,
    socketTimeout: limits.idle_ms,
    closeTimeout: 5_000,
    disableReverseLookup: true,
    logger: false,
    onConnect({ id, remoteAddress }, done) {
      const why = connections.open(id, remoteAddress);
      if (why) log.info({ from: remoteAddress, why }, "a mail connection was refused");
      done(why === null ? null : refusal(421, `4.7.0 ${why}`));
    },
    onClose: ({ id }) => connections.close(id),
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
      connections.enter(session.id, "body");
      takeMail(receiver, held, stream, session, () => connections.enter(session.id, "storing"))
        .finally(() => connections.enter(session.id, "commands"))
        .then((problem) => {
          const { remoteAddress: from, envelope } = session;
          const to = envelope.rcptTo.map(({ address }) => address);
          if (problem) log.warn({ from, to, why: problem.message }, "a mail was refused");
          done(problem);
        })
        .catch((error) => done(refusalOf(error, log)));
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
  held: HeldBytes,
  stream: SMTPServerDataStream,
  { envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession,
  onWhole: () => void,
): Promise<Error | null> {
  const network = networkOf(remoteAddress);
  let chunks: Buffer[] = [];
  let size = 0;
  let kept = 0;
  let isRoom = true;
  const drop = () => {
    chunks = [];
    held.give(kept, network);
    kept = 0;
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      // What isn't taken is read to its end and dropped: only then is there a place for an answer.
      isRoom &&= size <= MAX_MAIL_bytes && held.take(chunk.length, network);
      if (!isRoom) drop();
      else {
        chunks.push(chunk);
        kept += chunk.length;
      }
    }
    if (size > MAX_MAIL_bytes) return refusal(552, "5.3.4 the mail is larger than 25 MB");
    if (!isRoom) return refusal(452, "4.3.1 too many mails at once, try again later");
    onWhole();
    const raw = Buffer.concat(chunks);
    chunks = [];
    const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
    const to = envelope.rcptTo.map(({ address }) => address);
    await receiver.receive(raw, { from, to }, { address: remoteAddress, name: hostNameAppearsAs });
    return null;
  } finally {
    drop();
  }
}

/** 5xx: the sender's server gives the mail back to its author; 4xx: it comes again. */
function refusalOf(error: unknown, log: Log): Error {
  if (error instanceof UnreadableMail) return refusal(554, `5.6.0 ${error.message}`);
  if (error instanceof Fault && error.kind === "unavailable")
    return refusal(452, "4.3.1 too many mails at once, try again later");
  log.error({ err: error }, "could not take a mail in");
  return refusal(451, "4.3.0 not stored, try again later");
}

const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });
