import type { SendMail } from "../../accounts/welcome-mail.ts";
import { randomId } from "../../base/ids.ts";
import type { SmtpServer } from "../../channels/credentials/mail-credentials.ts";
import { unguardedReach } from "../mail-carriers.ts";
import { sendBySmtp } from "./smtp-mail.ts";

/** The program's own mails (invitations, webhooks that were disabled), by the installation's mail server. */
export const platformMail =
  (server: SmtpServer, from: string): NonNullable<SendMail> =>
  async ({ to, subject, text, key = randomId() }) => {
    const mail = {
      key,
      from: { name: "Parley", address: from },
      reply_to: null,
      return_path: null,
      to,
      subject,
      text,
      html: null,
      in_reply_to: null,
      references: [],
      unsubscribe_url: null,
    };
    await sendBySmtp(server, unguardedReach, mail, async () => {});
  };
