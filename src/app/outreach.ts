import type { SendMail } from "../accounts/welcome-mail.ts";
import type { Api } from "../api/server.ts";
import { createCallRecordings } from "../calls/recordings/call-recording.ts";
import { createVoiceCalls, type RunningCalls } from "../calls/telephone.ts";
import { createCarriers } from "../carriers/carriers.ts";
import { platformMail } from "../carriers/smtp/smtp-platform-mail.ts";
import { voiceSender } from "../carriers/voice-sender.ts";
import type { Carriers } from "../channels/carrier.ts";
import { smtpServerOf } from "../channels/credentials/mail-credentials.ts";
import type { AttemptReports, Senders } from "../channels/outreach.ts";
import { createAttempts } from "../dialing/attempts.ts";
import { createDialer, type Dialer } from "../dialing/dialer.ts";
import { otherAttemptSids } from "../dialing/other-attempt-sids.ts";
import { createSettleQueue } from "../dialing/settle-queue.ts";
import { createMail, type Mail } from "../dialogues/mail.ts";
import { textSender } from "../dialogues/text-sender.ts";
import { CallCapacity, mostCalls } from "../media/call-capacity.ts";
import { NO_ENGINES } from "../media/voice-engines.ts";
import { systemLookUp } from "../mime/sender-checks.ts";
import type { Engine } from "../sessions/engine.ts";
import { platformSimulator, type Simulator } from "../simulator/platform-simulator.ts";
import { withTests } from "../test-outreach/reports.ts";
import type { AppParts } from "./parts.ts";

export type OutreachParts = {
  carriers: Carriers;
  /** The carrier that reaches nobody, where there is no other. */
  simulator: Simulator | null;
  attempts: AttemptReports;
  voiceCalls: RunningCalls;
  capacity: CallCapacity;
  mailing: Mail;
  dialer: Dialer;
  senders: Senders;
};

/** The installation's own mails, such as a new person's first one; null where it has no mail server. */
export function mailerOf({ sendMail, mailServer = null }: AppParts): SendMail {
  if (sendMail !== undefined) return sendMail;
  const smtp = mailServer && smtpServerOf(mailServer.smtp_url);
  return mailServer && smtp ? platformMail(smtp, mailServer.from) : null;
}

/** How people are reached, and reach us: carriers, calls, texts, mails, and who is tried when. */
export function createOutreach(api: Api, parts: AppParts, engine: Engine): OutreachParts {
  const { db, clock, log, vault, config, mailServer = null, twilio: operator = null } = parts;
  const { public_url: publicUrl } = config;
  const carriers =
    parts.carriers ??
    createCarriers({
      db,
      vault,
      egress: parts.egress,
      publicUrl,
      operator,
      baseUrl: config.twilio_base_url,
      telnyxUrl: config.telnyx_base_url,
      mail: (channel_id) => mailing.carriers.of(channel_id),
    });
  const capacity = new CallCapacity(
    config.voice_calls ?? mostCalls(parts.voiceEngines?.isOffline ?? false),
    clock,
  );
  const queue = createSettleQueue({ db, clock, prices: config.carrier_prices });
  const attempts = withTests(createAttempts({ db, queue }), db);
  const mailing = createMail(api, {
    engine,
    attempts,
    vault,
    publicUrl,
    dataDir: config.data_dir,
    egress: parts.egress,
    allow: config.egress_allow,
    settings: {
      server: mailServer && smtpServerOf(mailServer.smtp_url),
      listener:
        config.mail_port === null
          ? null
          : { host: config.host, port: config.mail_port, tls: parts.mailTls ?? null },
      lookUp: config.mail_checks_senders ? (parts.mailLookUp ?? systemLookUp()) : null,
      reading: parts.mailReading ?? {},
      simulator_speed: parts.simulation?.speed ?? 1,
    },
  });
  const texts = { engine, carriers };
  const senders: Senders = parts.senders ?? {
    voice: voiceSender({ db, carriers, otherAttemptSids: (...asked) => otherAttemptSids(db, ...asked) }),
    sms: textSender(texts, attempts, "sms"),
    whatsapp: textSender(texts, attempts, "whatsapp"),
    email: mailing.sender,
  };
  return {
    carriers,
    simulator: parts.carriers || operator ? null : platformSimulator(api, parts),
    attempts,
    capacity,
    voiceCalls: createVoiceCalls({
      engine,
      vault,
      carriers,
      attempts,
      publicUrl,
      capacity,
      engines: parts.voiceEngines ?? null,
      voice_missing: parts.voiceEngines ? parts.voiceEngines.missing : NO_ENGINES,
      recordings: createCallRecordings({ engine, dataDir: config.data_dir }),
    }),
    mailing,
    senders,
    dialer: createDialer({
      db,
      clock,
      log,
      owner: engine.owner,
      senders,
      carriers,
      limits: config.lines,
      destinations: config.destinations,
      queue,
    }),
  };
}
