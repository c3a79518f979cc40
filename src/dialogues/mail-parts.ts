import type { Vault } from "../base/crypto.ts";
import type { MailCarriers } from "../carriers/mail-carriers.ts";
import type { AttemptReports } from "../channels/outreach.ts";
import type { MailReader } from "../mime/mail-reader.ts";
import type { Engine } from "../sessions/engine.ts";

/** What conversations by mail take. */
export type MailParts = {
  engine: Engine;
  carriers: MailCarriers;
  reader: MailReader;
  attempts: Pick<AttemptReports, "sessionStarted" | "signal">;
  vault: Vault;
  publicUrl: string;
  dataDir: string;
};

/** A session by mail takes further mails this long after the last one. */
export const MAIL_TTL_MS = 7 * 86_400_000;
