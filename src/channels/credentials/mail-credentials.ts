import type { Credentials } from "./channel-credentials.ts";

/**
 * How an e-mail channel sends, by its `provider_credentials`:
 * - SendGrid: `api_key`; `base_url` where it is not https://api.sendgrid.com; `event_public_key` and `inbound_public_key`,
 *   which its webhooks are checked with.
 * - SMTP: `host`, and where needed `port`, `user`, `password` and `tls`.
 * - neither: the installation's own mail server (SMTP_URL), or the simulated carrier.
 */
type MailAccount =
  | { kind: "sendgrid"; api_key: string; base_url: string }
  | { kind: "smtp"; server: SmtpServer }
  | { kind: "installation" };

export type SmtpServer = {
  host: string;
  port: number;
  user: string | null;
  password: string | null;
  /** implicit: from the first byte; required: by STARTTLS or not at all; auto: by STARTTLS where it is offered. */
  tls: "implicit" | "required" | "auto";
};

const SENDGRID_BASE_URL = "https://api.sendgrid.com";
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/** The account and everything that is wrong with it, each fault a sentence about one of the credentials. */
export function readMailAccount(credentials: Credentials): { account: MailAccount; faults: string[] } {
  const faults: string[] = [];
  const { api_key, base_url, host, port, user, password, tls } = credentials;
  for (const name of ["event_public_key", "inbound_public_key"] as const) {
    const key = credentials[name];
    if (key && !/^[A-Za-z0-9+/]{80,400}={0,2}$/.test(key)) {
      faults.push(`${name} is not the Base64 text that SendGrid shows as its verification key`);
    }
  }
  if (api_key) {
    const url = base_url ?? SENDGRID_BASE_URL;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      faults.push("base_url is not an http(s) URL");
    if (host) faults.push("api_key and host are of two mail services; leave one out");
    return { account: { kind: "sendgrid", api_key, base_url: url.replace(/\/+$/, "") }, faults };
  }
  if (!host) {
    if (user || password || port) faults.push("host is missing: the name of the mail server");
    return { account: { kind: "installation" }, faults };
  }
  if (!/^[A-Za-z0-9.:-]{1,253}$/.test(host)) faults.push("host is not the name or address of a mail server");
  if (tls && !["implicit", "required", "auto"].includes(tls))
    faults.push("tls is one of implicit, required and auto");
  const number = Number(port ?? (tls === "implicit" ? SUBMISSIONS_PORT : SUBMISSION_PORT));
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    faults.push("port is not a number from 1 to 65535");
  if (password && !user) faults.push("user is missing: who signs in with the password");
  const mode = (tls ?? (number === SUBMISSIONS_PORT ? "implicit" : "auto")) as SmtpServer["tls"];
  const server = { host, port: number, user: user ?? null, password: password ?? null, tls: mode };
  return { account: { kind: "smtp", server }, faults };
}

/** Each secret, and what says where it is sent. */
const SENT_TO = { api_key: ["base_url"], password: ["host", "port"] } as const;

/**
 * A secret that is kept goes nowhere but where it went: who changes the place without knowing it would have it sent to
 * themselves. Each fault a sentence.
 */
export function movedSecrets(given: Credentials, stored: Credentials): string[] {
  return Object.entries(SENT_TO).flatMap(([secret, places]) => {
    if (!stored[secret] || secret in given) return [];
    const known = (place: string) => [stored[place], SENDGRID_BASE_URL, undefined, ""].includes(given[place]);
    const moved = places.find((place) => !known(place));
    return moved ? [`${secret} has to be given again, since ${moved} changes where it is sent`] : [];
  });
}

/** `smtp://user:password@host:587` or `smtps://host`; checked where the environment is read. */
export function smtpServerOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const implicit = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (implicit ? SUBMISSIONS_PORT : SUBMISSION_PORT)),
    user: username ? decodeURIComponent(username) : null,
    password: password ? decodeURIComponent(password) : null,
    tls: implicit ? "implicit" : "auto",
  };
}
