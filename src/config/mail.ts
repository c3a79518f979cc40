import type { Setting, SettingReader } from "./setting-reader.ts";

/** The built-in server that takes mails. */
export type MailConfig = {
  /** Null: none. */
  mail_port: number | null;
  mail_tls: { cert_file: string; key_file: string } | null;
  /** It looks up whether mails are from whom they say (SPF, DKIM). */
  mail_checks_senders: boolean;
};

export type MailSecrets = {
  /** The installation's mail server, and whom its own mails are from. */
  mail: { smtp_url: string; from: string } | null;
};

export const MAIL_SETTINGS: Setting[] = [
  {
    name: "SMTP_URL",
    example: "",
    about:
      "The mail server that invitations and system e-mail channels send by: smtp://user:password@mail.example.com:587, or smtps:// for TLS from the first byte. Empty: no invitations, and e-mail channels without credentials of their own write to the built-in mail simulator, which reaches nobody.",
  },
  {
    name: "MAIL_FROM",
    example: "parley@example.com",
    about: "The sender of the program's own mails; the user of SMTP_URL where that is an address.",
  },
  {
    name: "MAIL_PORT",
    example: "",
    about:
      "The port of the built-in SMTP server that takes mails to agents in, 25 where other mail servers are to find it. Empty: none.",
  },
  {
    name: "MAIL_CHECK_SENDERS",
    example: "on",
    about:
      "Whether that server looks up who may send for whom (SPF, DKIM): on, or off where it stands behind a mail server that hands mails on, and is trusted to have refused forged ones.",
  },
  {
    name: "MAIL_TLS_CERT",
    example: "",
    about: "File of that server's certificate (PEM), for STARTTLS. With MAIL_TLS_KEY.",
  },
  { name: "MAIL_TLS_KEY", example: "", about: "File of that certificate's key (PEM)." },
];

export function readMail(read: SettingReader, port: number): MailConfig {
  const certificate = read.both("MAIL_TLS_CERT", "MAIL_TLS_KEY");
  return {
    mail_port: mailPort(read, port),
    mail_tls: certificate && { cert_file: certificate[0], key_file: certificate[1] },
    mail_checks_senders: read.isOn("MAIL_CHECK_SENDERS", "on"),
  };
}

function mailPort({ given, faults }: SettingReader, port: number): number | null {
  const text = given("MAIL_PORT");
  if (text === null) return null;
  const own = Number(text);
  if (!(Number.isInteger(own) && own >= 0 && own <= 65_535)) {
    faults.push(`MAIL_PORT is "${text}"; use a whole number from 0 to 65535 (0 takes any free port).`);
  }
  if (own > 0 && own === port)
    faults.push(`MAIL_PORT and PORT are both ${port}; mail needs a port of its own.`);
  return own;
}

export function readMailSecrets({ given, url, faults }: SettingReader): MailSecrets {
  const [smtp_url, sender] = [url("SMTP_URL", ["smtp:", "smtps:"]), given("MAIL_FROM")];
  if (smtp_url === null) return { mail: null };
  const { hostname, username } = new URL(smtp_url);
  if (hostname === "" || /%(?![0-9a-f]{2})/i.test(smtp_url)) {
    faults.push("SMTP_URL names no server, or holds a bare %; write % in a user or password as %25.");
  }
  const user = username.replaceAll("%40", "@");
  const from = sender ?? (user.includes("@") ? user : "");
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) {
    faults.push(`MAIL_FROM is "${from}"; with SMTP_URL, set it to the address that mails are sent from.`);
  }
  return { mail: { smtp_url, from } };
}
