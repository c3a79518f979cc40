import type { Api } from "../api/server.ts";
import type { PoolLimits } from "../base/worker-pool.ts";
import { createMailCarriers, type MailCarriers } from "../carriers/mail-carriers.ts";
import { type MailListener, startMailListener } from "../carriers/smtp/mail-listener.ts";
import type { SmtpServer } from "../channels/credentials/mail-credentials.ts";
import type { OutreachSender } from "../channels/outreach.ts";
import { optOutLinkRoutes } from "../consent/opt-out-link.ts";
import type { Egress } from "../egress/egress.ts";
import type { EgressRules } from "../egress/egress-address.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import { createMailReader, type MailReader } from "../mime/mail-reader.ts";
import { checkSender, type LookUp, type MailClient } from "../mime/sender-checks.ts";
import { createMailSimulator, type MailSimulator } from "../simulator/mail-simulator.ts";
import { mailJobs } from "./mail-dialogue.ts";
import type { MailParts } from "./mail-parts.ts";
import { findRecipient, receiveMail } from "./mail-receive.ts";
import { mailSender } from "./mail-sender.ts";
import { mailWebhooks } from "./mail-webhooks.ts";

export type MailSettings = {
  /** The installation's own mail server; null: the simulator. */
  server: SmtpServer | null;
  /** Where our own SMTP server listens; null: nowhere. */
  listener: { host: string; port: number; tls: { key: string; cert: string } | null } | null;
  /** Asks the DNS who may send for whom, for mails that come to it; null: nobody looks. */
  lookUp: LookUp | null;
  /** What reading one mail may take, where that differs from the reader's own limits. */
  reading: Partial<PoolLimits>;
  /** How many times as fast as life the simulator's people are. */
  simulator_speed: number | "moved";
};

/** Conversations and campaigns by mail, put together. */
export type Mail = {
  carriers: MailCarriers;
  reader: MailReader;
  sender: OutreachSender;
  jobs: JobHandler[];
  simulator: MailSimulator;
  /** Opens our own SMTP server, where the settings want one. */
  listen(): Promise<MailListener | null>;
};

export function createMail(
  api: Api,
  outside: Omit<MailParts, "carriers" | "reader"> & {
    egress: Egress;
    allow: EgressRules;
    settings: MailSettings;
  },
): Mail {
  const { engine, vault, egress, allow, settings, attempts } = outside;
  const { db, clock, log } = engine;
  const simulator = createMailSimulator(api, { clock, log, vault, speed: settings.simulator_speed });
  const carriers = createMailCarriers({
    db,
    clock,
    vault,
    egress,
    allow,
    log,
    installation: settings.server,
    simulator,
  });
  const reader = createMailReader(settings.reading);
  api.server.addHook("onClose", reader.close);
  const parts: MailParts = { ...outside, carriers, reader };

  mailWebhooks(api, parts);
  optOutLinkRoutes(api, { db, clock, vault, onSignals: attempts.signal });
  return {
    carriers,
    reader,
    sender: mailSender(parts),
    jobs: mailJobs(parts),
    simulator,
    async listen() {
      if (!settings.listener) return null;
      const receiver = {
        isKnown: async (address: string) => (await findRecipient(parts, address, null)) !== null,
        receive: async (raw: Buffer, envelope: { from: string; to: string[] }, client: MailClient) => {
          const { lookUp } = settings;
          const checks = lookUp && (await checkSender(raw, envelope.from, client, { lookUp, reader }));
          return receiveMail(parts, raw, { envelope, checks });
        },
      };
      return startMailListener(receiver, { ...settings.listener, log });
    },
  };
}
