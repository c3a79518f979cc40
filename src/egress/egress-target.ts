import { isIP } from "node:net";

/**
 * A name that is served somewhere known, most often by this very process: `http://<host><pathPrefix>…` goes to
 * `connect`, and nothing else of that server can be reached through it.
 */
export type EgressRoute = {
  host: string;
  connect: { host: string; port: number };
  pathPrefix: string;
  /** How URLs of it are written, where only https ones may be; `connect` is spoken to in plain HTTP all the same. */
  scheme?: "http" | "https";
};

/** Where a URL leads, decided from its text alone, before any name is looked up. */
export type EgressTarget =
  /** `host` is a name without trailing dot, or an address without brackets; `path` holds the query too. */
  | { kind: "host"; protocol: "http:" | "https:"; host: string; port: number; origin: string; path: string }
  | { kind: "route"; route: EgressRoute; host: string; origin: string; path: string }
  | { kind: "refused"; reason: string };

/** Names of the platform itself exist only as routes: a DNS server must never get to say where they lead. */
const OWN_DOMAIN = /(^|\.)parley\.internal$/;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
/** How often a path may be encoded over itself; nothing honest goes past two. */
const MOST_ENCODINGS = 4;

const refused = (reason: string): EgressTarget => ({ kind: "refused", reason });

export function targetOf(text: string, routes: readonly EgressRoute[]): EgressTarget {
  // The URL parser drops tabs and line ends silently. In a URL filled from variables they are an injection or a slip.
  if (CONTROL_CHARACTER.test(text)) return refused("the URL contains a control character");
  const url = URL.parse(text);
  if (!url) return refused("the URL is not valid");
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    return refused(`the URL must start with http:// or https://, not ${protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    return refused(`the URL of ${url.hostname} carries credentials; put them in a header`);
  }

  // By now 127.1, 0x7f000001, 2130706433 and full-width dots all read 127.0.0.1, and names are in punycode.
  const host = canonicalHost(url.hostname);
  if (host === undefined) return refused(`${url.hostname} is not a valid host name`);

  const path = url.pathname + url.search;
  const route = routes.find((candidate) => candidate.host === host);
  if (route) {
    const scheme = route.scheme ?? "http";
    if (protocol !== `${scheme}:` || url.port !== "") {
      return refused(`${host} is reached as ${scheme}://${host} only`);
    }
    if (!staysUnder(route.pathPrefix, url.pathname)) {
      return refused(`only ${route.pathPrefix} can be reached on ${host}`);
    }
    return { kind: "route", route, host, origin: `http://${host}`, path };
  }
  if (OWN_DOMAIN.test(host)) return refused(`${host} is a name of this platform that leads nowhere`);

  const port = url.port === "" ? (protocol === "https:" ? 443 : 80) : Number(url.port);
  const origin = `${protocol}//${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return { kind: "host", protocol, host, port, origin, path };
}

/**
 * The URL parser has resolved `..` and `%2e%2e` already. What is left is a server that decodes more than once or takes
 * `%2f` and `\` for separators: no depth of decoding may show a dot segment.
 */
function staysUnder(prefix: string, pathname: string): boolean {
  const base = prefix.replace(/\/+$/, "");
  let path = pathname;
  for (let depth = 0; depth < MOST_ENCODINGS; depth++) {
    if (path !== base && !path.startsWith(`${base}/`)) return false;
    if (path.split(/[/\\]/).some((segment) => /^\.\.?(;|$)/.test(segment))) return false;
    const decoded = decodedOnce(path);
    if (decoded === path) return true;
    path = decoded;
  }
  return false;
}

/** Byte by byte, as the most lenient server would: a broken escape stays as it is and hides nothing behind it. */
const decodedOnce = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * The host of a parsed URL in the one spelling that rules, routes and lookups share: a name without trailing dot, an
 * address without brackets. Undefined when it is neither.
 */
export function canonicalHost(hostname: string): string | undefined {
  const literal = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(literal) !== 0) return literal;
  const name = literal.replace(/\.$/, "");
  return HOST_NAME.test(name) ? name : undefined;
}
