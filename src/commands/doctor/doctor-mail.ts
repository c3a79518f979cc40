import { errorText } from "../../base/errors.ts";
import { unguardedReach } from "../../carriers/mail-carriers.ts";
import { readMailCertificate } from "../../carriers/smtp/mail-certificate.ts";
import { checkServer } from "../../carriers/smtp/smtp-mail.ts";
import { smtpServerOf } from "../../channels/credentials/mail-credentials.ts";
import type { Config, Secrets } from "../../config.ts";
import { mailPlace, runningVersion, tryPort } from "../free-port.ts";
import { type Finding, OWN_CA } from "./finding.ts";

const TIMES = { connect_ms: 8_000, command_ms: 8_000, whole_ms: 30_000 };

/** Whether the installation's mail server is there and takes its user; nothing is sent. */
export async function checkMail(config: Config, { mail }: Secrets): Promise<Finding[]> {
  const listening = await checkMailPort(config);
  const check = "mail";
  if (mail === null) {
    const message =
      "no SMTP_URL: invitations are not sent, e-mail channels without credentials write to nobody";
    return [{ check, status: "ok", message }, ...listening];
  }
  const server = smtpServerOf(mail.smtp_url);
  try {
    await checkServer(server, unguardedReach, { times: TIMES });
    const message = `${server.host}:${server.port}, from ${mail.from}`;
    return [{ check, status: "ok", message }, ...listening];
  } catch (error) {
    const why = errorText(error);
    const advice = /certificate/.test(why) && !/another host/.test(why) ? OWN_CA : "Check SMTP_URL.";
    return [{ check, status: "problem", message: `${why}. ${advice}` }, ...listening];
  }
}

async function checkMailPort(config: Config): Promise<Finding[]> {
  const place = mailPlace(config);
  if (place === null) return [];
  const check = "mail in";
  try {
    // A Parley that runs has the port itself.
    if ((await runningVersion(config)) === null) await tryPort(place);
    await readMailCertificate(config.mail_tls);
    return [{ check, status: "ok", message: `mails to agents come in on port ${place.port}` }];
  } catch (error) {
    return [{ check, status: "problem", message: errorText(error) }];
  }
}
