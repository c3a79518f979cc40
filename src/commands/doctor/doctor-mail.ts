import nodemailer from "nodemailer";
import { errorText } from "../../base/errors.ts";
import { smtpServerOf } from "../../channels/credentials/mail-credentials.ts";
import type { Config, Secrets } from "../../config.ts";
import { mailPlace, runningVersion, tryPort } from "../free-port.ts";
import type { Finding } from "./finding.ts";

const TIMEOUT_MS = 8_000;

/** Whether the installation's mail server is there and takes its user; nothing is sent. */
export async function checkMail(config: Config, { mail }: Secrets): Promise<Finding[]> {
  const listening = await checkMailPort(config);
  const check = "mail";
  if (mail === null) {
    const message =
      "no SMTP_URL: invitations are not sent, e-mail channels without credentials write to nobody";
    return [{ check, status: "ok", message }, ...listening];
  }
  const { host, port, user, password, tls } = smtpServerOf(mail.smtp_url);
  const transport = nodemailer.createTransport({
    host,
    port,
    secure: tls === "implicit",
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    ...(user !== null && { auth: { user, pass: password ?? "" } }),
  });
  try {
    await transport.verify();
    return [{ check, status: "ok", message: `${host}:${port}, from ${mail.from}` }, ...listening];
  } catch (error) {
    const message = `${host}:${port} can't be used: ${errorText(error)}. Check SMTP_URL.`;
    return [{ check, status: "problem", message }, ...listening];
  } finally {
    transport.close();
  }
}

async function checkMailPort(config: Config): Promise<Finding[]> {
  const place = mailPlace(config);
  if (place === null) return [];
  const check = "mail in";
  try {
    // A Parley that runs has the port itself.
    if ((await runningVersion(config)) === null) await tryPort(place);
    return [{ check, status: "ok", message: `mails to agents come in on port ${place.port}` }];
  } catch (error) {
    return [{ check, status: "problem", message: errorText(error) }];
  }
}
