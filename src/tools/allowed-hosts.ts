import { invalid } from "../base/errors.ts";

/** More is no service's list any more, but an open door. */
export const MAX_ALLOWED_HOSTS = 50;

/**
 * Host and port of an address as a service's `allowed_hosts` spells it: the name alone for HTTPS on its usual port, so that
 * a secret meant for `https://api.example.com` isn't sent in plain text. Null where a variable stands in place of the host.
 */
export function allowedHostOf(url: string): string | null {
  const { protocol, hostname, port } = URL.parse(url) ?? {};
  if ((protocol !== "http:" && protocol !== "https:") || !isHostName(hostname ?? "")) return null;
  const at = port || (protocol === "https:" ? "443" : "80");
  return at === "443" && protocol === "https:" ? (hostname as string) : `${hostname}:${at}`;
}

/** An address with nothing to fill in and nobody's name: what a conversation says never decides which server is asked. */
export function isFixedAddress(text: string): boolean {
  const url = URL.parse(text);
  const isPlain =
    url !== null && allowedHostOf(url.href) !== null && url.username === "" && url.password === "";
  return isPlain && !/[{}\s\p{Cc}]/u.test(text);
}

/** Whether an address says no `https://` or `http://` although it does not begin with a variable, which may say it. */
export const lacksScheme = (url: string): boolean => !/^(https?:\/\/|\{)/i.test(url.trimStart());

/** An entry as a person writes it, in that spelling; refused at its place where it is no host. */
function readAllowedHost(text: string, index: number): string {
  const host = allowedHostOf(`https://${text.trim()}`);
  const isOnlyHost = /^[^/?#@\\\s{}]+$/.test(text.trim());
  if (host !== null && isOnlyHost) return host;
  throw invalid(
    ["body", "allowed_hosts", index],
    "Give a host name, with a port where it is not 443: api.example.com or localhost:8080",
  );
}

export const readAllowedHosts = (given: string[]): string[] =>
  [...new Set(given.map(readAllowedHost))].toSorted();

const isHostName = (name: string): boolean => /^(\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)$/.test(name);
